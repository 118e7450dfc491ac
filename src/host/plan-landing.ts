// Owns: making a plan of what would be landed, and landing it.

import { HoldfastError, say } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import {
  folderFileAt,
  foldersIn,
  updateSteps,
  type FoldersState,
  type FolderUpdate,
} from "../session/folders/folders-slice.ts";
import { landingsOf, type Landings } from "../session/landings.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";
import { checkArgument, checkOptions, type OptionKinds } from "../text/options.ts";
import { Pacer, type Steps } from "../text/steps.ts";
import { sideOf } from "./compare-content.ts";
import { placeForNew } from "./_folder-place.ts";
import type { FolderReader, OutsideScan } from "./_folder-reader.ts";
import { isWanted, leftOut, chosenPath } from "./_landing-choice.ts";
import { commitPlan } from "./_plan-as-commits.ts";
import { planAsDiff, planAsNdpatch } from "./_plan-as-patch.ts";
import { withIgnored } from "./_landing-ignored.ts";
import { placedOffer, updateOf, landingFileSteps, type LandingFile } from "./_landing-file.ts";
import { folderChangesOf } from "./folder-change.ts";
import { clashesInFolder, clashesWithin, samePlaces, type NameClash } from "./_name-clashes.ts";
import type { GitCommitOptions } from "./git-branch.ts";
import { oneFileTwice, strangersError, type Stranger } from "./landing-conflict.ts";
import type { Lander } from "./lander.ts";
import type {
  DiffOptions,
  FolderObstacle,
  Landed,
  LandingChoice,
  LandingPlan,
  LandOptions,
  PlanConflict,
} from "./landing-plan.ts";
import type { ResolvedMount } from "./mount.ts";
import { offersOf, type OfferParts, type RecordChoice } from "./offers.ts";

export interface PlanParts extends OfferParts {
  readonly mounts: readonly ResolvedMount[];
  readonly reader: FolderReader;
  readonly lander: Lander;
}

export async function planLanding(parts: PlanParts, choice: LandingChoice): Promise<LandingPlan> {
  const { core } = parts;
  const { paths, leave = [], signal, onProgress, ...records } = choice;
  const pace = new Pacer(signal);
  const state = await core.timeline.catchUp();
  const folders = foldersIn(state);
  const wanted = paths?.map((path) => chosenPath(core, path));
  const isAbout: RecordChoice["isAbout"] = ({ known }, path) => isWanted(wanted, path, known?.path);
  const offers = await offersOf(parts, state, folders, { ...records, isAbout }, pace);
  const left = leftOut(core, offers.files, leave);
  const notMounted: WorkspacePath[] = [];
  const planned: LandingFile[] = [];
  const partial = new Set<WorkspacePath>();
  for (const offer of offers.files) {
    const isOnlyText = offer.kind === "change" || offer.kind === "binary" || offer.kind === "create";
    const isLeft = isOnlyText && offer.hunks.every(({ id }) => left.hunks.has(id));
    if (left.files.has(offer) || isLeft) continue;
    const placed = placedOffer(parts.mounts, offer);
    if (placed?.offer !== offer) notMounted.push(offer.path);
    if (placed === undefined) continue;
    const hunks = placed.offer.hunks.filter(({ id }) => !left.hunks.has(id));
    if (hunks.length < placed.offer.hunks.length) partial.add(offer.path);
    planned.push(await pace.run(landingFileSteps(placed, hunks)));
    await pace.step();
  }
  const update = updateOf(planned);
  const noted = await withIgnored(core, parts.mounts, planned, pace);
  const touched = [...update.files.map(({ path }) => path), ...update.gone];
  const before = (await pace.map(touched, (path) => folderFileAt(folders, path))).filter(
    (file) => file !== undefined,
  );
  const plan = new Plan(parts, state, noted, { before, update }, partial);
  const scan = await parts.reader.scan(folders, { signal, onProgress });
  const conflicts = await plan.findConflicts(folders, scan);
  return plan.with({ added: offers.added, notMounted, outside: folderChangesOf(scan), conflicts });
}

const TEXT_OPTIONS: OptionKinds<DiffOptions> = { binary: "boolean" };
const GIT_COMMIT_OPTIONS: OptionKinds<GitCommitOptions> = { branch: "string", folder: "string" };
const LAND_OPTIONS: OptionKinds<LandOptions> = { onProgress: "function" };

type Findings = Pick<LandingPlan, "added" | "notMounted" | "outside" | "conflicts">;

class Plan {
  readonly #parts: PlanParts;
  readonly #state: SessionState;
  readonly #planned: readonly LandingFile[];
  readonly #update: FolderUpdate;
  /** Files of which some hunks are left out. */
  readonly #partial: ReadonlySet<WorkspacePath>;
  readonly #before: readonly FolderFile[];
  /** New names that differ only in case from what the folders have. */
  readonly #clashes: Stranger[] = [];

  constructor(
    parts: PlanParts,
    state: SessionState,
    planned: readonly LandingFile[],
    { before, update }: { readonly before: readonly FolderFile[]; readonly update: FolderUpdate },
    partial: ReadonlySet<WorkspacePath>,
  ) {
    this.#parts = parts;
    this.#state = state;
    this.#planned = planned;
    this.#update = update;
    this.#partial = partial;
    this.#before = before;
  }

  with(found: Findings): LandingPlan {
    const { core, judge, mounts } = this.#parts;
    const [state, planned] = [this.#state, this.#planned];
    const files = planned.map(({ shown }) => shown);
    return Object.freeze({
      ...found,
      position: state.at,
      files,
      isEmpty: files.length === 0,
      text: async (how: DiffOptions = {}) => {
        checkOptions(say`text`, how, TEXT_OPTIONS);
        return planAsDiff(core, planned, how);
      },
      ndpatch: () => planAsNdpatch(core, planned),
      gitCommit: async (options: GitCommitOptions) => {
        checkOptions(say`gitCommit`, options ?? {}, GIT_COMMIT_OPTIONS);
        checkArgument(say`gitCommit: branch`, options?.branch, "string");
        refuseObstacles(core, found.conflicts, options);
        return commitPlan({ core, judge, state, mounts, planned, partial: this.#partial }, options);
      },
      land: async (how: LandOptions = {}) => {
        checkOptions(say`land`, how, LAND_OPTIONS);
        return this.#land(found.conflicts, how);
      },
    });
  }

  /** What is in the way: files of the plan and of the folders, and what changed outside. */
  async findConflicts(folders: FoldersState, outside: OutsideScan): Promise<PlanConflict[]> {
    const { core, lander, reader } = this.#parts;
    const pace = new Pacer();
    const moved = new Set(this.#planned.map(({ known }) => known?.path));
    const conflicts: PlanConflict[] = [];
    const steps = await lander.steps(this.#before, this.#update);
    const stepAt = new Map(steps.map((step) => [step.path, step]));
    const add = async (
      path: WorkspacePath,
      reason: PlanConflict["reason"],
      obstacle?: FolderObstacle,
    ): Promise<void> => {
      const step = stepAt.get(path);
      conflicts.push({
        path,
        reason,
        ...(obstacle === undefined ? {} : { obstacle }),
        base: await sideOf(core, folderFileAt(folders, path)),
        session: await sideOf(core, step?.after),
        folder: step === undefined || obstacle !== undefined ? null : reader.side(step.place),
      });
      await pace.step();
    };
    const inUse = new Set<WorkspacePath>();
    for (const { path, id } of this.#update.files) {
      const there = folderFileAt(folders, path);
      if (there !== undefined && there.id !== id && !moved.has(path)) inUse.add(path);
      await pace.step();
    }
    for (const path of inUse) await add(path, "path_in_use");
    for (const { path, by } of await pace.run(clashesWithin(this.#update.files.map(({ path }) => path)))) {
      inUse.add(path);
      await add(path, "path_in_use", { path: by, what: "file" });
    }
    for (const { path, by } of await pace.run(samePlaces(steps))) {
      inUse.add(path);
      await add(path, "path_in_use", { path: by, what: "same_file" });
    }
    for (const { path, by } of await pace.run(this.#clashesInFolder(folders, outside))) {
      if (inUse.has(path)) continue;
      inUse.add(path);
      await add(path, "in_the_way", { path: by, what: "file" });
      const isKnown = folderFileAt(folders, path) !== undefined;
      this.#clashes.push({ path, isKnown, obstacle: { path: by, what: "file" } });
    }
    for (const { path, obstacle } of await lander.strangers(steps))
      if (!inUse.has(path))
        await add(path, obstacle === undefined ? "changed_outside" : "in_the_way", obstacle);
    return conflicts;
  }

  /** Of names that the folders do not have, or not any more. */
  #clashesInFolder(
    { files }: FoldersState,
    { created, deleted, unreadable }: OutsideScan,
  ): Steps<NameClash[]> {
    const written = new Set(this.#update.files.map(({ path }) => path));
    const changed = new Set([...written, ...this.#update.gone]);
    const there = new Set(this.#before.map(({ path }) => path));
    for (const { path } of deleted) there.delete(path);
    function* staying(): Generator<WorkspacePath, void, undefined> {
      for (const [, { path }] of files.entries()) if (!changed.has(path)) yield path;
      for (const { path } of created) yield path;
      // A twin of a file that the folder had is there still when that one goes.
      for (const { path, reason } of unreadable) if (reason === "case_clash") yield path;
    }
    return clashesInFolder(
      [...written].filter((path) => !there.has(path)),
      staying(),
    );
  }

  async #land(conflicts: readonly PlanConflict[], { onProgress }: LandOptions): Promise<Landed> {
    const { core, lander } = this.#parts;
    const [inUse] = conflicts.filter(({ reason }) => reason === "path_in_use");
    if (this.#planned.length === 0)
      throw new HoldfastError(
        "not_found",
        "nothing_to_land",
        say`The plan is empty. Choose other records, agents or paths.`,
      );
    if (inUse !== undefined)
      throw new HoldfastError(
        "conflict",
        "path_in_use",
        inUse.obstacle === undefined
          ? say`${inUse.path} is another file in the folder, which this plan neither moves nor deletes. Nothing was written; land that file too.`
          : inUse.obstacle.what === "same_file"
            ? say`${oneFileTwice(inUse.path, inUse.obstacle.path)} Nothing was written.`
            : say`${inUse.path} and ${inUse.obstacle.path} are files of this plan that leave no place for each other. Nothing was written; choose more records, or leave one of the files out.`,
      );
    if (this.#clashes.length > 0) throw strangersError(this.#clashes);
    if (conflicts.length > 0) {
      const still = await lander.strangers(await lander.steps(this.#before, this.#update));
      if (still.length > 0) throw strangersError(still);
    }
    const requests = await this.#requestsDone(core);
    const { landing, position } = await lander.land(this.#before, this.#update, { requests }, onProgress);
    return { landing, files: this.#planned.map(({ shown }) => shown), requests, position };
  }

  /** Open requests of which nothing is left once this has landed. */
  async #requestsDone(core: SessionCore): Promise<number[]> {
    const open = landingsOf(this.#state.slices.get("landings") as Landings).filter(
      ({ state }) => state === "open",
    );
    if (open.length === 0) return [];
    const pace = new Pacer();
    const folders = { files: await pace.run(updateSteps(foldersIn(this.#state).files, this.#update)) };
    const { files } = await offersOf(this.#parts, this.#state, folders, {} satisfies RecordChoice, pace);
    const isLeft = (path: WorkspacePath): boolean => placeForNew(this.#parts.mounts, path) !== undefined;
    const left = files.filter(({ path, candidate }) => candidate.known !== undefined || isLeft(path));
    return open
      .filter(({ agent, request, paths }) => {
        const wanted = paths.length === 0 ? undefined : paths.map((path) => chosenPath(core, path));
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
}

/** Who checks the branch out would lose what is in the way, or not get the file. */
function refuseObstacles(
  core: SessionCore,
  conflicts: readonly PlanConflict[],
  { folder }: GitCommitOptions,
): void {
  const wanted = folder === undefined ? undefined : [chosenPath(core, folder)];
  const found = conflicts.filter(({ path, obstacle }) => obstacle !== undefined && isWanted(wanted, path));
  if (found.length === 0) return;
  throw strangersError(found.map(({ path, obstacle, base }) => ({ path, obstacle, isKnown: base !== null })));
}
