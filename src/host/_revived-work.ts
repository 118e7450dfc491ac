// Owns: whose work a record brings back that takes back an import, such as one that keeps the session's side in a refresh.

import type { WholeWeave } from "../session/files/whole-weave.ts";
import type { Steps } from "../text/steps.ts";
import { isVisible, type Standing, type WovenRecord } from "../text/weave-parts.ts";

/** By number of the record that brings it back: the records whose work is there again. */
export type RevivedWork = ReadonlyMap<number, ReadonlySet<number>>;

/** In one file: who wrote text that an import removed, and who decided last whether the file is there. */
export function* revivedWorkSteps(
  { file }: Pick<WholeWeave, "file">,
  isImport: (seq: number) => boolean,
): Steps<RevivedWork> {
  const revived = new Map<number, Set<number>>();
  const { weave, registers } = file;
  const isUndone = ({ seq, against }: WovenRecord<unknown>): boolean => against > 0 && isImport(seq);
  if (!weave.records.some(isUndone)) return revived;
  const standing = weave.standing();
  const note = (undone: WovenRecord<unknown>, seq: number): void => {
    if (isImport(seq) || seq === weave.base.seq) return;
    for (const by of undone.targetedBy)
      if (by.against === 0) revived.set(by.seq, (revived.get(by.seq) ?? new Set()).add(seq));
  };
  for (const { runs } of weave.chunks) {
    for (const run of runs) {
      if (!isVisible(run, standing)) continue;
      for (let list = run.cuts; list !== undefined; list = list.next)
        if (isUndone(list.cut.record)) note(list.cut.record, run.piece.record.seq);
    }
    yield;
  }
  const newest = registers.newest("exists", standing);
  for (const { index } of registers.writers("exists")) {
    const record = weave.records[index];
    if (record !== undefined && newest !== undefined && isUndone(record)) note(record, newest.seq);
  }
  return revived;
}

/** Work that comes back, and a chosen record whose work comes back with it. */
export interface KeptTogether {
  readonly seq: number;
  readonly of: number;
}

/**
 * What comes along with chosen work: the record that brings it back brings back all that the import removed, while the folder (`was`)
 * has that import.
 */
export function keptTogether(
  { file: { weave } }: Pick<WholeWeave, "file">,
  was: Standing,
  revived: RevivedWork,
  isTaken: (seq: number) => boolean,
): KeptTogether[] {
  return [...revived].flatMap(([by, work]) => {
    const of = [...work].find(isTaken);
    const isInFolder = weave.record(by)?.targets.some(({ index }) => was[index] === 1) === true;
    if (of === undefined || isTaken(by) || !isInFolder) return [];
    return [...work].filter((seq) => !isTaken(seq)).map((seq) => ({ seq, of }));
  });
}
