// Owns: a plan as commits of git: one for each agent, with what its work needs.

import { HoldfastError, say } from "../errors.ts";
import { isUnder, type WorkspacePath } from "../path/index.ts";
import type { FileId } from "../session/files/file-change.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import { folderFileAt, foldersIn } from "../session/folders/folders-slice.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";
import type { JournalRecord } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { chosenPath } from "./_landing-choice.ts";
import { placedOffer, type LandingFile } from "./_landing-file.ts";
import { commitStages, type GitBranch, type GitCommitOptions, type GitStage } from "./git-branch.ts";
import type { ResolvedMount } from "./mount.ts";
import { landedFileSteps, type FileOffer } from "./offer-file.ts";
import { offersOf, type OfferParts, type RecordChoice } from "./offers.ts";

export interface CommittedPlan extends OfferParts {
  readonly state: SessionState;
  readonly mounts: readonly ResolvedMount[];
  readonly planned: readonly LandingFile[];
  /** Files of which some hunks are left out. */
  readonly partial: ReadonlySet<WorkspacePath>;
}

/** Makes the branch. Throws what `LandingPlan.gitCommit` says. */
export async function commitPlan(
  { core, judge, state, mounts, planned, partial }: CommittedPlan,
  { branch, folder }: GitCommitOptions,
): Promise<GitBranch> {
  const to = folder === undefined ? undefined : chosenPath(core, folder);
  const written = planned.filter(({ shown }) => to === undefined || isUnder(shown.path, to));
  const numbers = new Set(written.flatMap(({ known, after }) => [known?.mount, after?.mount]));
  numbers.delete(undefined);
  const mount = mounts.find(({ number }) => numbers.has(number));
  if (mount === undefined)
    throw new HoldfastError(
      "not_found",
      "nothing_to_land",
      say`The plan has nothing there. Plan again with other records, agents, paths or folder.`,
    );
  if (numbers.size > 1)
    throw new HoldfastError(
      "invalid_argument",
      "several_folders",
      say`The plan touches several mounted folders. Name one with folder, such as ${mount.to}, or plan only paths in one of them.`,
    );
  const folders = foldersIn(state);
  const stages = await stagesOf({ core, judge, state, mounts, planned: written, partial });
  const paths = new Set([
    ...written.flatMap(({ known, after }) => [known?.path, after?.path]),
    ...stages.flatMap(({ files }) => [...files.keys()]),
  ]);
  paths.delete(undefined);
  const before = new Map(
    [...paths].map((path) => [path as WorkspacePath, folderFileAt(folders, path as WorkspacePath)]),
  );
  // Each stage is told for all paths: what an agent moved on is no longer where another had put it.
  const whole = stages.map(({ agent, files }) => ({ agent, files: new Map([...before, ...files]) }));
  return commitStages(core, mount, branch, before, whole);
}

/** What each agent's commit changes: its work and that of those before it. The last one holds all of the plan. */
async function stagesOf(plan: CommittedPlan): Promise<GitStage[]> {
  const { core, state, planned: written } = plan;
  const records = [...new Set(written.flatMap(({ shown }) => shown.records))].toSorted((a, b) => a - b);
  const whose = new Map<string, number[]>();
  for (const { seq, agent } of await recordsOf(core, records))
    whose.set(agent, [...(whose.get(agent) ?? []), seq]);
  const agents = [...whose.keys()];
  const ids = new Set(written.map(idOf));
  const isAbout: RecordChoice["isAbout"] = ({ id }) => ids.has(id);
  const stages: GitStage[] = [];
  const chosen: number[] = [];
  const pace = new Pacer();
  for (const agent of agents.slice(0, -1)) {
    chosen.push(...(whose.get(agent) ?? []));
    const { files, added } = await offersOf(
      plan,
      state,
      foldersIn(state),
      { records: chosen, isAbout },
      pace,
    );
    // What has come along stays: no commit takes back what one before it holds.
    chosen.push(...added.map(({ record }) => record));
    stages.push({ agent, files: await stageOf(files, plan, pace) });
  }
  return [...stages, { agent: agents.at(-1) ?? "host", files: filesAfter(written) }];
}

function idOf({ known, after }: LandingFile): FileId | undefined {
  return (known ?? after)?.id;
}

/** The files after a part of the work. Of a file that lands in part, only hunks that the plan shows are in it. */
async function stageOf(
  offers: readonly FileOffer[],
  { mounts, planned, partial }: CommittedPlan,
  pace: Pacer,
): Promise<GitStage["files"]> {
  const written = new Map(planned.map((one) => [idOf(one), one]));
  const files: Pick<LandingFile, "known" | "after">[] = [];
  for (const whole of offers) {
    const { known, shown } = written.get(whole.candidate.id) ?? {};
    const placed = placedOffer(mounts, whole);
    if (shown === undefined || placed === undefined) continue;
    const { offer, mount } = placed;
    const ids = new Set(shown.hunks.map(({ id }) => id));
    const hunks = partial.has(shown.path) ? offer.hunks.filter(({ id }) => ids.has(id)) : offer.hunks;
    files.push({ known, after: await pace.run(landedFileSteps(offer, hunks, mount)) });
  }
  return filesAfter(files);
}

/** What is at the paths that these files are at before or after. */
function filesAfter(
  written: readonly Pick<LandingFile, "known" | "after">[],
): Map<WorkspacePath, FolderFile | undefined> {
  const files = new Map<WorkspacePath, FolderFile | undefined>();
  for (const { known } of written) if (known !== undefined) files.set(known.path, undefined);
  for (const { after } of written) if (after !== undefined) files.set(after.path, after);
  return files;
}

async function recordsOf({ journal }: SessionCore, seqs: readonly number[]): Promise<JournalRecord[]> {
  const found: JournalRecord[] = [];
  for (const seq of seqs) found.push(...(await journal.records({ after: seq - 1, upTo: seq, limit: 1 })));
  return found;
}
