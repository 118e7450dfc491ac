// Owns: the weave of a file made of its records, and what its path, existence, encoding and mode are if some of them stand.

import { HoldfastError, say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { Extent, Journal } from "../../store/journal.ts";
import { composeSplices, EXTENTS, type Splice } from "../../text/index.ts";
import { splicesTo } from "../../text/splice.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import { isVisible, type Standing } from "../../text/weave-parts.ts";
import { Weave, type Reversal } from "../../text/weave.ts";
import type { FileBody, FileChange, ReplaceChange, RevertChange } from "./file-change.ts";
import { factsBeforeSteps, type FileFacts } from "./file-facts.ts";
import { plainChanges, type FileStep } from "./file-history.ts";
import { FileEncodings } from "./file-encodings.ts";
import { FileRegisters, type Register } from "./file-registers.ts";
import { LineStretches } from "./line-stretches.ts";
import { hasByteLines } from "./whole-lines.ts";

type Extents = readonly Extent[];

/** A file with its records since a base. */
export class FileWeave {
  readonly weave: Weave<Extents>;
  readonly base: FileFacts;
  readonly registers: FileRegisters = new FileRegisters();
  readonly encodings: FileEncodings = new FileEncodings();
  /** The time of creation that each record gave the file. */
  readonly #created: { readonly index: number; readonly created: string }[] = [];

  readonly #lineStretches = new LineStretches();

  private constructor(base: FileFacts, seq: number, encoding: string | null, maxRuns: number) {
    this.base = base;
    const lineStretchOf = hasByteLines(encoding) ? this.#lineStretches.stretchOf : undefined;
    this.weave = new Weave({ seq, content: base.content.extents }, EXTENTS, { maxRuns, lineStretchOf });
    this.encodings.note(this.weave, base.encoding);
  }

  /**
   * A file before `steps`, which must be closed, given what it is `now`, after them: none of them is in the weave yet. A step is one
   * record. Throws `invalid_argument` / `too_many_runs` beyond `maxRuns`.
   */
  static *beforeSteps(now: FileFacts, steps: readonly FileStep[], maxRuns: number): Steps<FileWeave> {
    let oldest = steps[0]?.record.seq ?? 1;
    for (const { changes } of steps) oldest = Math.min(oldest, reachOf(changes));
    return new FileWeave(yield* factsBeforeSteps(now, steps, maxRuns), oldest - 1, now.encoding, maxRuns);
  }

  /** The same with all of them. Throws `internal` / `broken_history` as well. */
  static *buildSteps(now: FileFacts, steps: readonly FileStep[], maxRuns: number): Steps<FileWeave> {
    const file = yield* FileWeave.beforeSteps(now, steps, maxRuns);
    for (const step of steps) {
      yield* file.addSteps(step);
      yield;
    }
    file.check(now);
    return file;
  }

  /** The result of steps that look for faults. They may be run more than once, so they must change nothing. */
  settle<R>(steps: () => Steps<R>, journal: Journal, pace: Pacer): Promise<R> {
    return this.#lineStretches.run(steps, journal, pace);
  }

  /** Adds the next step. */
  *addSteps(step: FileStep): Steps<void> {
    yield* this.#weaveInSteps(step);
    const { records } = this.weave;
    const newest = this.registers.writers("encoding").findLast(({ index }) => records[index]?.against === 0);
    this.encodings.note(
      this.weave,
      newest === undefined ? this.base.encoding : (newest.value as string | null),
    );
  }

  *#weaveInSteps({ record: { seq }, changes }: FileStep): Steps<void> {
    const reversal = reversalOf(changes);
    if (reversal !== undefined) {
      yield* this.weave.addSteps({ seq, ...reversal });
      return;
    }
    const { records } = this.weave;
    const index = records.length;
    const plain = plainChanges(changes);
    yield* this.weave.addSteps({ seq, splices: splicesOf(plain) });
    const stands = (older: number): boolean => records[older]?.against === 0;
    for (const change of plain) {
      for (const [register, value] of registersIn(change))
        this.registers.write(register, { index, seq }, value, stands);
      if (change.op === "create") this.#created.push({ index, created: change.created });
    }
  }

  /** What the file is, apart from its text, if the records of `standing` stand. */
  facts(standing: Standing): Omit<FileFacts, "content"> {
    const value = <T>(register: Register, base: T): T => {
      const writer = this.registers.newest(register, standing);
      return writer === undefined ? base : (writer.value as T);
    };
    const { exists, path, encoding, executable, created } = this.base;
    return {
      exists: value("exists", exists),
      path: value("path", path),
      encoding: value("encoding", encoding),
      executable: value("executable", executable),
      created: this.#created.findLast(({ index }) => standing[index] === 1)?.created ?? created,
    };
  }

  /**
   * What records that stand need so that the file is there, and once: a creation, that the file was gone before; text, that some record
   * made the file. `of` is the record that needs it.
   */
  existenceNeeds(
    standing: Standing,
  ): { readonly index: number; readonly seq: number; readonly of: number }[] {
    const { records } = this.weave;
    const writers = this.registers.writers("exists").filter(({ index }) => records[index]?.against === 0);
    const found = new Map<number, { index: number; seq: number; of: number }>();
    for (const [i, { index, seq, value }] of writers.entries()) {
      const before = writers[i - 1];
      if (value !== true || standing[index] === 0 || before?.value !== false) continue;
      if (standing[before.index] === 0)
        found.set(before.index, { index: before.index, seq: before.seq, of: seq });
    }
    if (found.size === 0 && !this.facts(standing).exists) {
      const maker = writers.findLast(({ value }) => value === true);
      const of = this.writersOfText(standing).at(-1);
      if (maker !== undefined && of !== undefined && standing[maker.index] === 0)
        found.set(maker.index, { index: maker.index, seq: maker.seq, of });
    }
    return [...found.values()];
  }

  /** The records whose text would be visible. */
  writersOfText(standing: Standing): number[] {
    const found = new Set<number>();
    for (const { runs } of this.weave.chunks)
      for (const run of runs) if (isVisible(run, standing)) found.add(run.piece.record.seq);
    return [...found].toSorted((a, b) => a - b);
  }

  /** Throws if the records do not make what the state holds: then no more harm must be done. */
  check(now: FileFacts): void {
    const { exists, path } = this.facts(this.weave.standing());
    const isRight = this.weave.size === now.content.size && exists === now.exists;
    if (isRight && (!exists || path === now.path)) return;
    throw new HoldfastError(
      "internal",
      "broken_history",
      say`The records of ${now.path as WorkspacePath} do not make what it holds. Verify the session.`,
    );
  }
}

/** What a record takes back in a file, if that is all it does there. */
export function reversalOf(changes: readonly FileChange[]): Reversal | undefined {
  if (changes.some(({ op }) => op !== "revert")) return undefined;
  const targets = new Set<number>();
  let restoreTo: number | undefined;
  for (const change of changes as readonly RevertChange[]) {
    for (const seq of change.undoes ?? []) targets.add(seq);
    const { restores } = change;
    if (restores !== undefined && restoreTo !== undefined && restores !== restoreTo) return undefined;
    restoreTo ??= restores;
  }
  if (restoreTo === undefined) return { targets: [...targets] };
  return targets.size === 0 ? { restoreTo } : undefined;
}

/** The oldest record that the changes of a record take back. */
export function reachOf(changes: readonly FileChange[]): number {
  const reversal = reversalOf(changes);
  if (reversal === undefined) return Number.POSITIVE_INFINITY;
  if ("restoreTo" in reversal) return reversal.restoreTo + 1;
  return reversal.targets.reduce((oldest, seq) => Math.min(oldest, seq), Number.POSITIVE_INFINITY);
}

type Written = readonly [Register, unknown];

/** What a change writes that is not text. */
function registersIn(change: FileChange): readonly Written[] {
  switch (change.op) {
    case "create":
      return [["exists", true], ["path", change.path], ...modesOf(change.body)];
    case "delete":
      return [["exists", false]];
    case "move":
      return [["path", change.to]];
    case "replace": {
      const before = new Map(modesOf(change.before));
      return modesOf(change.after).filter(([register, value]) => value !== before.get(register));
    }
    default:
      return NOTHING_WRITTEN;
  }
}

const NOTHING_WRITTEN: readonly Written[] = [];

function modesOf({ encoding, executable }: FileBody): Written[] {
  return [
    ["encoding", encoding],
    ["executable", executable],
  ];
}

/** What changes of one record, none of them a revert, do to the text, as one list over the text before them. */
function splicesOf(changes: readonly FileChange[]): readonly Splice<Extents>[] {
  let splices: readonly Splice<Extents>[] | undefined;
  for (const change of changes) {
    const next = splicesOfOne(change);
    splices = splices === undefined ? next : composeSplices(splices, next, EXTENTS);
  }
  return splices ?? [];
}

function splicesOfOne(change: FileChange): readonly Splice<Extents>[] {
  switch (change.op) {
    case "create":
      return [{ at: 0, remove: 0, insert: change.body.content.extents }];
    case "delete":
      return [{ at: 0, remove: change.body.content.size, insert: [] }];
    case "replace":
      return replacing(change);
    case "splice":
      return change.splices;
    default:
      return [];
  }
}

function replacing({ before, after, differs }: ReplaceChange): Splice<Extents>[] {
  const whole = [[0, before.content.size, after.content.size]] as const;
  return splicesTo(after.content.extents, differs ?? whole, EXTENTS);
}
