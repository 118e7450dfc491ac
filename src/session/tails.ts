// Owns: how much each slice would have to replay since its last checkpoint.

/** Reading a record and taking its changes apart costs about as much as so many bytes of changes. */
const RECORD_COST = 4 * 1024;

/** What has happened to one slice since its checkpoint. */
export interface Tail {
  /** Where the checkpoint stands; 0 when there is none. */
  since: number;
  /** The encoded size of that checkpoint. */
  size: number;
  /** The first and the last record since then that changed the slice; 0 when none did. */
  first: number;
  last: number;
  /** Bytes of those changes. */
  bytes: number;
}

export class Tails {
  readonly #tails = new Map<string, Tail>();

  constructor(names: Iterable<string>) {
    for (const name of names) this.#tails.set(name, fresh(0, 0));
  }

  of(name: string): Tail {
    const tail = this.#tails.get(name);
    if (tail === undefined) throw new RangeError(`no slice is named ${JSON.stringify(name)}`);
    return tail;
  }

  /** A record at `seq` changed the slice. */
  note(seq: number, name: string, bytes: number): void {
    const tail = this.of(name);
    if (tail.first === 0) tail.first = seq;
    tail.last = seq;
    tail.bytes += bytes;
  }

  /** Takes in what `later` has noted. */
  join(later: Tails): void {
    for (const [name, { first, last, bytes }] of later.#tails) {
      if (first === 0) continue;
      const tail = this.of(name);
      if (tail.first === 0) tail.first = first;
      tail.last = last;
      tail.bytes += bytes;
    }
  }

  /** A checkpoint stands at `seq` now, and everything so far is in it. Answers the tail as it was. */
  restart(name: string, seq: number): Tail {
    const old = this.of(name);
    this.#tails.set(name, fresh(seq, old.size));
    return old;
  }

  /** Somebody else has saved a checkpoint at `seq`. What came after it is still to be replayed; how much is estimated. */
  adopt(name: string, seq: number): void {
    const { size, first, last, bytes } = this.of(name);
    const tail = fresh(seq, size);
    this.#tails.set(name, tail);
    if (last <= seq) return;
    tail.first = Math.max(first, seq + 1);
    tail.last = last;
    tail.bytes = (bytes * (last - tail.first + 1)) / (last - first + 1);
  }

  /** That checkpoint never came to be. */
  putBack(name: string, old: Tail): void {
    const tail = this.of(name);
    const { since, size } = old;
    const first = old.first === 0 ? tail.first : old.first;
    this.#tails.set(name, {
      since,
      size,
      first,
      last: Math.max(old.last, tail.last),
      bytes: old.bytes + tail.bytes,
    });
  }

  /** Slices whose replay would cost more than `least` and more than reading their checkpoint does. */
  due(least: number): string[] {
    return [...this.#tails.keys()].filter((name) => {
      const tail = this.of(name);
      return costOf(tail) > Math.max(least, tail.size);
    });
  }

  /** For each slice where a replay must begin: the first record since its checkpoint that changed it, or 0. */
  starts(): Record<string, number> {
    return Object.fromEntries([...this.#tails].map(([name, { first }]) => [name, first]));
  }
}

function fresh(since: number, size: number): Tail {
  return { since, size, first: 0, last: 0, bytes: 0 };
}

/** Records of other slices in between have to be read too. */
function costOf({ first, last, bytes }: Tail): number {
  return first === 0 ? 0 : bytes + (last - first + 1) * RECORD_COST;
}
