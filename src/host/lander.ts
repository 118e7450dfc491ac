// Owns: carrying out a landing: one at a time, its intent durable before the first byte is written, finished or taken back after.
// Must never: leave a folder between two states, once the landing is resumed.

import { HoldfastError, say, sayAll } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import {
  folderFileAt,
  foldersIn,
  foldersSlice,
  type FoldersChange,
  type FolderUpdate,
  type LandingIntent,
} from "../session/folders/folders-slice.ts";
import { landingsSlice, type LandingChange, type Landings } from "../session/landings.ts";
import { changesOf } from "../session/packed-changes.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Lease, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { placeInMount } from "./_folder-place.ts";
import type { FolderReader } from "./_folder-reader.ts";
import { revertError, strangersError, type Stranger } from "./landing-conflict.ts";
import { LandingDisk, type LandingStep } from "./_landing-disk.ts";
import type { ResolvedMount } from "./mount.ts";

const LEASE = "landing";
const LEASE_MS = 5_000;
const WAIT_MS = 15_000;
const POLL_MS = 50;

/** A landing that is over. */
export interface LandedUpdate {
  /** Its number. */
  readonly landing: number;
  /** Where the session is after it. */
  readonly position: Position;
  /** False: it was taken back, because a path had changed outside. */
  readonly isLanded: boolean;
  /** The paths that it is about. */
  readonly paths: readonly WorkspacePath[];
}

/** How far a landing is. Every file counts twice: when it is written beside its place, and when it is put there. */
export interface LandProgress {
  /** Steps that are done. */
  readonly done: number;
  /** All of them. */
  readonly total: number;
}

interface Finished extends LandedUpdate {
  /** What it was taken back for. */
  readonly strangers: readonly Stranger[];
}

type Beat = () => Promise<void>;

export class Lander {
  readonly #core: SessionCore;
  readonly #actor: Actor;
  readonly #mounts: readonly ResolvedMount[];
  readonly #reader: FolderReader;
  readonly #disk: LandingDisk;
  readonly #pace = new Pacer();

  constructor(core: SessionCore, actor: Actor, reader: FolderReader, mounts: readonly ResolvedMount[]) {
    this.#core = core;
    this.#actor = actor;
    this.#mounts = mounts;
    this.#reader = reader;
    this.#disk = new LandingDisk(core, reader);
  }

  /** The paths that an update changes, with what is there before and after. */
  async steps(before: readonly FolderFile[], { files, gone }: FolderUpdate): Promise<LandingStep[]> {
    const was = new Map(before.map((file) => [file.path, file]));
    const is = new Map(files.map((file) => [file.path, file]));
    const modes = new Map(before.map(({ id, mode }) => [id, mode]));
    return this.#pace.map(new Set([...is.keys(), ...gone]), (path) => {
      const [old, next] = [was.get(path), is.get(path)];
      const mode = next?.mode ?? (next === undefined ? undefined : modes.get(next.id));
      return {
        path,
        place: this.#placeOf(path, (next ?? old)?.mount),
        before: old,
        after: next,
        modes: { before: old?.mode, after: mode },
      };
    });
  }

  #placeOf(path: WorkspacePath, number: number | undefined): LandingStep["place"] {
    const mount = this.#mounts.find((one) => one.number === number);
    const place = mount === undefined ? undefined : placeInMount(mount, path);
    if (place !== undefined) return place;
    throw new HoldfastError(
      "conflict",
      "not_mounted",
      say`${path} lies in a folder that is not mounted now. Open the session with the mounts that it has.`,
    );
  }

  /** The paths that are not what the folders are known to hold. */
  async strangers(steps: readonly LandingStep[]): Promise<Stranger[]> {
    const found = await this.#disk.look(steps);
    const others = steps.filter((_, i) => found[i] !== "before");
    return this.#pace.map(others, (step) => this.#stranger(step));
  }

  #stranger({ path, place, before }: LandingStep): Stranger {
    const isKnown = before !== undefined;
    return { path, isKnown, obstacle: this.#reader.obstacle(place, path, isKnown) };
  }

  /**
   * Writes an update. Throws `conflict` / `changed_outside` naming all paths that are not what they were, and `conflict` / `stale_plan`
   * when the folders are known to hold something else by now; then nothing is written.
   */
  async land(
    before: readonly FolderFile[],
    update: FolderUpdate,
    more: Pick<LandingIntent, "requests" | "reverts">,
    onProgress?: (progress: LandProgress) => void,
  ): Promise<LandedUpdate> {
    const { reverts } = more;
    const refused = (strangers: readonly Stranger[]): HoldfastError =>
      reverts === undefined ? strangersError(strangers) : revertError(reverts, strangers);
    return this.#alone(async (beat) => {
      await this.#finish(beat);
      await this.#checkStale(before, update);
      const steps = await this.steps(before, update);
      const strangers = await this.strangers(steps);
      if (strangers.length > 0) throw refused(strangers);
      const places = new Map(steps.map(({ path, place }) => [path, place]));
      const noted = await this.#pace.map(before, (file) => {
        const place = places.get(file.path);
        const mode = place === undefined ? undefined : this.#disk.modeAt(place);
        return mode === undefined ? file : { ...file, mode };
      });
      const intent: FoldersChange = { slice: "folders", op: "intend", before: noted, ...update, ...more };
      const { at } = await commitAs(this.#core, this.#actor, "land_intent", null, async (draft) => {
        draft.reader(foldersSlice);
        draft.change(intent);
      });
      const done = await this.#finish(telling(beat, 2 * steps.length, onProgress));
      if (done?.isLanded === true && done.landing === at.seq) {
        const { strangers: _none, ...landed } = done;
        return landed;
      }
      throw refused(done?.strangers ?? []);
    });
  }

  async #checkStale(before: readonly FolderFile[], { files, gone }: FolderUpdate): Promise<void> {
    const folders = foldersIn(this.#core.timeline.state);
    const was = new Map(before.map((file) => [file.path, file]));
    for (const path of [...files.map((file) => file.path), ...gone]) {
      await this.#pace.step();
      if (!isSameFile(folderFileAt(folders, path), was.get(path)))
        throw new HoldfastError(
          "conflict",
          "stale_plan",
          say`${path} was landed, refreshed or mounted anew since this was planned. Nothing was written; plan again.`,
        );
    }
  }

  /** Finishes a landing that was cut off, or takes it back; undefined when there is none. */
  async resume(): Promise<LandedUpdate | undefined> {
    const state = await this.#core.timeline.catchUp();
    if (foldersIn(state).pending === undefined) return undefined;
    const done = await this.#alone((beat) => this.#finish(beat));
    if (done === undefined) return undefined;
    const { strangers: _seen, ...landed } = done;
    return landed;
  }

  /** Carries out the landing that is under way: forward when every path is before or after it, else back. */
  async #finish(beat: Beat): Promise<Finished | undefined> {
    const { pending } = foldersIn(await this.#core.timeline.catchUp());
    if (pending === undefined) return undefined;
    const { landing } = pending;
    const steps = await this.steps(pending.before, pending);
    const found = await this.#disk.look(steps);
    let failure: Error | undefined;
    let isLanded = false;
    let other = steps.find((_, i) => found[i] === "stranger");
    if (other === undefined)
      try {
        other = await this.#disk.carry(landing, steps, "after", beat);
        isLanded = other === undefined;
      } catch (error) {
        if (error instanceof LostLease || !(error instanceof Error)) throw error;
        failure = error;
      }
    // Looked at before others are put back: what is in the way may go meanwhile.
    const strangers = other === undefined ? [] : [this.#stranger(other)];
    if (!isLanded) {
      const now = await this.#disk.look(steps);
      const left = new Set(steps.filter((_, i) => now[i] === "stranger"));
      await this.#disk.carry(landing, steps, "before", beat, left);
    }
    const position = await this.#end(landing, isLanded, pending.requests);
    if (failure !== undefined) throw failure;
    return { landing, position, isLanded, paths: steps.map(({ path }) => path), strangers };
  }

  async #end(landing: number, isLanded: boolean, requests: readonly number[]): Promise<Position> {
    const end: FoldersChange = { slice: "folders", op: "end", landing, isLanded };
    const { at } = await commitAs(this.#core, this.#actor, "land", landing, async (draft) => {
      draft.reader(foldersSlice);
      await draft.prepare(end);
      draft.change(end);
      draft.targets.push(`landing:${landing}`);
      if (!isLanded) return;
      const asked: Landings = draft.reader(landingsSlice);
      for (const request of requests) {
        if (asked.get(request)?.state !== "open") continue;
        const settle: LandingChange = { slice: "landings", op: "settle", request, state: "landed" };
        draft.change(settle);
      }
    });
    return at;
  }

  /** Puts back what a landing replaced, while the folders hold what it wrote. */
  async revert(landing: number): Promise<LandedUpdate> {
    const { journal, timeline } = this.#core;
    await timeline.catchUp();
    const [record] = await journal.records({ after: landing - 1, upTo: landing, limit: 1 });
    const changes =
      record?.kind === "land_intent" && record.changes !== undefined ? await changesOf(journal, record) : [];
    const intent = (changes as readonly FoldersChange[]).find(({ op }) => op === "intend");
    if (intent?.op !== "intend")
      throw new HoldfastError(
        "not_found",
        "no_such_landing",
        say`There is no landing ${landing} that can be reverted. The result of land() names it.`,
      );
    const folders = foldersIn(timeline.state);
    const touched = [...new Set([...intent.files.map(({ path }) => path), ...intent.gone])];
    const wrote = new Map(intent.files.map((file) => [file.path, file]));
    const held = new Map(
      await this.#pace.map(touched, (path) => [path, folderFileAt(folders, path)] as const),
    );
    const isAsWritten = await this.#pace.map(touched, (path) => isSameFile(held.get(path), wrote.get(path)));
    const later = touched.filter((_, i) => !isAsWritten[i]);
    if (later.length > 0)
      throw new HoldfastError(
        "conflict",
        "landing_changed",
        say`The folders no longer hold what landing ${landing} wrote: ${sayAll(later)}. Revert later landings of them first; where a refresh brought in something else, undo the work in the session and land that.`,
        { data: { paths: later } },
      );
    const now = [...held.values()].filter((file) => file !== undefined);
    const back = new Set(intent.before.map(({ path }) => path));
    const update = { files: intent.before, gone: touched.filter((path) => !back.has(path)) };
    return this.land(now, update, { requests: [], reverts: landing });
  }

  /** Runs work while no other process lands for this session. Throws `conflict` / `landing_pending` when one does for long. */
  async #alone<T>(work: (beat: Beat) => Promise<T>): Promise<T> {
    const lease = await this.#lease();
    let isLost = false;
    const renewing = setInterval(() => {
      lease.renew(LEASE_MS).then(
        (isHeld) => (isLost ||= !isHeld),
        () => (isLost = true),
      );
    }, LEASE_MS / 4);
    try {
      return await work(async () => {
        if (isLost) throw new LostLease();
      });
    } finally {
      clearInterval(renewing);
      await lease.release();
    }
  }

  async #lease(): Promise<Lease> {
    for (const until = performance.now() + WAIT_MS; performance.now() < until;) {
      const lease = await this.#core.journal.lease(LEASE, LEASE_MS);
      if (lease !== undefined) return lease;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new HoldfastError(
      "conflict",
      "landing_pending",
      say`Another process is landing this session. Wait until it is done and try again.`,
    );
  }
}

function telling(beat: Beat, total: number, tell: ((progress: LandProgress) => void) | undefined): Beat {
  if (tell === undefined) return beat;
  let done = 0;
  return async () => {
    await beat();
    tell({ done: Math.min(done++, total), total });
  };
}

/** This process was too slow, and another may have taken over: it writes nothing more. */
class LostLease extends HoldfastError {
  constructor() {
    super(
      "conflict",
      "landing_pending",
      say`The landing was taken over by another process. Plan again to see how it ended.`,
    );
  }
}

export function isSameFile(a: FolderFile | undefined, b: FolderFile | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.id === b.id &&
    a.executable === b.executable &&
    JSON.stringify(a.content.extents) === JSON.stringify(b.content.extents)
  );
}
