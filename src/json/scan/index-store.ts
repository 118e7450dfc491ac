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

/** What is known about one large container. */
export class KnownContainer {
  readonly start: number;
  readonly members: boolean;
  end: number;
  /** -1: not counted yet. */
  count = -1;
  /** Pairs of ordinal and place (see IndexableScanner), so that no gap is much larger than the longest child or STRIDE. Empty until counted. */
  samples: Float64Array = new Float64Array(0);
  readonly names: Map<string, KnownMember> = new Map();
  table: KeyTable | undefined;
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
  /** How many LF bytes are before each multiple of the line stride. */
  lines: number[] = [0];

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

  get size(): number {
    return this.#indexes.size;
  }

  /** The index of a content id, moved to the front. */
  get(id: string): DocumentIndex | undefined {
    const held = this.#indexes.get(id);
    if (held === undefined) return undefined;
    this.#indexes.delete(id);
    this.#indexes.set(id, held);
    return held.index;
  }

  /** The same, made when missing. */
  of(id: string): DocumentIndex {
    const known = this.get(id);
    if (known !== undefined) return known;
    const index = new DocumentIndex();
    this.#indexes.set(id, { index, bytes: index.bytes });
    this.#bytes += index.bytes;
    return index;
  }

  put(id: string, index: DocumentIndex): void {
    this.drop(id);
    this.#indexes.set(id, { index, bytes: index.bytes });
    this.#bytes += index.bytes;
    this.#evict();
  }

  drop(id: string): void {
    this.#bytes -= this.#indexes.get(id)?.bytes ?? 0;
    this.#indexes.delete(id);
  }

  /** To be called after an index has learned something: moves it to the front, counts it anew and makes room. */
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

/** The indexes that are used when none are named. */
export function sharedIndexes(): JsonIndexes {
  return (shared ??= new JsonIndexes());
}
