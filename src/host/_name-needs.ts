// Owns: what files with some records standing need of one another so that each has its name for itself.

import type { WorkspacePath } from "../path/index.ts";
import { NO_FILES, obstaclesSteps } from "../session/files/file-state.ts";
import type { FileWeave } from "../session/files/file-weave.ts";
import type { Steps } from "../text/steps.ts";
import type { Standing } from "../text/weave-parts.ts";

/** A file, and which of its records stand. */
export interface StandingFile {
  readonly path: WorkspacePath;
  readonly file: FileWeave;
  readonly mask: Standing;
}

/** A record that takes a file away from a name that another one is to have. */
export interface NameNeed {
  readonly seq: number;
  /** The record that brings the other file there, and where that file is now. */
  readonly of: number;
  readonly path: WorkspacePath;
}

/** None where all names fit together, or no record would help. */
export function* nameNeedsSteps(files: readonly StandingFile[]): Steps<NameNeed[]> {
  const named = new Map<WorkspacePath, StandingFile[]>();
  const paths: WorkspacePath[] = [];
  for (const one of files) {
    const facts = one.file.facts(one.mask);
    const path = facts.path as WorkspacePath;
    yield;
    if (!facts.exists) continue;
    paths.push(path);
    const there = named.get(path);
    if (there === undefined) named.set(path, [one]);
    else there.push(one);
  }
  const needs: NameNeed[] = [];
  for (const { path, by } of yield* obstaclesSteps(NO_FILES, paths, [])) {
    const there = named.get(by)?.[0];
    const comes = path === by ? named.get(path)?.splice(1, 1)[0] : named.get(path)?.[0];
    const need = there === undefined || comes === undefined ? undefined : needOf(there, comes);
    if (need !== undefined) needs.push(need);
  }
  return needs;
}

/** Who came first has left before the other came. */
function needOf(a: StandingFile, b: StandingFile): NameNeed | undefined {
  const [first, then] = cameBy(a) <= cameBy(b) ? [a, b] : [b, a];
  for (const [goes, stays] of [
    [first, then],
    [then, first],
  ] as const) {
    const seq = wentBy(goes);
    if (seq !== undefined) return { seq, of: cameBy(stays), path: stays.path };
  }
  return undefined;
}

const WHERE = ["exists", "path"] as const;

/** The record that has put a file where it is; 0: none since the base. */
function cameBy({ file, mask }: StandingFile): number {
  return Math.max(...WHERE.map((register) => file.registers.newest(register, mask)?.seq ?? 0));
}

/** The first record after that which has taken the file away and does not stand: a move, a deletion, or what took its coming back. */
function wentBy(one: StandingFile): number | undefined {
  const { file, mask } = one;
  const { records } = file.weave;
  const came = cameBy(one);
  const writers = WHERE.flatMap((register) => file.registers.writers(register));
  const undoers = writers
    .filter(({ seq, index }) => seq === came && mask[index] === 1)
    .flatMap(({ index }) => records[index]?.targetedBy ?? []);
  let first: number | undefined;
  for (const { seq, index } of [...writers, ...undoers]) {
    const isLeft = seq > came && mask[index] === 0 && records[index]?.against === 0;
    if (isLeft && (first === undefined || seq < first)) first = seq;
  }
  return first;
}
