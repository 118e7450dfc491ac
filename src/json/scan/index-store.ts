// Owns: what is remembered about large documents, by content id, within a bound on memory.
// Must never: be wrong about bytes it does not have: everything here was seen in the content of that very id, or moved
// along with splices that were checked against the new content.

import { DEFAULT_LIMITS } from "../../limits.ts";
import type { KeyTable } from "./key-table.ts";
import type { Mode } from "./scanner.ts";

/** A member that was looked up: where its key and value start (NONE: absent), and how often the key occurs. */
export interface KnownMember {
  readonly key: number;
  readonly value: number;
  readonly count: number;
}

/** Bytes between two samples of a container's children: what the first read at a place brings. */
export const SAMPLE_STRIDE = 4_096;

/** The last sample whose number `which` (0: how many come before, 1: place) is at most `limit`. */
export function nearestSample(
  samples: ArrayLike<number>,
  which: 0 | 1,
  limit: number,
): [before: number, place: number] {
  let low = 0;
  let high = samples.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((samples[2 * middle + which] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return [samples[2 * low] ?? 0, samples[2 * low + 1] ?? 0];
}

/** What is known about one large container. */
export class KnownContainer {
  readonly start: number;
  readonly members: boolean;
  end: number;
  /** -1: not counted yet. */
  count = -1;
  /**
   * Pairs of ordinal and place (see IndexableScanner; the first token of a child will do), so that no gap is much
   * larger than the longest child or STRIDE. Empty until counted.
   */
  samples: Float64Array = new Float64Array(0);
  readonly names: Map<string, KnownMember> = new Map();
  table: KeyTable | undefined;
  /** Is it known to be valid JSON or JSONC, all of it? */
  checked = false;
  /** Look-ups that were not known: the second one pays for a table. */
  misses = 0;

  constructor(start: number, end: number, members: boolean) {
    this.start = start;
    this.end = end;
    this.members = members;
  }

  get bytes(): number {
    return 200 + 8 * this.samples.length + 150 * this.names.size + (this.table?.bytes ?? 0);
  }
}

/** What is known about one document. */
export class DocumentIndex {
  readonly modes: Set<Mode> = new Set();
  readonly containers: Map<number, KnownContainer> = new Map();
  /** Where the root value starts (NONE: there is none); undefined when not asked for yet, or after a comment. */
  root: number | undefined;
  /** Pairs: how many LF bytes come before a place, and the place. They reach as far as lines were counted. */
  lines: number[] = [0, 0];

  get bytes(): number {
    let bytes = 200 + 8 * this.lines.length;
    for (const container of this.containers.values()) bytes += container.bytes;
    return bytes;
  }

  /** A document valid in a stricter mode is valid in the looser ones. */
  isValid(mode: Mode): boolean {
    return this.modes.has("strict") || this.modes.has(mode) || (mode === "jsonc" && this.modes.has("json"));
  }
}

/**
 * Indexes of many documents, together at most `maxBytes` (default: the limit `jsonIndexBytes`); the least recently
 * used goes first. One of these is shared by default; a host that serves many parties may give each its own.
 */
export class JsonIndexes {
  /** How many bytes all indexes together may take. */
  readonly maxBytes: number;
  readonly #indexes = new Map<string, { readonly index: DocumentIndex; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number = DEFAULT_LIMITS.jsonIndexBytes) {
    this.maxBytes = maxBytes;
  }

  /** Bytes held, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many documents are indexed. */
  get size(): number {
    return this.#indexes.size;
  }

  /** The index of a content id, moved to the front. @internal */
  get(id: string): DocumentIndex | undefined {
    const held = this.#indexes.get(id);
    if (held === undefined) return undefined;
    this.#indexes.delete(id);
    this.#indexes.set(id, held);
    return held.index;
  }

  /** The same, made when missing. @internal */
  of(id: string): DocumentIndex {
    const known = this.get(id);
    if (known !== undefined) return known;
    const index = new DocumentIndex();
    this.#indexes.set(id, { index, bytes: index.bytes });
    this.#bytes += index.bytes;
    return index;
  }

  /** @internal */
  put(id: string, index: DocumentIndex): void {
    this.drop(id);
    this.#indexes.set(id, { index, bytes: index.bytes });
    this.#bytes += index.bytes;
    this.#evict();
  }

  /** Forgets the index of a content id. The next read scans the document again. */
  drop(id: string): void {
    this.#bytes -= this.#indexes.get(id)?.bytes ?? 0;
    this.#indexes.delete(id);
  }

  /** To be called after an index has learned something: moves it to the front, counts it anew and makes room. @internal */
  weigh(id: string, index: DocumentIndex): void {
    this.put(id, index);
  }

  #evict(): void {
    for (const id of this.#indexes.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.drop(id);
    }
  }
}

let shared: JsonIndexes | undefined;

/**
 * The indexes that are used when none are named.
 *
 * @example getJson(source, "$.a", { indexes: sharedIndexes() })
 */
export function sharedIndexes(): JsonIndexes {
  return (shared ??= new JsonIndexes());
}
