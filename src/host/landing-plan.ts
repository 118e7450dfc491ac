// Owns: a plan of what would be landed: everything it would write, shown before it does.

import { HoldfastError, echo, say } from "../errors.ts";
import { isUnder, parsePath, relativePath, type WorkspacePath } from "../path/index.ts";
import { createPatch, formatPatch } from "../patch/create.ts";
import { fileDiffSteps, type FileSideOfDiff } from "../patch/unified-write.ts";
import { entryKey } from "../session/files/file-state.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import {
  folderFileAt,
  foldersIn,
  type FoldersState,
  type FolderUpdate,
} from "../session/folders/folders-slice.ts";
import { landingsOf, type Landings } from "../session/landings.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";
import type { JournalRecord, Position } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { sideOf, type TextSide } from "./compare-content.ts";
import { placeForNew, placeInMount } from "./_folder-place.ts";
import type { FolderReader } from "./_folder-reader.ts";
import { commitStages, type GitBranch, type GitCommitOptions, type GitStage } from "./git-branch.ts";
import { changedOutside, type Lander } from "./lander.ts";
import {
  wholeBytes,
  landedFile,
  type FileOffer,
  type OfferedHunk,
  type PlanHunk,
  type PlanKind,
} from "./offer-file.ts";
import { offersOf, type AddedRecord, type RecordChoice } from "./offers.ts";
import { folderChangesOf, type FolderChange } from "./folder-change.ts";
import type { ResolvedMount } from "./mount.ts";

/** What to land. Left out, everything; parts given together must all hold. */
export interface LandingChoice {
  /** Numbers of records. What they need comes along. */
  readonly records?: readonly number[];
  /** Ids of agents: their records. */
  readonly agents?: readonly string[];
  /** Files and directories. */
  readonly paths?: readonly string[];
  /** Ids of hunks, files and directories that are left out. They stay offered. */
  readonly leave?: readonly string[];
}

/** A file that would be written. */
export interface PlanFile {
  /** Where it is in the workspace; of a deletion, where it was. */
  readonly path: WorkspacePath;
  /** Where a renamed file is in the folder. */
  readonly from?: WorkspacePath;
  /** What becomes of it. All but `change` and the text of a `rename` are taken or left as a whole, by their path. */
  readonly kind: PlanKind;
  /** What changes in its text. */
  readonly hunks: readonly PlanHunk[];
  /** Who made the differences. */
  readonly agents: readonly string[];
  /** Their records, oldest first. */
  readonly records: readonly number[];
  /** Is it executable afterwards? */
  readonly executable: boolean;
}

/** A path that cannot be written. */
export interface PlanConflict {
  /** The path. */
  readonly path: WorkspacePath;
  /** `changed_outside`: the folder does not hold what it held. `path_in_use`: another file there would have to be moved or deleted too. */
  readonly reason: "changed_outside" | "path_in_use";
  /** What the folder held; null where there was no file. */
  readonly base: TextSide | null;
  /** What would be written; null for a deletion. */
  readonly session: TextSide | null;
  /** What the folder holds now; null where there is no file that can be read. */
  readonly folder: TextSide | null;
}

/** What a landing wrote. */
export interface Landed {
  /** Names it for `revertLanding`. */
  readonly landing: number;
  /** The files that were written. */
  readonly files: readonly PlanFile[];
  /** Landing requests that nothing is left of. They are settled as landed. */
  readonly requests: readonly number[];
  /** Where the session is after it. */
  readonly position: Position;
}

/** Everything that a landing would write. It does not change any more, whatever agents do meanwhile. */
export interface LandingPlan {
  /** The position that it was made at. */
  readonly position: Position;
  /** What would be written, in path order. */
  readonly files: readonly PlanFile[];
  /** Records that come along because a chosen one needs them. */
  readonly added: readonly AddedRecord[];
  /** What is in the way. While there is one, nothing can be landed. */
  readonly conflicts: readonly PlanConflict[];
  /** Files that differ and lie in no mounted folder. */
  readonly notMounted: readonly WorkspacePath[];
  /** All that changed in the folders meanwhile, whether it is in the way or not. */
  readonly outside: readonly FolderChange[];
  /** Nothing would be written. */
  readonly isEmpty: boolean;
  /**
   * The plan as a unified diff, which `git apply` and `patch -p1` take in the folder that is mounted as the workspace. Files that are not
   * text are named without their bytes.
   */
  text(): Promise<string>;
  /** The plan as an ndpatch. A renamed file is removed and created. Throws `invalid_argument` / `binary` for files that are not text. */
  ndpatch(): Promise<string>;
  /**
   * The plan as commits on a new branch at HEAD of the repository that the folder lies in: one for each agent, which is its author, with
   * what its work needs. Work tree, index and the branch that is checked out stay as they are, and nothing counts as landed. Needs git;
   * filters that the repository's attributes name run as for `git add`, hooks do not. Throws `conflict` / `differs_from_head` when the
   * folder holds changes of these files that are not committed, `branch_exists`, `no_repository` or `no_commits`.
   *
   * @example await (await session.plan()).gitCommit({ branch: "agents/fix" });
   */
  gitCommit(options: GitCommitOptions): Promise<GitBranch>;
  /**
   * Writes exactly what the plan shows. Throws `conflict` / `changed_outside` with all paths that are not what they were,
   * `conflict` / `path_in_use`, or `conflict` / `stale_plan` when something was landed or refreshed since; then nothing is written.
   *
   * @example
   * const plan = await session.plan({ agents: ["planner"] });
   * const { landing } = await plan.land();
   */
  land(): Promise<Landed>;
}

export interface PlanParts {
  readonly core: SessionCore;
  readonly mounts: readonly ResolvedMount[];
  readonly reader: FolderReader;
  readonly lander: Lander;
}

/** One file that is to be written: what is shown of it, and what the folder holds then. */
interface Written {
  readonly shown: PlanFile;
  readonly known: FolderFile | undefined;
  readonly after: FolderFile | undefined;
}

export async function planLanding(parts: PlanParts, choice: LandingChoice): Promise<LandingPlan> {
  const { core } = parts;
  const pace = new Pacer();
  const state = await core.timeline.catchUp();
  const folders = foldersIn(state);
  const { paths, leave = [], ...records } = choice;
  const wanted = paths?.map((path) => pathOf(core, path));
  const offers = await offersOf(core, state, folders, records, pace);
  const inPaths = offers.files.filter(({ path, candidate }) => isWanted(wanted, path, candidate.known?.path));
  const left = leftOut(core, inPaths, leave);
  const notMounted: WorkspacePath[] = [];
  const written: Written[] = [];
  const partial = new Set<WorkspacePath>();
  for (const offer of inPaths) {
    const hunks = offer.hunks.filter(({ id }) => !left.hunks.has(id));
    const isWhole = offer.kind === "change" || offer.kind === "binary" || offer.kind === "create";
    if (left.files.has(offer) || (isWhole && hunks.length === 0)) continue;
    const mount = mountFor(parts, offer);
    if (hunks.length < offer.hunks.length) partial.add(offer.path);
    if (mount === undefined) notMounted.push(offer.path);
    else written.push(writtenOf(offer, hunks, mount));
  }
  const update = updateOf(written);
  const plan = new Plan(parts, state, written, update, partial);
  const conflicts = await plan.findConflicts(folders);
  const outside = folderChangesOf(await parts.reader.scan(folders));
  return plan.with({ added: offers.added, notMounted, outside, conflicts });
}

function pathOf({ limits, names }: SessionCore, text: string): WorkspacePath {
  return parsePath(text, { kind: "any", allowRoot: true, limits, names });
}

function isWanted(
  wanted: readonly WorkspacePath[] | undefined,
  ...paths: readonly (WorkspacePath | undefined)[]
): boolean {
  return (
    wanted === undefined ||
    paths.some((path) => path !== undefined && wanted.some((one) => isUnder(path, one)))
  );
}

interface LeftOut {
  readonly hunks: ReadonlySet<string>;
  readonly files: ReadonlySet<FileOffer>;
}

/** Throws `invalid_argument` / `unknown_hunk` for what names nothing of the plan: it may have changed since it was shown. */
function leftOut(core: SessionCore, offers: readonly FileOffer[], leave: readonly string[]): LeftOut {
  const ids = new Set(offers.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
  const hunks = new Set<string>();
  const files = new Set<FileOffer>();
  for (const name of leave) {
    const found = offers.filter((offer) => isLeft(core, offer, name));
    if (ids.has(name)) hunks.add(name);
    else for (const offer of found) files.add(offer);
    if (ids.has(name) || found.length > 0) continue;
    throw new HoldfastError(
      "invalid_argument",
      "unknown_hunk",
      say`leave: ${echo(name)} is neither a hunk nor a path of this plan. Its lines may have changed: plan again and look.`,
    );
  }
  return { hunks, files };
}

function isLeft(core: SessionCore, { path, candidate }: FileOffer, name: string): boolean {
  try {
    return isWanted([pathOf(core, name)], path, candidate.known?.path);
  } catch {
    return false;
  }
}

/** The mount that a file is written to; undefined where there is none. */
function mountFor({ mounts, reader }: PlanParts, { path, candidate, target }: FileOffer): number | undefined {
  const { known } = candidate;
  if (known !== undefined && reader.placeOf(known) === undefined) return undefined;
  if (known !== undefined && (known.path === path || !target.exists)) return known.mount;
  const home = mounts.find(({ number }) => number === known?.mount);
  const place = placeForNew(mounts, path) ?? (home === undefined ? undefined : placeInMount(home, path));
  return place?.mount.number;
}

function writtenOf(offer: FileOffer, hunks: readonly OfferedHunk[], mount: number): Written {
  const { path, kind, candidate, target } = offer;
  const { known } = candidate;
  const isWhole = kind !== "change" || hunks.length === offer.hunks.length;
  const own = isWhole ? offer : { agents: unique(hunks, "agents"), records: unique(hunks, "records") };
  return {
    known,
    after: landedFile(offer, hunks, mount),
    shown: {
      path,
      ...(kind === "rename" && known !== undefined ? { from: known.path } : {}),
      kind,
      hunks: hunks
        .filter(({ text }) => text !== "")
        .map(({ id, text, agents, records }) => ({ id, text, agents, records })),
      agents: own.agents as readonly string[],
      records: own.records as readonly number[],
      executable: target.executable,
    },
  };
}

function unique(hunks: readonly OfferedHunk[], what: "agents" | "records"): readonly (string | number)[] {
  return [...new Set<string | number>(hunks.flatMap((hunk) => hunk[what] as readonly (string | number)[]))];
}

function updateOf(written: readonly Written[]): FolderUpdate {
  const files = written.map(({ after }) => after).filter((file) => file !== undefined);
  const paths = new Set(files.map(({ path }) => path));
  const gone = written
    .filter(({ known, after }) => known !== undefined && known.path !== after?.path && !paths.has(known.path))
    .map(({ known }) => (known as FolderFile).path);
  return { files, gone };
}

type Findings = Pick<LandingPlan, "added" | "notMounted" | "outside" | "conflicts">;

class Plan {
  readonly #parts: PlanParts;
  readonly #state: SessionState;
  readonly #written: readonly Written[];
  readonly #update: FolderUpdate;
  /** Files of which some hunks are left out. */
  readonly #partial: ReadonlySet<WorkspacePath>;
  readonly #before: readonly FolderFile[];

  constructor(
    parts: PlanParts,
    state: SessionState,
    written: readonly Written[],
    update: FolderUpdate,
    partial: ReadonlySet<WorkspacePath>,
  ) {
    this.#parts = parts;
    this.#state = state;
    this.#written = written;
    this.#update = update;
    this.#partial = partial;
    const folders = foldersIn(state);
    this.#before = [...update.files.map(({ path }) => path), ...update.gone]
      .map((path) => folderFileAt(folders, path))
      .filter((file) => file !== undefined);
  }

  with(found: Findings): LandingPlan {
    const files = this.#written.map(({ shown }) => shown);
    return Object.freeze({
      ...found,
      position: this.#state.at,
      files,
      isEmpty: files.length === 0,
      text: () => this.#text(),
      ndpatch: () => this.#ndpatch(),
      gitCommit: (options: GitCommitOptions) => this.#gitCommit(options),
      land: () => this.#land(found.conflicts),
    });
  }

  /** What is in the way: other files of the folders, and what changed outside. */
  async findConflicts(folders: FoldersState): Promise<PlanConflict[]> {
    const { core, lander, reader } = this.#parts;
    const moved = new Set(this.#written.map(({ known }) => known?.path));
    const conflicts: PlanConflict[] = [];
    const add = async (path: WorkspacePath, reason: PlanConflict["reason"]): Promise<void> => {
      const after = this.#update.files.find((file) => file.path === path);
      const step = lander.steps(this.#before, this.#update).find((one) => one.path === path);
      conflicts.push({
        path,
        reason,
        base: await sideOf(core, folderFileAt(folders, path)),
        session: await sideOf(core, after),
        folder: step === undefined ? null : reader.side(step.place),
      });
    };
    const inUse = this.#update.files.filter(({ path, id }) => {
      const there = folderFileAt(folders, path);
      return there !== undefined && there.id !== id && !moved.has(path);
    });
    for (const { path } of inUse) await add(path, "path_in_use");
    const steps = lander.steps(this.#before, this.#update);
    for (const { path } of await lander.strangers(steps))
      if (!inUse.some((one) => one.path === path)) await add(path, "changed_outside");
    return conflicts;
  }

  async #land(conflicts: readonly PlanConflict[]): Promise<Landed> {
    const { core, lander } = this.#parts;
    const [inUse] = conflicts.filter(({ reason }) => reason === "path_in_use");
    if (this.#written.length === 0)
      throw new HoldfastError(
        "not_found",
        "nothing_to_land",
        say`The plan is empty. Choose other records, agents or paths.`,
      );
    if (inUse !== undefined)
      throw new HoldfastError(
        "conflict",
        "path_in_use",
        say`${inUse.path} is another file in the folder, which this plan neither moves nor deletes. Nothing was written; land that file too.`,
      );
    if (conflicts.length > 0) {
      const still = await lander.strangers(lander.steps(this.#before, this.#update));
      if (still.length > 0) throw changedOutside(still.map(({ path }) => path));
    }
    const requests = await this.#requestsDone(core);
    const { landing, position } = await lander.land(this.#before, this.#update, { requests });
    return { landing, files: this.#written.map(({ shown }) => shown), requests, position };
  }

  /** Open requests of which nothing is left once this has landed. */
  async #requestsDone(core: SessionCore): Promise<number[]> {
    const open = landingsOf(this.#state.slices.get("landings") as Landings).filter(
      ({ state }) => state === "open",
    );
    if (open.length === 0) return [];
    const folders = foldersAfter(foldersIn(this.#state), this.#update);
    const { files } = await offersOf(core, this.#state, folders, {} satisfies RecordChoice, new Pacer());
    const isLeft = (path: WorkspacePath): boolean => placeForNew(this.#parts.mounts, path) !== undefined;
    const left = files.filter(({ path, candidate }) => candidate.known !== undefined || isLeft(path));
    return open
      .filter(({ agent, request, paths }) => {
        const wanted = paths.length === 0 ? undefined : paths.map((path) => pathOf(core, path));
        return !left.some(
          ({ path, hunks, agents, records, kind }) =>
            isWanted(wanted, path) &&
            (kind === "change" ? hunks : [{ agents, records }]).some(
              (part) => part.agents.includes(agent) && part.records.some((seq) => seq <= request),
            ),
        );
      })
      .map(({ request }) => request);
  }

  async #text(): Promise<string> {
    const pace = new Pacer();
    let text = "";
    for (const { known, after } of this.#written) {
      const [before, then] = [await this.#side(known), await this.#side(after)];
      text += await pace.run(fileDiffSteps(before, then));
    }
    return text;
  }

  async #gitCommit({ branch, folder }: GitCommitOptions): Promise<GitBranch> {
    const { core, mounts } = this.#parts;
    const to = folder === undefined ? undefined : pathOf(core, folder);
    const written = this.#written.filter(({ shown }) => to === undefined || isUnder(shown.path, to));
    const numbers = new Set(written.flatMap(({ known, after }) => [known?.mount, after?.mount]));
    numbers.delete(undefined);
    const mount = mounts.find(({ number }) => numbers.has(number));
    if (mount === undefined)
      throw new HoldfastError(
        "not_found",
        "nothing_to_land",
        say`The plan has nothing there. Choose something else.`,
      );
    if (numbers.size > 1)
      throw new HoldfastError(
        "invalid_argument",
        "several_folders",
        say`The plan touches several mounted folders. Name one with folder, such as ${mount.to}.`,
      );
    const folders = foldersIn(this.#state);
    const before = stageFiles(written, (path) => folderFileAt(folders, path));
    return commitStages(core, mount, branch, before, await this.#stages(written, before));
  }

  /** What each agent's commit holds: its work and that of those before it. The last one holds all of the plan. */
  async #stages(
    written: readonly Written[],
    before: ReadonlyMap<WorkspacePath, FolderFile | undefined>,
  ): Promise<GitStage[]> {
    const { core } = this.#parts;
    const records = [...new Set(written.flatMap(({ shown }) => shown.records))].toSorted((a, b) => a - b);
    const whose = new Map<string, number[]>();
    for (const { seq, agent } of await recordsOf(core, records))
      whose.set(agent, [...(whose.get(agent) ?? []), seq]);
    const agents = [...whose.keys()];
    const stages: GitStage[] = [];
    const chosen: number[] = [];
    for (const agent of agents.slice(0, -1)) {
      chosen.push(...(whose.get(agent) ?? []));
      const { files } = await offersOf(
        core,
        this.#state,
        foldersIn(this.#state),
        { records: chosen },
        new Pacer(),
      );
      stages.push({ agent, files: this.#stage(files, written, before) });
    }
    const all = new Map(before);
    for (const path of all.keys()) all.set(path, undefined);
    for (const { after } of written) if (after !== undefined) all.set(after.path, after);
    return [...stages, { agent: agents.at(-1) ?? "host", files: all }];
  }

  /** The files after a part of the work. Of a file that lands in part, only hunks that the plan shows are in it. */
  #stage(
    offers: readonly FileOffer[],
    written: readonly Written[],
    before: ReadonlyMap<WorkspacePath, FolderFile | undefined>,
  ): GitStage["files"] {
    const files = new Map(before);
    const planned = new Map(written.map((one) => [(one.known ?? one.after)?.id, one]));
    for (const offer of offers) {
      const { known, shown } = planned.get(offer.candidate.id) ?? {};
      if (shown === undefined) continue;
      const ids = new Set(shown.hunks.map(({ id }) => id));
      const hunks = this.#partial.has(shown.path) ? offer.hunks.filter(({ id }) => ids.has(id)) : offer.hunks;
      const after = landedFile(offer, hunks, known?.mount ?? 0);
      if (known !== undefined && known.path !== after?.path) files.set(known.path, undefined);
      if (after !== undefined) files.set(after.path, after);
    }
    return files;
  }

  async #side(file: FolderFile | undefined): Promise<FileSideOfDiff | undefined> {
    if (file === undefined) return undefined;
    const { path, executable, encoding, content } = file;
    return {
      path,
      executable,
      isBinary: encoding === "binary",
      bytes: await wholeBytes(this.#parts.core, content),
    };
  }

  async #ndpatch(): Promise<string> {
    const [before, after] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    for (const { known, after: then } of this.#written) {
      if (known !== undefined)
        before.set(relativePath(known.path), await wholeBytes(this.#parts.core, known.content));
      if (then !== undefined)
        after.set(relativePath(then.path), await wholeBytes(this.#parts.core, then.content));
    }
    return formatPatch(createPatch(before, after, { limits: this.#parts.core.limits }));
  }
}

/** All paths that files are at before or after, with what is there. */
function stageFiles(
  written: readonly Written[],
  at: (path: WorkspacePath) => FolderFile | undefined,
): Map<WorkspacePath, FolderFile | undefined> {
  const files = new Map<WorkspacePath, FolderFile | undefined>();
  for (const { known, after } of written)
    for (const file of [known, after]) if (file !== undefined) files.set(file.path, at(file.path));
  return files;
}

async function recordsOf({ journal }: SessionCore, seqs: readonly number[]): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  for (const seq of seqs) found.push(...(await journal.records({ after: seq - 1, upTo: seq, limit: 1 })));
  return found;
}

function foldersAfter(folders: FoldersState, { files, gone }: FolderUpdate): FoldersState {
  let next = folders.files;
  for (const path of gone) next = next.delete(entryKey(path));
  for (const file of files) next = next.set(entryKey(file.path), file);
  return { files: next };
}
