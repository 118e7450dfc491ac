// Owns: everything that differs between the folders and the session for a choice of records, closed under what that needs.
// Must never: touch the disk.

import type { WorkspacePath } from "../path/index.ts";
import { entriesById, type FileEntry, type FilesState } from "../session/files/file-state.ts";
import type { StepRecord } from "../session/files/file-history.ts";
import { stepsOfEach, wholeWeave, type WholeWeave } from "../session/files/whole-weave.ts";
import { isLanded, type FolderFile } from "../session/folders/folder-file.ts";
import { folderFileAt, type FoldersState } from "../session/folders/folders-slice.ts";
import type { SessionState } from "../session/state.ts";
import type { TextJudge } from "../session/text-judge.ts";
import type { SessionCore } from "../session/transact.ts";
import { areStoredAlike } from "../text/spliceable.ts";
import type { Pacer, Steps } from "../text/steps.ts";
import { landedSteps } from "../text/weave-landed.ts";
import { closeSteps } from "../text/weave-needs.ts";
import type { Standing, WovenRecord } from "../text/weave-parts.ts";
import { keptTogether, revivedWorkSteps, type RevivedWork } from "./_revived-work.ts";
import { nameNeedsSteps, type StandingFile } from "./_name-needs.ts";
import { textNeeds } from "./_text-needs.ts";
import {
  byPath,
  offerFile,
  type Candidate,
  type Chooser,
  type FileOffer,
  type HeldWork,
} from "./offer-file.ts";

/** Which records are to be landed: those that all parts given agree on; all when none is given. */
export interface RecordChoice {
  readonly records?: readonly number[] | undefined;
  readonly agents?: readonly string[] | undefined;
  /** Is the rest about a file, which the choice brings to this path? All when left out. */
  readonly isAbout?: ((candidate: Candidate, path: WorkspacePath | undefined) => boolean) | undefined;
}

/** A record that comes along because another one needs it. */
export interface AddedRecord {
  /** The record that comes along. */
  readonly record: number;
  /** Whose it is. */
  readonly agent: string;
  /** The record that needs it. */
  readonly for: number;
  /**
   * Why: `over`, `inside`, `spent`, `torn` and `line` (lines would be glued to each other) as in the weave's rules; `exists`: the file would not be there,
   * be there twice, or have the name of another; `json`: the file would no longer be JSON, so that all its records come along; `kept`: a refresh kept
   * the session's text instead of the folder's, with the work of both in it.
   */
  readonly because: "over" | "inside" | "spent" | "torn" | "line" | "exists" | "json" | "kept";
  /** The file in which it is needed. */
  readonly path: WorkspacePath;
}

export interface Offers {
  readonly files: readonly FileOffer[];
  readonly added: readonly AddedRecord[];
}

/** Records that bring in what the folders hold: they stand in every choice. What a program made in the work directory is work like any other. */
const IMPORTS: ReadonlySet<string> = new Set(["mount", "refresh", "reset"]);

/** What offers are made of. */
export interface OfferParts {
  readonly core: SessionCore;
  readonly judge: TextJudge;
}

export async function offersOf(
  { core, judge }: OfferParts,
  state: SessionState,
  folders: FoldersState,
  choice: RecordChoice,
  pace: Pacer,
): Promise<Offers> {
  const candidates = await candidatesOf(state.slices.get("files") as FilesState, folders, pace);
  const histories = await stepsOfEach(core.journal, candidates, state.at.seq, pace);
  const files: OpenCandidate[] = [];
  const records = new Map<number, StepRecord>();
  for (const candidate of candidates) {
    const whole = await wholeWeave(candidate, histories, core.limits.weaveRuns, pace);
    for (const { record } of whole.steps) records.set(record.seq, record);
    const revived = await pace.run(
      revivedWorkSteps(whole, (seq) => IMPORTS.has(records.get(seq)?.kind ?? "")),
    );
    files.push({ candidate, whole, revived, ...(await heldBy(candidate, whole, pace)) });
    await pace.step();
  }
  const added = new Map<number, AddedRecord>();
  const numbers = choice.records === undefined ? undefined : new Set(choice.records);
  const isNamed = (seq: number): boolean => {
    const agent = records.get(seq)?.agent ?? "";
    return (numbers?.has(seq) ?? true) && (choice.agents?.includes(agent) ?? true);
  };
  const isTaken = (seq: number): boolean => isNamed(seq) || added.has(seq);
  const takenWork = (revived: RevivedWork, seq: number): number[] =>
    [...(revived.get(seq) ?? [])].filter(isTaken);
  const takesIn =
    (revived: RevivedWork) =>
    (seq: number): boolean =>
      isTaken(seq) || takenWork(revived, seq).length > 0;
  const kindOf = (seq: number): string => records.get(seq)?.kind ?? "";
  const add = ({ seq, of, because }: Need, path: WorkspacePath): void =>
    void added.set(seq, { record: seq, agent: records.get(seq)?.agent ?? "", for: of, because, path });
  const isAll = numbers === undefined && choice.agents === undefined;
  let standing: (OpenCandidate & StandingFile)[] = [];
  for (let size = -1; size !== added.size;) {
    size = added.size;
    standing = [];
    for (const one of files) {
      const { candidate, whole, revived, was } = one;
      const { file } = whole;
      const chosenSteps = (): Steps<ClosedChoice> =>
        closeChoiceSteps(whole, maskOf(whole, was, takesIn(revived), kindOf));
      const { mask, needs } = await file.settle(chosenSteps, core.journal, pace);
      await pace.step();
      if (choice.isAbout?.(candidate, file.facts(mask).path as WorkspacePath | undefined) === false) continue;
      for (const need of needs) add(need, candidate.path);
      for (const need of keptTogether(whole, was, revived, isTaken))
        add({ ...need, because: "kept" }, candidate.path);
      standing.push({ ...one, path: candidate.path, file, mask });
    }
    // All of the session's files have names of their own already, and their texts make what sense they make.
    if (isAll || size !== added.size) continue;
    for (const need of await pace.run(nameNeedsSteps(standing)))
      add({ ...need, because: "exists" }, need.path);
    if (size !== added.size) continue;
    for (const { candidate, path, file, was, mask } of standing) {
      for (const need of await textNeeds(core, judge, candidate, { file, was }, mask, pace))
        add({ ...need, because: "json" }, path);
      await pace.step();
    }
  }
  const offers: FileOffer[] = [];
  for (const { candidate, whole, revived, was, runs, mask } of standing) {
    const chooser: Chooser = {
      isAll,
      takes: takesIn(revived),
      workOf: (seq) => {
        const work = takenWork(revived, seq);
        return work.length === 0 ? [seq] : work;
      },
      record: (seq) => records.get(seq),
    };
    const offer = await offerFile(core, candidate, { ...whole, was, runs }, mask, chooser, pace);
    if (offer !== undefined) offers.push(offer);
    await pace.step();
  }
  const along = [...added.values()].filter(({ record }) => !isNamed(record));
  return { files: offers.sort(byPath), added: along.toSorted((a, b) => a.record - b.record) };
}

interface OpenCandidate extends HeldWork {
  readonly candidate: Candidate;
  readonly whole: WholeWeave;
  readonly revived: RevivedWork;
}

/** What the folder has of a file. A record of which it has a part is two in the weave from then on. */
async function heldBy({ known }: Candidate, { file, base }: WholeWeave, pace: Pacer): Promise<HeldWork> {
  const { weave } = file;
  const isIn = (seq: number): boolean => known !== undefined && isLanded(known, seq);
  const runs = base === 0 ? (known === undefined ? [] : known.runs) : undefined;
  const was = runs === undefined ? undefined : await pace.run(landedSteps(weave, runs, isIn));
  if (was !== undefined) return { was, runs };
  return {
    was: Uint8Array.from(weave.records, (record) => (record === weave.base || isIn(record.seq) ? 1 : 0)),
    runs: undefined,
  };
}

/** Files that are not the same in the folders and in the session, as far as can be told without reading them. */
async function candidatesOf(files: FilesState, folders: FoldersState, pace: Pacer): Promise<Candidate[]> {
  const found: Candidate[] = [];
  const entries = await entriesById(files, pace);
  for (const [, known] of folders.files.entries()) {
    const there = entries.get(known.id);
    // Older sessions may hold one file at two paths: then it is the one that has its name.
    const isOther = there !== undefined && there.path !== known.path && isHeld(folders, there);
    const entry = isOther ? undefined : there;
    if (!isOther) entries.delete(known.id);
    await pace.step();
    if (entry === undefined || !isAsKnown(entry, known))
      found.push({ id: known.id, path: (entry ?? known).path, known, entry });
  }
  for (const entry of entries.values()) {
    found.push({ id: entry.id, path: entry.path, known: undefined, entry });
    await pace.step();
  }
  return found;
}

function isHeld(folders: FoldersState, { id, path }: FileEntry): boolean {
  return folderFileAt(folders, path)?.id === id;
}

function isAsKnown(entry: FileEntry, known: FolderFile): boolean {
  return (
    entry.path === known.path &&
    entry.executable === known.executable &&
    areStoredAlike(entry.content.extents, known.content.extents)
  );
}

/** What stands: imports, what the folder has unless it is taken back by what is chosen, and what is chosen. */
function maskOf(
  { file }: WholeWeave,
  was: Standing,
  takes: (seq: number) => boolean,
  kindOf: (seq: number) => string,
): Standing {
  const { weave } = file;
  const stays = (record: WovenRecord<unknown>): boolean => {
    const { seq, index, against, targetedBy } = record;
    if (record === weave.base) return true;
    const hasLanded = was[index] === 1;
    if (against === 0) return hasLanded || IMPORTS.has(kindOf(seq)) || takes(seq);
    return hasLanded && !targetedBy.some((one) => one.against === 0 && takes(one.seq));
  };
  return Uint8Array.from(weave.records, (record) => (stays(record) ? 1 : 0));
}

interface Need {
  readonly seq: number;
  readonly of: number;
  readonly because: AddedRecord["because"];
}

/** A choice of records of a file with all that it needs. */
interface ClosedChoice {
  readonly mask: Standing;
  readonly needs: readonly Need[];
}

/** Adds to `mask` what the records in it need. */
function* closeChoiceSteps({ file }: WholeWeave, mask: Standing): Steps<ClosedChoice> {
  const needs: Need[] = [];
  for (;;) {
    needs.push(...(yield* closeSteps(file.weave, mask)));
    const more = file.existenceNeeds(mask);
    if (more.length === 0) return { mask, needs };
    for (const { index, seq, of } of more) {
      mask[index] = 1;
      needs.push({ seq, of, because: "exists" });
    }
  }
}
