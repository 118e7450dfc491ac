// Owns: what a weave is made of: records, pieces, cuts and runs.

/** A record in the weave. It stands iff `against`, the number of standing records that take it back, is 0. */
export class WovenRecord<T> {
  /** Its place among the records; the base has 0. */
  readonly index: number;
  readonly seq: number;
  /**
   * What a reversal takes back; undefined for an edit. Of a restore only the index from which on it takes back all records
   * before it: a list for each of many restores would be too long.
   */
  readonly takesBack: readonly WovenRecord<T>[] | number | undefined;
  against = 0;
  /** The change of `against` that is being worked out. */
  turn = 0;
  isTurned = false;
  /** What it inserted and what it removed. */
  readonly inserted: Mark<T>[] = [];
  readonly removed: Mark<T>[] = [];
  readonly #all: RecordLists<T>;
  readonly #undos: WovenRecord<T>[] = [];
  /** The record that this one is a part of. */
  #whole: WovenRecord<T> | undefined;

  /** Adds itself to the lists. */
  constructor(all: RecordLists<T>, seq: number, takesBack: WovenRecord<T>["takesBack"]) {
    this.#all = all;
    this.index = all.records.length;
    this.seq = seq;
    this.takesBack = takesBack;
    all.records.push(this);
    if (typeof takesBack === "number") all.restores.push(this);
    else for (const target of takesBack ?? []) target.#undos.push(this);
  }

  /** A record of the same number, for some of its splices: whatever takes it back takes this one back. No record is added to the weave after it. */
  part(): WovenRecord<T> {
    const part = new WovenRecord(this.#all, this.seq, undefined);
    part.#whole = this;
    part.against = this.against;
    return part;
  }

  /** The records that a reversal takes back. */
  get targets(): readonly WovenRecord<T>[] {
    const { takesBack = [], index } = this;
    return typeof takesBack === "number" ? this.#all.records.slice(takesBack, index) : takesBack;
  }

  /** The reversals that take it back, standing or not. */
  get targetedBy(): WovenRecord<T>[] {
    if (this.#whole !== undefined) return this.#whole.targetedBy;
    const isIn = ({ takesBack, index }: WovenRecord<T>): boolean =>
      Number(takesBack) <= this.index && this.index < index;
    return [...this.#undos, ...this.#all.restores.filter(isIn)];
  }
}

/** All records by index, and those of them that are restores. */
export interface RecordLists<T> {
  readonly records: WovenRecord<T>[];
  readonly restores: WovenRecord<T>[];
}

/** What one splice inserted. A byte is a piece and an offset in it, for ever. */
export interface InsertedPiece<T> {
  /** It changes only when a record is split in parts. */
  record: WovenRecord<T>;
  readonly insert: T;
  readonly length: number;
  /** The innermost piece that it was put strictly inside of. */
  readonly parent: InsertedPiece<T> | undefined;
  /** What the same splice removed. */
  readonly cut: RemovedRange<T> | undefined;
  readonly seam: Seam<T>;
}

/** What one splice removed. */
export interface RemovedRange<T> {
  readonly index: number;
  /** It changes only when a record is split in parts. */
  record: WovenRecord<T>;
  /** The records whose bytes it removed, without the base and its own. */
  readonly from: Set<WovenRecord<T>>;
  /** It removed all the text there was. */
  readonly isWhole: boolean;
  readonly seam: Seam<T>;
}

/** A byte, for ever. */
export interface Byte<T> {
  readonly piece: InsertedPiece<T>;
  readonly offset: number;
}

/** What a splice did at its place. */
export interface Seam<T> {
  /** The visible bytes on both sides; undefined at the start and the end of the text. */
  readonly left: Byte<T> | undefined;
  readonly right: Byte<T> | undefined;
  /** The first and the last byte that it removed. */
  readonly removed: readonly [Byte<T>, Byte<T>] | undefined;
  readonly inserted: InsertedPiece<T> | undefined;
}

/** A stretch of a piece. The runs of a piece lie in the weave in the order of their offsets. */
export interface Run<T> {
  readonly piece: InsertedPiece<T>;
  readonly from: number;
  length: number;
  /** The next run of the same piece. */
  next: Run<T> | undefined;
  /** All that removed it, newest first. Runs that were one share their list. */
  cuts: CutList<T> | undefined;
  /** The number of reasons not to be visible: its inserter does not stand; each standing record that cut it. */
  dead: number;
  chunk: Chunk<T>;
}

export interface CutList<T> {
  readonly cut: RemovedRange<T>;
  readonly next: CutList<T> | undefined;
}

/** The first and the last byte of a run. */
export function firstByte<T>({ piece, from }: Run<T>): Byte<T> {
  return { piece, offset: from };
}

export function lastByte<T>({ piece, from, length }: Run<T>): Byte<T> {
  return { piece, offset: from + length - 1 };
}

/** `length` bytes from the start of `run` on. The run may be split later: the rest is then in those that follow it. */
export interface Mark<T> {
  readonly run: Run<T>;
  readonly length: number;
}

/** Part of the list of runs, so that a place is found without walking over all of them. */
export interface Chunk<T> {
  readonly runs: Run<T>[];
  /** Visible bytes. */
  visible: number;
}

/** Which records stand, by index: 1 or 0. */
export type Standing = Uint8Array;

/** Whether a run would be visible if the records of `standing` stood. */
export function isVisible<T>({ piece, cuts }: Run<T>, standing: Standing): boolean {
  if (standing[piece.record.index] === 0) return false;
  for (let list = cuts; list !== undefined; list = list.next)
    if (standing[list.cut.record.index] === 1) return false;
  return true;
}
