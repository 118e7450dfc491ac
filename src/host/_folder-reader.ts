// Owns: comparing the mounted folders with what the session knows they hold.
// Must never: write, or take what cannot be read for something that is gone.

import { closeSync, readFileSync, type BigIntStats } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { comparePaths, joinPath, parentOf, type WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import { folderFileAt, type FoldersState } from "../session/folders/folders-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Content } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { utf8Text, type TextSide } from "./compare-content.ts";
import { OpenWays } from "./_directories.ts";
import { placeOfFile, type FolderPlace } from "./_folder-place.ts";
import { layMountsSteps } from "./_lay-mounts.ts";
import { holdsContent, holdsPart, isExecutable } from "./_outside-file.ts";
import {
  isLeftOut,
  openTop,
  openWay,
  scanMount,
  skipReasonOf,
  type MountFile,
  type Scanned,
  type ScanRules,
} from "./_scan-mount.ts";
import type { FolderObstacle, LandingChoice, ObstacleKind } from "./landing-plan.ts";
import type { ResolvedMount, SkipReason } from "./mount.ts";
import type { PinnedFile } from "./pinned-directory.ts";
import { isRested, isSamePrint, printOf, type Print } from "./_stat-index.ts";
import { useStored } from "./_stored-files.ts";

/** What a look at one file finds: as it was, other content or mode, nothing, or something that cannot be read. */
export type Look = "same" | "changed" | "gone" | SkipReason;

/** What differs in the folders from what the session knows, in path order. */
export interface OutsideScan {
  readonly changed: readonly MountFile[];
  readonly created: readonly MountFile[];
  readonly deleted: readonly FolderFile[];
  readonly unreadable: readonly { readonly path: WorkspacePath; readonly reason: SkipReason }[];
}

type ScanHow = { readonly [Name in "signal" | "onProgress"]?: LandingChoice[Name] | undefined };

export class FolderReader {
  readonly #core: SessionCore;
  readonly #mounts: readonly ResolvedMount[];
  /** The print with which a file was last seen to be what the session knows. */
  readonly #seen = new WeakMap<FolderFile, Print>();

  constructor(core: SessionCore, mounts: readonly ResolvedMount[]) {
    this.#core = core;
    this.#mounts = mounts;
  }

  /** Looks at all mounts. Files whose stat is as it was when they were compared last are not read again. */
  async scan(folders: FoldersState, { signal, onProgress }: ScanHow = {}): Promise<OutsideScan> {
    const { limits, names, journal } = this.#core;
    const pace = new Pacer(signal);
    const scans: Scanned[] = [];
    const stats = new Map<FolderPlace, BigIntStats>();
    const { size: known } = folders.files;
    let done = 0;
    let total = 2 * known;
    const count = (): void => onProgress?.({ done: ++done, total: Math.max(done, total) });
    const progress: ScanRules["progress"] = (file, stat) => {
      stats.set(file, stat);
      count();
    };
    for (const mount of this.#mounts) scans.push(await scanMount(mount, { limits, names, pace, progress }));
    total = done + known;
    const isKnown = ({ path }: MountFile): boolean => folderFileAt(folders, path) !== undefined;
    const found = new Map((await pace.run(layMountsSteps(scans, isKnown))).map((file) => [file.path, file]));
    const unsure: { readonly file: FolderFile; readonly place: FolderPlace; readonly content: Content }[] =
      [];
    for (const [, file] of folders.files.entries()) {
      const place = found.get(file.path) ?? placeOfFile(this.#mounts, file);
      if (place === undefined || this.#isSeen(file, stats.get(place))) count();
      else unsure.push({ file, place, content: file.content });
      await pace.step();
    }
    const changed: MountFile[] = [];
    const deleted: FolderFile[] = [];
    const unreadable: { path: WorkspacePath; reason: SkipReason }[] = [];
    const ways = new OpenWays();
    const looks = useStored(journal, unsure, async ({ file, place, content }, source, from) => {
      const look = await this.#look(ways, place, file, (opened) =>
        holdsPart(opened, source, from, content.size, pace),
      );
      if (look === "changed") changed.push(found.get(file.path) ?? mountFile(place, file));
      else if (look === "gone") deleted.push(file);
      else if (look !== "same") unreadable.push({ path: file.path, reason: look });
      count();
    });
    await looks.finally(() => ways.close());
    for (const { files, skipped } of scans) {
      const clashing = new Set(
        skipped.filter(({ reason }) => reason === "case_clash").map(({ path }) => path),
      );
      for (const { path, shown } of clashing.size === 0 ? [] : files)
        if (clashing.has(shown) && folderFileAt(folders, path) === undefined)
          unreadable.push({ path, reason: "case_clash" });
    }
    const created = [...found.values()].filter(({ path }) => folderFileAt(folders, path) === undefined);
    changed.sort((a, b) => comparePaths(a.path, b.path));
    return { changed, created, deleted, unreadable };
  }

  #isSeen(file: FolderFile, stat: BigIntStats | undefined): boolean {
    const seen = this.#seen.get(file);
    return seen !== undefined && stat !== undefined && isSamePrint(stat, seen);
  }

  /** Is a file what is expected there? It is read. */
  async look(place: FolderPlace, expected: FolderFile, pace: Pacer): Promise<Look> {
    const ways = new OpenWays();
    const { journal } = this.#core;
    const look = this.#look(ways, place, expected, (file) =>
      holdsContent(journal, file, expected.content, pace),
    );
    return look.finally(() => ways.close());
  }

  async #look(
    ways: OpenWays,
    place: FolderPlace,
    expected: FolderFile,
    holds: (file: PinnedFile) => Promise<boolean>,
  ): Promise<Look> {
    const now = Date.now();
    let opened: PinnedFile;
    try {
      const directory = ways.find(place);
      const stat = directory?.stat(place.name);
      // A directory where a file was: the file is not there any more.
      if (directory === undefined || stat === undefined || stat.isDirectory()) return "gone";
      opened = directory.openFile(place.name);
    } catch (error) {
      return lookOf(error);
    }
    try {
      const isSame = isExecutable(opened.stat) === expected.executable && (await holds(opened));
      if (isSame && isRested(opened.stat, now)) this.#seen.set(expected, printOf(opened.stat));
      return isSame ? "same" : "changed";
    } finally {
      closeSync(opened.fd);
    }
  }

  /** What is at the place of a path, or above it, that no refresh takes in; undefined: nothing, or a file that one does. */
  obstacle(place: FolderPlace, path: WorkspacePath, isKnown: boolean): FolderObstacle | undefined {
    const { mount, way, name } = place;
    const names = [...way.slice(mount.way.length), name];
    let at = path;
    for (let depth = 1; depth < names.length; depth++) at = parentOf(at) ?? at;
    let here = openTop(mount);
    try {
      for (const [depth, next] of names.slice(0, -1).entries()) {
        const stat = here.stat(next);
        if (stat === undefined) return undefined;
        if (!stat.isDirectory()) return { path: at, what: kindOf(stat) };
        const above = here;
        here = above.enter(next);
        above.close();
        at = joinPath(at, names[depth + 1] as string, { limits: this.#core.limits, names: this.#core.names });
      }
      const stat = here.stat(name);
      if (stat === undefined) return undefined;
      if (!stat.isFile()) return { path, what: kindOf(stat) };
      closeSync(here.openFile(name, { maxBytes: this.#core.limits.fileBytes }).fd);
      return !isKnown && isLeftOut(mount, names) ? { path, what: "ignored" } : undefined;
    } catch (error) {
      const what = skipReasonOf(error);
      const isSaid = what === "multiple_links" || what === "too_large" || what === "symlink";
      return what === undefined ? undefined : { path: at, what: isSaid ? what : "unreadable" };
    } finally {
      here.close();
    }
  }

  /** What is at a place, to be shown; null where there is no file that can be read. */
  side({ mount, way, name }: FolderPlace): TextSide | null {
    try {
      const directory = openWay(mount, way);
      try {
        const { fd, stat } = directory.openFile(name);
        try {
          const size = Number(stat.size);
          if (size > this.#core.limits.diffBytes) return { size };
          const text = utf8Text(readFileSync(fd));
          return { size, ...(text === undefined ? {} : { text }) };
        } finally {
          closeSync(fd);
        }
      } finally {
        directory.close();
      }
    } catch (error) {
      if (HoldfastError.is(error)) return null;
      throw error;
    }
  }
}

function kindOf(stat: BigIntStats): ObstacleKind {
  if (stat.isSymbolicLink()) return "symlink";
  return stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "special_file";
}

/** What a refusal of the walk says of a file. */
function lookOf(error: unknown): Look {
  // A file where a directory was: nothing can be below it.
  if (HoldfastError.is(error) && error.reason === "not_a_directory") return "gone";
  return skipReasonOf(error) ?? "gone";
}

function mountFile({ mount, way, name }: FolderPlace, { path, content }: FolderFile): MountFile {
  return {
    mount,
    path,
    way,
    name,
    size: content.size,
    shown: [...way.slice(mount.way.length), name].join("/"),
  };
}
