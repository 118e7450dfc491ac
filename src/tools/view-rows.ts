// Owns: what each agent keeps for itself: its view, and the results of view calls that may be asked for again.
// Must never: make a record. A row is stored without history; a late caller is told so and looks again.

import type { Journal } from "../store/journal.ts";
import type { Json } from "../value.ts";
import type { ViewKind } from "./tool.ts";

/** What a call wants done to a view. */
export interface ViewChange {
  readonly kind: ViewKind<unknown>;
  readonly of: (view: unknown) => unknown;
}

/** The result of a call with an idempotency key. */
export interface StoredResult {
  readonly key: string;
  readonly request: string;
  readonly result: Json;
}

const CACHED_AGENTS = 256;
const MOST_RESULTS = 64;
const MOST_CHARS = 64 * 1024;
const HEAD = 4;

/** One agent's row. Immutable. */
export class ViewRow {
  readonly rev: number;
  readonly results: readonly StoredResult[];
  readonly bytes: Uint8Array;
  readonly #views = new Map<object, unknown>();

  constructor(rev: number, results: readonly StoredResult[], bytes: Uint8Array) {
    this.rev = rev;
    this.results = results;
    this.bytes = bytes;
  }

  view<V>(kind: ViewKind<V>): V {
    if (!this.#views.has(kind))
      this.#views.set(kind, this.bytes.length === 0 ? kind.empty : kind.decode(this.bytes));
    return this.#views.get(kind) as V;
  }

  resultOf(key: string): StoredResult | undefined {
    return this.results.find((one) => one.key === key);
  }
}

const NO_BYTES = new Uint8Array(0);

export class ViewRows {
  readonly #journal: Journal;
  /** Rows as last seen: decoding a large view again and again is saved. */
  readonly #seen = new Map<string, ViewRow>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(agent: string): Promise<ViewRow> {
    const loaded = await this.#journal.views.load(agent);
    const seen = this.#seen.get(agent);
    if (seen !== undefined && seen.rev === (loaded?.rev ?? 0)) return seen;
    const row = loaded === undefined ? new ViewRow(0, [], NO_BYTES) : decodeRow(loaded.rev, loaded.bytes);
    this.#remember(agent, row);
    return row;
  }

  /** The next row, or undefined when `row` is no longer the last. */
  async save(
    agent: string,
    row: ViewRow,
    change: ViewChange | undefined,
    result?: StoredResult,
  ): Promise<ViewRow | undefined> {
    const view = change?.of(row.view(change.kind));
    const bytes = change === undefined ? row.bytes : change.kind.encode(view);
    const results = result === undefined ? row.results : withResult(row.results, result);
    const saved = await this.#journal.views.save(agent, row.rev, encodeRow(results, bytes));
    if (!("rev" in saved)) return undefined;
    const next = new ViewRow(saved.rev, results, bytes);
    this.#remember(agent, next);
    return next;
  }

  #remember(agent: string, row: ViewRow): void {
    this.#seen.delete(agent);
    this.#seen.set(agent, row);
    if (this.#seen.size <= CACHED_AGENTS) return;
    for (const oldest of this.#seen.keys()) {
      this.#seen.delete(oldest);
      return;
    }
  }
}

/** The newest results, within bounds; the newest of all always. */
function withResult(results: readonly StoredResult[], result: StoredResult): StoredResult[] {
  const newest = [result];
  let chars = JSON.stringify(result).length;
  for (const one of results) {
    chars += JSON.stringify(one).length;
    if (newest.length >= MOST_RESULTS || chars > MOST_CHARS) break;
    newest.push(one);
  }
  return newest;
}

/** Four bytes with the length of the results, the results as JSON, then the view as its kind writes it. */
function encodeRow(results: readonly StoredResult[], view: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(results));
  const row = new Uint8Array(HEAD + head.length + view.length);
  new DataView(row.buffer).setUint32(0, head.length);
  row.set(head, HEAD);
  row.set(view, HEAD + head.length);
  return row;
}

function decodeRow(rev: number, row: Uint8Array): ViewRow {
  const length = new DataView(row.buffer, row.byteOffset, row.byteLength).getUint32(0);
  const head = new TextDecoder().decode(row.subarray(HEAD, HEAD + length));
  return new ViewRow(rev, JSON.parse(head) as StoredResult[], row.subarray(HEAD + length));
}
