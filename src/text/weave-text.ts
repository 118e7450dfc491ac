// Owns: what a weave shows: its text under any standing, the splices between two, who wrote what, and who removed it.

import type { Steps } from "./steps.ts";
import type { Splice } from "./splice.ts";
import type { Spliceable, Taker } from "./spliceable.ts";
import { isVisible, type InsertedPiece, type Run, type Standing, type WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/** Chunks that a walk goes over between two pauses. */
export const CHUNKS_PER_STEP = 16;

/** The text if the records of `standing` stood. */
export function* textSteps<T>(weave: Weave<T>, standing: Standing): Steps<T> {
  const reader = new RunReader(weave.kind);
  const parts: T[] = [];
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs) if (isVisible(run, standing)) parts.push(reader.read(run));
  }
  return weave.kind.join(parts);
}

/** The least splices that lead from the text under one standing to the text under another. */
export function* changeSteps<T>(weave: Weave<T>, from: Standing, to: Standing): Steps<Splice<T>[]> {
  const reader = new RunReader(weave.kind);
  const splices: Splice<T>[] = [];
  /** Where the walk is in the old text, and what is removed and inserted since the last byte that stays. */
  let at = 0;
  let remove = 0;
  let parts: T[] = [];
  const flush = (): void => {
    if (remove > 0 || parts.length > 0)
      splices.push({ at: at - remove, remove, insert: weave.kind.join(parts) });
    remove = 0;
    parts = [];
  };
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs) {
      const was = isVisible(run, from);
      const is = isVisible(run, to);
      if (was && is) flush();
      if (was) at += run.length;
      if (was && !is) remove += run.length;
      if (is && !was) parts.push(reader.read(run));
    }
  }
  flush();
  return splices;
}

/** Bytes next to each other that one record inserted; `by` is undefined for what was there at the base. */
export interface BlamedRun {
  readonly by: number | undefined;
  readonly length: number;
}

/** Who inserted the visible text, from its start to its end. Undos and restores bring bytes back as whose they were. */
export function* blameSteps<T>(weave: Weave<T>): Steps<BlamedRun[]> {
  const blamed: { by: number | undefined; length: number }[] = [];
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const { dead, length, piece } of runs) {
      if (dead > 0) continue;
      const by = seqOf(weave, piece.record);
      const last = blamed.at(-1);
      if (last !== undefined && last.by === by) last.length += length;
      else blamed.push({ by, length });
    }
  }
  return blamed;
}

/** The records that removed a run, newest first: those that stand today, or those of a standing. */
export function cuttersOf<T>({ cuts }: Run<T>, standing?: Standing): WovenRecord<T>[] {
  const cutters = new Set<WovenRecord<T>>();
  for (let list = cuts; list !== undefined; list = list.next) {
    const { record } = list.cut;
    if (standing === undefined ? record.against === 0 : standing[record.index] === 1) cutters.add(record);
  }
  return [...cutters];
}

function seqOf<T>(weave: Weave<T>, record: WovenRecord<T>): number | undefined {
  return record === weave.base ? undefined : record.seq;
}

/** Reads parts of runs in the order of the weave. Those of a piece come in order, so each piece is gone through once. */
export class RunReader<T> {
  readonly #kind: Spliceable<T>;
  readonly #takers = new Map<InsertedPiece<T>, { readonly taker: Taker<T>; at: number }>();

  constructor(kind: Spliceable<T>) {
    this.#kind = kind;
  }

  read({ piece, from, length }: Pick<Run<T>, "piece" | "from" | "length">): T {
    if (length === piece.length) return piece.insert;
    let open = this.#takers.get(piece);
    if (open === undefined) {
      open = { taker: this.#kind.taker(piece.insert), at: 0 };
      this.#takers.set(piece, open);
    }
    open.taker.skip(from - open.at);
    open.at = from + length;
    return open.taker.take(length);
  }
}
