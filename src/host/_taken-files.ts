// Owns: files that were taken out of a live folder to be replaced: what a program writes in them afterwards, and what a process that
// died left of them.
// Must never: drop a text that the session never had.

import type { WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { filesUnder } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { placeHash, placeNamed, type LivePlace, type Taken } from "./_live-place.ts";
import { mergeOutside } from "./_merge-outside.ts";
import { holdsContent, stageFile, using } from "./_outside-file.ts";
import { filesIn, versionsAt } from "./_past-versions.ts";
import { skipReasonOf } from "./_scan-mount.ts";
import { isSameContent } from "./_stat-index.ts";
import { importInto } from "./import-changes.ts";
import type { Mirror } from "./mirror.ts";

export interface TakenFilesParts {
  readonly core: SessionCore;
  readonly external: Actor;
  /** Where the folder is in the workspace. */
  readonly to: WorkspacePath;
  readonly place: LivePlace;
  readonly mirror: Mirror;
}

/** A program that had a file open when it was replaced may write to it for so long. */
const IN_PLACE_MS = 2_000;
/** Versions that a file which a process left may be one of. */
const VERSIONS = 50;

export class TakenFiles {
  readonly #parts: TakenFilesParts;

  constructor(parts: TakenFilesParts) {
    this.#parts = parts;
  }

  /** Milliseconds until the next one is to be looked at; undefined when there is none. */
  get due(): number | undefined {
    const [first] = this.#parts.place.taken;
    return first === undefined ? undefined : Math.max(0, first.time + IN_PLACE_MS - performance.now());
  }

  /** Looks again at those that are due, and imports what was written in them since; true when there was such a one. */
  async importDue(): Promise<boolean> {
    const { place } = this.#parts;
    const due = performance.now() - IN_PLACE_MS;
    let hasImported = false;
    for (const taken of place.taken.filter(({ time }) => time <= due)) {
      place.taken.splice(place.taken.indexOf(taken), 1);
      const stat = place.statTaken(taken.name);
      const isSame = stat !== undefined && isSameContent(stat, taken.print);
      if (isSame && (await this.#isAs(taken))) place.drop(taken.name);
      else if (stat !== undefined) hasImported = (await this.#import(taken.name, taken.body)) || hasImported;
    }
    return hasImported;
  }

  #isAs({ name, body }: Taken): Promise<boolean> {
    const { core, place } = this.#parts;
    return using(place.openTaken(name), (file) =>
      holdsContent(core.journal, file, body.content, new Pacer()),
    );
  }

  /** What a process that died took from its place is put back, or taken in when it is news; what was replaced before is dropped. */
  async recover(): Promise<void> {
    const { place, mirror } = this.#parts;
    place.sweep();
    for (const name of place.namesTaken()) {
      const path = this.#pathOf(name);
      if (path === undefined) continue;
      const isFile = place.statTaken(name)?.isFile() === true;
      // What is no file was never ours: it goes back, or waits here until its place is free.
      if (!isFile && mirror.directory.statOf(path) !== undefined) continue;
      if (mirror.directory.statOf(path) === undefined && (mirror.hasFile(path) || !isFile))
        await mirror.directory.read(path, async (directory, as) => place.putBack(name, directory, as));
      else await this.#settle(name, path);
    }
  }

  /** Takes in what a taken file has that the session never had; only then it is dropped. One that cannot be read stays. */
  async #settle(name: string, path: WorkspacePath): Promise<void> {
    const { core, place } = this.#parts;
    try {
      if (await this.#isKnown(name, path)) place.drop(name);
      else {
        // What it most likely was when it was replaced.
        const [newest, before] = await versionsAt(core, path, { limit: 2 });
        await this.#import(name, before ?? newest);
      }
    } catch (error) {
      skipReasonOf(error);
    }
  }

  #pathOf(name: string): WorkspacePath | undefined {
    const { core, to, mirror } = this.#parts;
    const hash = placeNamed(name);
    for (const state of [mirror.files, filesIn(core.timeline.state)])
      for (const { path } of filesUnder(state, to)) if (placeHash(path) === hash) return path;
    return undefined;
  }

  /** Does a taken file hold what the session has had at its path? */
  async #isKnown(name: string, path: WorkspacePath): Promise<boolean> {
    const { core, place } = this.#parts;
    const pace = new Pacer();
    return using(place.openTaken(name), async (file) => {
      for (const entry of await versionsAt(core, path, { limit: VERSIONS }))
        if (entry !== undefined && (await holdsContent(core.journal, file, entry.content, pace))) return true;
      return false;
    });
  }

  /** Takes in a text that was written to a file after it was replaced. `base` is what it held then. */
  async #import(name: string, base: FileBody | undefined): Promise<boolean> {
    const { core, external, place } = this.#parts;
    const path = this.#pathOf(name);
    if (path === undefined) return false;
    const pace = new Pacer();
    const body = await using(place.openTaken(name), (file) => stageFile(core.journal, file, pace));
    if (body === undefined) return false;
    const { value: obstructed } = await commitAs(core, external, "import", [path], async (draft) => {
      const entry = draft.reader(filesSlice).file(path);
      const merged = entry === undefined ? body : await mergeOutside(core, base, entry, body, pace);
      return importInto(core, draft, [{ path, body: merged }], external.now());
    });
    if (obstructed.length > 0) return false;
    place.drop(name);
    return true;
  }
}
