// Owns: why records cannot be taken back in a file, in words, and which other records would have to go with them.

import { echo, say, sayAll, type Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Journal } from "../../store/journal.ts";
import { EXTENTS, spliceDelta, type Splice } from "../../text/index.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import { isVisible, type Run, type Standing, type WovenRecord } from "../../text/weave-parts.ts";
import {
  holdersOf,
  partialUndoSteps,
  togetherSteps,
  turnersOf,
  type UndoFault,
  type UndoPlan,
} from "../../text/weave-undo.ts";
import type { ContentSplice } from "../content.ts";
import { NAMED_RECORDS, oldestFirst, recordsInWords } from "../record-words.ts";
import type { Refusal, UndoRefusal } from "../slice.ts";
import type { FileFacts } from "./file-facts.ts";
import { fileKey } from "./file-keys.ts";
import type { Register, RegisterFault, Writer } from "./file-registers.ts";
import type { FileId } from "./file-change.ts";
import { fileAt, type FilesState } from "./file-state.ts";
import type { FileWeave } from "./file-weave.ts";
import type { FileUndo, TakenName } from "./name-planner.ts";
import { putThereBy, type PlacedFile } from "./put-there.ts";

type Extents = ContentSplice["insert"];

/** What is in the way of taking `targets` back in a file, whose text that would change by `plan`. */
export function* refusalSteps(
  file: FileWeave,
  now: FileFacts,
  targets: readonly number[],
  plan: UndoPlan<Extents>,
): Steps<UndoRefusal[]> {
  if (plan.faults.length > 0) return yield* byTextSteps(file, now.path, targets);
  const refused = byRegisters(file, now.path, targets);
  if (refused.length > 0) return refused;
  const left = byTextLeft(file, now, targets, plan.splices);
  return left.length > 0 ? left : byEncoding(file, now.path, targets);
}

function* byTextSteps({ weave }: FileWeave, path: string, targets: readonly number[]): Steps<UndoRefusal[]> {
  const { refused } = yield* partialUndoSteps(weave, targets);
  const together = yield* togetherSteps(weave, targets);
  const found: UndoRefusal[] = [];
  for (const { seq, faults } of refused) {
    yield;
    found.push({ seq, refusal: changedSince(path, seq, faults), together });
  }
  return found;
}

function changedSince(path: string, seq: number, faults: readonly UndoFault[]): Refusal {
  const others = new Set(
    faults.flatMap(({ inTheWay, a, b }) => (inTheWay.length > 0 ? inTheWay : [a, b ?? a])),
  );
  others.delete(seq);
  const where = path as WorkspacePath;
  const by = others.size === 0 ? say`since` : say`by ${recordsInWords([...others])}`;
  const message = faults.every(({ kind }) => kind === "line")
    ? say`${where} got text ${by} that would be glued to another line`
    : say`${where} was changed in the same place ${by}`;
  return refusal(path, "changed_since", message);
}

const WRITTEN: Readonly<Record<Exclude<Register, "exists">, Shown>> = {
  path: say`moved again`,
  encoding: say`given another encoding`,
  executable: say`given another mode`,
};

type Woven = WovenRecord<Extents>;

function byRegisters(file: FileWeave, path: string, targets: readonly number[]): UndoRefusal[] {
  const { weave, registers } = file;
  const gone = new Set(weave.targetsOf({ targets }));
  const [now, then] = [weave.standing(), weave.standingWithout([...gone])];
  const old = registers.faults(now);
  const found = registers.faults(then);
  const refused: UndoRefusal[] = [];
  const isNew = ([key, { writer }]: readonly [string, RegisterFault]): boolean =>
    writer.register === "exists" && !old.has(key);
  const isExistence = [...found].some(isNew);
  // What made the file again also gave it its name, encoding and mode.
  const isToldOfExistence = ({ index }: Writer): boolean =>
    isExistence && registers.writers("exists").some((one) => one.index === index);
  for (const [key, fault] of found) {
    const { writer, before } = fault;
    if (old.has(key) || (writer.register !== "exists" && isToldOfExistence(writer))) continue;
    const by = inTheWayOf(file, fault, now, then, gone);
    const message = say`${path as WorkspacePath} was ${writtenBy(file, writer.register, by)}`;
    const about = [writer, writer.over, before].flatMap((one) => recordOf(file, one) ?? []);
    for (const { seq } of turnersOf(about, now, then, gone))
      refused.push({
        seq,
        refusal: refusal(path, "changed_since", message),
        together: oldestFirst([...targets, ...by]),
      });
  }
  return refused;
}

/** "deleted by record 2 and created again by record 3". */
function writtenBy(file: FileWeave, register: Register, seqs: readonly number[]): Shown {
  const exists = new Map(file.registers.writers("exists").map(({ seq, value }) => [seq, value]));
  const wordsOf = (seq: number): Shown => {
    if (exists.has(seq)) return exists.get(seq) === true ? say`created again` : say`deleted`;
    return register === "exists" ? say`changed` : WRITTEN[register];
  };
  const groups: { readonly words: Shown; readonly seqs: number[] }[] = [];
  const all = oldestFirst(seqs);
  const named = all.slice(0, NAMED_RECORDS);
  for (const seq of named) {
    const words = wordsOf(seq);
    const last = groups.at(-1);
    if (last?.words === words) last.seqs.push(seq);
    else groups.push({ words, seqs: [seq] });
  }
  const told = groups.map(({ words, seqs: some }) => say`${words} by ${recordsInWords(some)}`);
  const more = all.length - named.length;
  if (more > 0) told.push(say`changed by ${more} more`);
  return sayAll(told, " and ");
}

/**
 * The records to take back too, so that a fault goes away: the writer and all that wrote over it, if it stands now. If it only
 * comes back: what would count before it, or what holds down what it wrote over.
 */
function inTheWayOf(
  file: FileWeave,
  { writer, before }: RegisterFault,
  now: Standing,
  then: Standing,
  targets: ReadonlySet<Woven>,
): number[] {
  if (now[writer.index] === 1)
    return file.registers
      .writers(writer.register)
      .filter(({ index }) => index >= writer.index && then[index] === 1)
      .map(({ seq }) => seq);
  const over = recordOf(file, writer.over);
  if (before !== undefined && before.index > (over?.index ?? 0)) return [before.seq];
  const holders = over === undefined || targets.has(over) ? [] : holdersOf(over, then);
  return holders.length > 0 ? holders.map(({ seq }) => seq) : [writer.seq];
}

function recordOf({ weave }: FileWeave, writer: Writer | undefined): Woven | undefined {
  return writer === undefined ? undefined : weave.records[writer.index];
}

/** A file does not go, and does not stay away, while text is in it. */
function byTextLeft(
  file: FileWeave,
  { path, content }: FileFacts,
  targets: readonly number[],
  splices: readonly Splice<Extents>[],
): UndoRefusal[] {
  const { weave } = file;
  const then = weave.standingWithout(weave.targetsOf({ targets }));
  if (file.facts(then).exists || content.size + spliceDelta(splices, EXTENTS) === 0) return [];
  const deletion = file.registers.newest("exists", then);
  const by = deletion === undefined ? file.writersOfText(then) : [deletion.seq];
  const where = path as WorkspacePath;
  const [reason, message] =
    deletion === undefined
      ? (["holds_text", say`${where} would go with text of ${recordsInWords(by)} in it`] as const)
      : (["changed_since", say`${where} was deleted by ${recordsInWords(by)}`] as const);
  return targets.map((seq) => ({
    seq,
    refusal: refusal(path, reason, message),
    together: oldestFirst([...targets, ...by]),
  }));
}

/** No byte comes to be in an encoding that it has never been in. */
function byEncoding(file: FileWeave, path: string, targets: readonly number[]): UndoRefusal[] {
  const { weave, registers, encodings } = file;
  const gone = new Set(weave.targetsOf({ targets }));
  const [now, then] = [weave.standing(), weave.standingWithout([...gone])];
  const { encoding } = file.facts(then);
  const old = new Set(encodings.misfits(weave, now, file.facts(now).encoding));
  const runs = encodings.misfits(weave, then, encoding).filter((run) => !old.has(run));
  if (runs.length === 0) return [];
  // Bytes that are there now go with their records. Bytes that come back fit when the encodings given since go.
  const stay = runs.filter((run) => run.piece.record !== weave.base && isVisible(run, now));
  const since = Math.min(...runs.map(({ piece }) => piece.record.index));
  const writers = registers.writers("encoding").filter(({ index }) => index > since && then[index] === 1);
  const others = runs.filter((run) => run.piece.record !== weave.base);
  const text = (stay.length > 0 || writers.length > 0 ? stay : others).map(({ piece }) => piece.record.seq);
  const by = text.length > 0 ? text : writers.map(({ seq }) => seq);
  const where = path as WorkspacePath;
  const message =
    text.length > 0
      ? say`${where} would have the encoding ${echo(encoding ?? "")} with bytes of ${recordsInWords(by)} in it, which are of another`
      : say`${where} was ${WRITTEN.encoding} by ${recordsInWords(by)}`;
  const cuts = runs.flatMap((run) => cutsOf(run));
  const about = [...runs.map(({ piece }) => piece.record), ...cuts, ...encodingRecords(file)];
  return turnersOf(about, now, then, gone).map(({ seq }) => ({
    seq,
    refusal: refusal(path, "changed_since", message),
    together: oldestFirst([...targets, ...by]),
  }));
}

function encodingRecords(file: FileWeave): Woven[] {
  return file.registers.writers("encoding").flatMap((writer) => recordOf(file, writer) ?? []);
}

function cutsOf(run: Run<Extents>): Woven[] {
  const found: Woven[] = [];
  for (let list = run.cuts; list !== undefined; list = list.next) found.push(list.cut.record);
  return found;
}

/** Names that other files have, or have after the same undo, and the records that put those there. */
export async function takenRefusals(
  journal: Journal,
  state: FilesState,
  head: number,
  undos: readonly FileUndo[],
  taken: readonly TakenName[],
  pace: Pacer,
): Promise<UndoRefusal[]> {
  if (taken.length === 0) return [];
  const coming = new Map<string, FileUndo[]>();
  for (const undo of undos)
    if (undo.after.exists) coming.set(undo.after.path, [...(coming.get(undo.after.path) ?? []), undo]);
  const otherAt = (by: WorkspacePath | undefined, wanted: FileId): PlacedFile | undefined => {
    if (by === undefined) return undefined;
    const undo = coming.get(by)?.find(({ id }) => id !== wanted);
    if (undo !== undefined) return { id: undo.id, path: by, upTo: undo.base };
    const entry = fileAt(state, by);
    return entry === undefined ? undefined : { id: entry.id, path: by, upTo: head };
  };
  const others = taken.flatMap(({ id, refusal: { by } }) => otherAt(by, id) ?? []);
  const records = await putThereBy(journal, others, pace);
  const refused: UndoRefusal[] = [];
  const putBy = new Map(undos.map(({ id, putBy: seq }) => [id, seq]));
  for (const { id, path, undone, refusal: found } of taken) {
    const { by } = found;
    const other = otherAt(by, id);
    const seq = other === undefined ? undefined : (putBy.get(other.id) ?? records.get(other.id));
    const message = by === undefined ? found.message : nameTaken(path, by, seq);
    const together = seq === undefined ? {} : { together: oldestFirst([...undone, seq]) };
    for (const one of undone)
      refused.push({ seq: one, refusal: { ...found, key: fileKey(path), message }, ...together });
    await pace.step();
  }
  return refused;
}

function nameTaken(path: WorkspacePath, by: WorkspacePath, seq: number | undefined): Shown {
  if (by === path) {
    const since: Shown = seq === undefined ? say`` : say`, since ${recordsInWords([seq])}`;
    return say`${path} exists already: another file is there${since}`;
  }
  const since: Shown = seq === undefined ? say`` : say` since ${recordsInWords([seq])}`;
  return say`${path} cannot come back: ${by} is in its way${since}`;
}

/** What a file's undo needs is no longer there. */
export function prunedRefusal(path: string, seq: number): Refusal {
  const message = say`what is needed of ${path as WorkspacePath} up to record ${seq} is pruned`;
  return refusal(path, "snapshot_expired", message);
}

/** A file whose history since is not looked at. */
export function tooManyRunsRefusal(path: string, limit: number): Refusal {
  const message = say`${path as WorkspacePath} was changed in more than ${limit} pieces since; restore an earlier state of it instead`;
  return refusal(path, "too_many_runs", message);
}

function refusal(path: string, reason: Lowercase<string>, message: Shown): Refusal {
  return { key: fileKey(path as WorkspacePath), code: "conflict", reason, message };
}
