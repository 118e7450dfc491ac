// Owns: checkpoints read: the forest that `encode` wrote.
// Must never: depend on how the bytes were split, or trust them: a damaged stream is `internal` / `damaged_tree_data`.

import type { JsonObject } from "../value.ts";
import { ByteReader, damaged } from "./_bytes.ts";
import { checksum, FRAME_HEAD, LINKS, MAGIC, type TreeHead } from "./_frames.ts";
import { IdTableDraft, NO_IDS } from "./_id-table.ts";
import { branchesToMark, markAll, NONE_REMOVED } from "./_removed.ts";
import {
  COUNT,
  FIELDS,
  MASK,
  NO_SLOT,
  PAGE,
  PARENT,
  ROOT_SLOT,
  TYPE,
  emptyColumn,
  newEpoch,
  ownPage,
  type Page,
  type Table,
} from "./_page.ts";
import { Forest } from "./forest.ts";
import { deepFreeze } from "./payload.ts";
import { Tree } from "./tree.ts";

/**
 * The forest again, however the chunks were cut. O(bytes). Rejects with `internal` / `damaged_tree_data` for other
 * bytes, and with what the chunks throw.
 *
 * @example const forest = await decode(createReadStream("plan.trees"));
 */
export async function decode(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Forest> {
  const decoder = new Decoder();
  for await (const chunk of chunks) decoder.push(chunk);
  return decoder.done();
}

/**
 * The same without waiting, for bytes that are at hand. Blocks for all of them, O(bytes). Throws `internal` /
 * `damaged_tree_data`.
 *
 * @example const forest = decodeSync(encode(other));
 */
export function decodeSync(chunks: Iterable<Uint8Array>): Forest {
  const decoder = new Decoder();
  for (const chunk of chunks) decoder.push(chunk);
  return decoder.done();
}

class Decoder {
  #pieces: Uint8Array[] = [];
  #waiting = 0;
  #needed: number = FRAME_HEAD;
  #heads: readonly TreeHead[] | undefined;
  #builder: TreeBuilder | undefined;
  readonly #trees = new Map<string, Tree>();

  /** Pieces are joined only when a whole frame is there, so that tiny chunks cost no more than large ones. */
  push(chunk: Uint8Array): void {
    this.#pieces.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting < this.#needed) return;
    const bytes = join(this.#pieces, this.#waiting);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    this.#needed = FRAME_HEAD;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = view.getUint32(at, true);
      this.#needed = length + FRAME_HEAD;
      if (bytes.length - at < this.#needed) break;
      const body = bytes.subarray(at + FRAME_HEAD, at + this.#needed);
      if (checksum(body) !== view.getUint32(at + 4, true)) throw damaged();
      this.#frame(body);
      at += this.#needed;
      this.#needed = FRAME_HEAD;
    }
    this.#pieces = at < bytes.length ? [bytes.slice(at)] : [];
    this.#waiting = bytes.length - at;
  }

  done(): Forest {
    if (this.#heads === undefined || this.#waiting > 0 || this.#trees.size !== this.#heads.length)
      throw damaged();
    return new Forest(this.#trees);
  }

  #frame(bytes: Uint8Array): void {
    const input = new ByteReader(bytes);
    if (this.#heads === undefined) {
      if (input.text() !== MAGIC) throw damaged();
      this.#heads = input.json() as TreeHead[];
    } else {
      const head = this.#heads[this.#trees.size];
      if (head === undefined) throw damaged();
      this.#builder ??= new TreeBuilder(head);
      this.#builder.run(input);
    }
    this.#finish();
  }

  #finish(): void {
    for (;;) {
      const head = this.#heads?.[this.#trees.size];
      if (head === undefined) return;
      this.#builder ??= new TreeBuilder(head);
      if (!this.#builder.complete) return;
      const tree = this.#builder.done();
      this.#trees.set(tree.id, tree);
      this.#builder = undefined;
    }
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

class TreeBuilder {
  readonly #head: TreeHead;
  readonly #table: Table = [];
  readonly #owner: number = newEpoch();
  readonly #ids: IdTableDraft = new IdTableDraft(NO_IDS);
  #hasIds = false;
  /** Of removed branches. */
  readonly #tops: number[] = [];
  #at = 0;

  constructor(head: TreeHead) {
    if (!Number.isInteger(head.size) || head.size < 1 || !Array.isArray(head.typeNames)) throw damaged();
    this.#head = head;
  }

  get complete(): boolean {
    return this.#at >= this.#head.size;
  }

  #page(slot: number): Page {
    return ownPage(this.#table, slot, this.#owner);
  }

  run(input: ByteReader): void {
    const { size, typeNames } = this.#head;
    const to = this.#at + input.int();
    if (to > size || to <= this.#at) throw damaged();
    const held: number[] = [];
    for (let slot = this.#at; slot < to; slot++) {
      const type = input.int() - 1;
      if (type >= typeNames.length) throw damaged();
      if (type < 0) continue;
      held.push(slot);
      const { links } = this.#page(slot);
      const at = (slot & MASK) * FIELDS;
      for (let i = 0; i < LINKS.length; i++) {
        const link = input.link(slot);
        if (link >= size || link < NO_SLOT) throw damaged();
        links[at + (LINKS[i] as number)] = link;
      }
      if (links[at + PARENT] === NO_SLOT && slot !== ROOT_SLOT) this.#tops.push(slot);
      links[at + COUNT] = input.int();
      links[at + TYPE] = type;
    }
    this.#texts(input.json(), held);
    this.#at = to;
  }

  #texts(lists: unknown, held: readonly number[]): void {
    if (!Array.isArray(lists) || lists.length !== 4) throw damaged();
    const [payloads, tags, ids, twins] = lists as [
      (JsonObject | number)[],
      [number, string[]][],
      [number, string][],
      [number, number][],
    ];
    if (!Array.isArray(payloads) || payloads.length !== held.length) throw damaged();
    for (let i = 0; i < held.length; i++) {
      const slot = held[i] as number;
      const given = payloads[i] as JsonObject | number;
      const payload = typeof given === "number" ? this.#page(given).payloads[given & MASK] : given;
      if (typeof payload !== "object" || payload === null) throw damaged();
      this.#page(slot).payloads[slot & MASK] = deepFreeze(payload) as JsonObject;
    }
    for (const [slot, list] of tags) {
      const page = this.#page(slot);
      page.tags ??= emptyColumn<readonly string[]>();
      page.tags[slot & MASK] = Object.freeze(list);
    }
    for (const [slot, alias] of ids) {
      const page = this.#page(slot);
      page.ids ??= emptyColumn<string>();
      page.ids[slot & MASK] = alias;
      this.#hasIds = true;
      this.#ids.add(alias, slot, (other) => this.#page(other).ids?.[other & MASK]);
    }
    for (const [slot, twin] of twins) {
      const page = this.#page(slot);
      page.twins ??= new Int32Array(PAGE).fill(NO_SLOT);
      page.twins[slot & MASK] = twin;
    }
  }

  done(): Tree {
    const { ordinal, name, types, dropped, size, live, deepest, typeNames } = this.#head;
    const facts = { ordinal, name, types, dropped };
    const columns = {
      table: this.#table,
      size,
      live,
      deepest,
      typeNames,
      ids: this.#hasIds ? this.#ids.done() : NO_IDS,
      shape: {},
      kin: {},
      removed: NONE_REMOVED,
    };
    const tree = new Tree(facts, columns);
    const marked = branchesToMark(tree, this.#tops) ?? [];
    return marked.length === 0
      ? tree
      : new Tree(facts, { ...columns, removed: markAll(NONE_REMOVED, marked, true) });
  }
}
