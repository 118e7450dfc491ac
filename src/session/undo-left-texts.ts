// Owns: the judgement of texts that an agent's undo leaves: what stays of a file without the record may be bytes that make no sense.
// Must never: judge a text that was there before, nor what the host takes back.

import { say, type Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { JournalRecord } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import { Draft } from "./draft.ts";
import { fileKey } from "./files/file-keys.ts";
import { pathsChanged } from "./files/file-history.ts";
import { fileAt, type FilesState } from "./files/file-state.ts";
import type { HistoryCaller } from "./history-caller.ts";
import { NAMED_RECORDS, oldestFirst, recordsInWords } from "./record-words.ts";
import type { UndoRefusal } from "./slice.ts";
import { brokenText, type TextJudge } from "./text-judge.ts";
import type { SessionCore } from "./transact.ts";
import type { AskSlices } from "./undo-slices.ts";

/** Beyond so many later records of a file no list of those to undo together is told. */
const LATER_RECORDS = 100;

/** Asks, and refuses records too without which a file that the judge knows would no longer make sense. */
export function askWithJudge(
  core: SessionCore,
  draft: Draft,
  ask: AskSlices,
  { judge, signal }: Pick<HistoryCaller, "judge" | "signal">,
): AskSlices {
  return async (records) => {
    const parts = await ask(records);
    if (parts.some(({ refused }) => refused.length > 0)) return parts;
    const pace = new Pacer(signal);
    const paths = new Set<WorkspacePath>();
    for (const path of pathsChanged(parts.flatMap(({ changes }) => changes))) {
      if (judge.knows(path)) paths.add(path);
      await pace.step();
    }
    if (paths.size === 0) return parts;
    const { base, stamp } = draft;
    const trial = new Draft(core.slices, base, stamp.time, stamp.agent, false);
    if ((await trial.changeAll(parts.flatMap(({ changes }) => changes))).length > 0) return parts;
    const refused: UndoRefusal[] = [];
    for (const path of paths) refused.push(...(await refusalsAt(core, trial, path, records, judge, pace)));
    return refused.length === 0 ? parts : [...parts, { undone: [], changes: [], refused, gone: [] }];
  };
}

async function refusalsAt(
  { journal }: SessionCore,
  { base, made }: Draft,
  path: WorkspacePath,
  records: readonly JournalRecord[],
  judge: TextJudge,
  pace: Pacer,
): Promise<UndoRefusal[]> {
  const [before, after] = [base, made].map(({ slices }) => fileAt(slices.get("files") as FilesState, path));
  const oldest = Math.min(...records.map(({ seq }) => seq));
  // Without later records the text is the one that was there before.
  if (before === undefined || after === undefined || before.at.seq <= oldest) return [];
  const key = fileKey(path);
  const seqs = new Set(records.map(({ seq }) => seq));
  const upTo = base.at.seq;
  const since = await journal.records({ key, after: oldest, upTo, limit: LATER_RECORDS });
  const later = since.filter(({ seq }) => !seqs.has(seq));
  if (later.length === 0) return [];
  const broken = await brokenText(journal, judge, path, before.content, after.content, pace);
  if (broken === undefined) return [];
  const touching = records.filter(({ keys }) => keys.includes(key)).map(({ seq }) => seq);
  const mine = touching.length > 0 ? touching : [...seqs];
  const isAll = since.length < LATER_RECORDS;
  const known = later.map(({ seq }) => seq);
  const beside: Shown = isAll
    ? recordsInWords(known)
    : say`${recordsInWords(known.slice(0, NAMED_RECORDS))} and others`;
  const message = say`beside ${beside} ${path} ${broken}; an edit can do it instead`;
  // Those of the same agents may be enough: where not, the list is asked about again.
  const agents = new Set(records.map(({ agent }) => agent));
  const own = later.filter(({ agent }) => agents.has(agent));
  const others = (own.length > 0 ? own : later).map(({ seq }) => seq);
  return mine.map((seq) => ({
    seq,
    refusal: { key, code: "conflict", reason: "breaks_text", message },
    ...(isAll ? { together: oldestFirst([...mine, ...others]) } : {}),
  }));
}
