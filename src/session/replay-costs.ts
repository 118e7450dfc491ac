// Owns: how much each slice would have to replay since its last checkpoint.

import { noSlice } from "./state.ts";

/** Reading a record and taking its changes apart costs about as much as so many bytes of changes. */
const RECORD_COST = 4 * 1024;

/** What has happened to one slice since its checkpoint. */
export interface ReplayCost {
  /** The position of the checkpoint; 0 when there is none. */
  since: number;
  /** The encoded size of that checkpoint. */
  size: number;
  /** The first and the last record since then that changed the slice; 0 when none did. */
  first: number;
  last: number;
  /** Bytes of those changes. */
  bytes: number;
}

export class ReplayCosts {
  readonly #costs = new Map<string, ReplayCost>();

  constructor(names: Iterable<string>) {
    for (const name of names) this.#costs.set(name, fresh(0, 0));
  }

  of(name: string): ReplayCost {
    const cost = this.#costs.get(name);
    if (cost === undefined) throw noSlice(name);
    return cost;
  }

  /** A record at `seq` changed the slice. */
  note(seq: number, name: string, bytes: number): void {
    const cost = this.of(name);
    if (cost.first === 0) cost.first = seq;
    cost.last = seq;
    cost.bytes += bytes;
  }

  /** Takes in what `later` has noted. */
  join(later: ReplayCosts): void {
    for (const [name, { first, last, bytes }] of later.#costs) {
      if (first === 0) continue;
      const cost = this.of(name);
      if (cost.first === 0) cost.first = first;
      cost.last = last;
      cost.bytes += bytes;
    }
  }

  /** There is a checkpoint at `seq` now, and everything so far is in it. Returns what it was before. */
  restart(name: string, seq: number): ReplayCost {
    const old = this.of(name);
    this.#costs.set(name, fresh(seq, old.size));
    return old;
  }

  /** Another process has saved a checkpoint at `seq`. What came after it is still to be replayed; how much is estimated. */
  adopt(name: string, seq: number): void {
    const { size, first, last, bytes } = this.of(name);
    const cost = fresh(seq, size);
    this.#costs.set(name, cost);
    if (last <= seq) return;
    cost.first = Math.max(first, seq + 1);
    cost.last = last;
    cost.bytes = (bytes * (last - cost.first + 1)) / (last - first + 1);
  }

  /** That checkpoint never came to be. */
  putBack(name: string, old: ReplayCost): void {
    const cost = this.of(name);
    const { since, size } = old;
    const first = old.first === 0 ? cost.first : old.first;
    this.#costs.set(name, {
      since,
      size,
      first,
      last: Math.max(old.last, cost.last),
      bytes: old.bytes + cost.bytes,
    });
  }

  /** Slices whose replay up to the record `head` would cost more than `least` and more than reading their checkpoint does. */
  due(least: number, head: number): string[] {
    return [...this.#costs.keys()].filter((name) => {
      const cost = this.of(name);
      return costOf(cost, head) > Math.max(least, cost.size);
    });
  }

  /** For each slice where a replay must begin: the first record since its checkpoint that changed it, or 0. */
  starts(): Record<string, number> {
    return Object.fromEntries([...this.#costs].map(([name, { first }]) => [name, first]));
  }
}

function fresh(since: number, size: number): ReplayCost {
  return { since, size, first: 0, last: 0, bytes: 0 };
}

/** Records of other slices have to be read too, from the first that changed this one on. */
function costOf({ first, bytes }: ReplayCost, head: number): number {
  return first === 0 ? 0 : bytes + (head - first + 1) * RECORD_COST;
}
