// Owns: checkpoints: a forest as chunks of bytes and back, removed branches included, so that undo works after reopening.
// Must never: depend on how the bytes were split, or trust them: a damaged stream is `internal` / `damaged_tree_data`.

import type { JsonObject } from "../value.ts";
import { ByteReader, ByteWriter, damaged } from "./_bytes.ts";
import { IdTableDraft, NO_IDS } from "./_id-table.ts";
import { branchesToMark, markAll, NONE_REMOVED } from "./_removed.ts";
import {
  COUNT,
  FIELDS,
  FIRST,
  MASK,
  NO_SLOT,
  PAGE,
  PARENT,
  LAST,
  NEXT,
  PREV,
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
import type { PayloadTypes } from "./payload-types.ts";
import { Tree } from "./tree.ts";

/*
 * A stream of frames, each with its length and a checksum in front (4 bytes each, little-endian).
 *   first frame: the text "holdfast tree 2", then JSON: one head per tree
 *   then, per tree, frames for some slots each, one after another: how many; per slot type + 1 (0: empty) and, if not
 *   empty, the five links as distances and the count; then one JSON list [payloads, tags, ids, twins]. A payload that
 *   is a number means the payload of that slot (they share it); tags, ids and twins are lists of [slot, value].
 */
const MAGIC = "holdfast tree 2";

/** A frame ends after so many slots or characters of payload. Reading one takes about a millisecond: time to pause. */
const RUN = 1_024;
const RUN_CHARS = 64 * 1_024;
const LINKS: readonly number[] = [PARENT, PREV, NEXT, FIRST, LAST];

interface Head {
  readonly ordinal: number;
  readonly name: string;
  readonly types?: PayloadTypes;
  readonly dropped: boolean;
  readonly size: number;
  readonly live: number;
  readonly deepest: number;
  readonly typeNames: readonly string[];
}

/** A forest as bytes, in chunks that come as they are asked for. */
export function* encode(forest: Forest): Iterable<Uint8Array> {
  const heads = [...forest.all.values()].map((tree): Head => {
    const { ordinal, name, types, dropped } = tree.facts;
    const { size, live, deepest, typeNames } = tree;
    return {
      ordinal,
      name,
      ...(types === undefined ? {} : { types }),
      dropped,
      size,
      live,
      deepest,
      typeNames,
    };
  });
  const head = new ByteWriter();
  head.text(MAGIC);
  head.text(JSON.stringify(heads));
  yield frame(head.done());
  for (const tree of forest.all.values()) {
    const shared = new Map<number, number>();
    for (let from = 0; from < tree.size;) {
      const run = encodeRun(tree, from, shared);
      yield frame(run.bytes);
      from = run.to;
    }
  }
}

const HEAD = 8;

function frame(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(bytes.length + HEAD);
  const head = new DataView(framed.buffer);
  head.setUint32(0, bytes.length, true);
  head.setUint32(4, checksum(bytes), true);
  framed.set(bytes, HEAD);
  return framed;
}

/** Every step is reversible, so that a change of one word always shows. */
function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.length & ~3;
  let sum = 0x811c9dc5 ^ bytes.length;
  for (let at = 0; at < words; at += 4) {
    sum = Math.imul(sum ^ view.getUint32(at, true), 0x01000193);
    sum ^= sum >>> 15;
  }
  for (let at = words; at < bytes.length; at++) sum = Math.imul(sum ^ (bytes[at] as number), 0x01000193);
  return sum >>> 0;
}

/** `shared` leads from each slot of a ring to its first: what is written follows from the rings, never from which objects happen to be one. */
function encodeRun(
  tree: Tree,
  from: number,
  shared: Map<number, number>,
): { readonly bytes: Uint8Array; readonly to: number } {
  const out = new ByteWriter(RUN * 10 + 64);
  const payloads: string[] = [];
  let chars = 0;
  const tags: [number, readonly string[]][] = [];
  const ids: [number, string][] = [];
  const twins: [number, number][] = [];
  const most = Math.min(tree.size, from + RUN);
  let slot = from;
  for (; slot < most && chars < RUN_CHARS; slot++) {
    const type = tree.field(slot, TYPE);
    out.int(type + 1);
    if (type < 0) continue;
    for (const field of LINKS) out.link(tree.field(slot, field), slot);
    out.int(tree.countOf(slot));
    const known = shared.get(slot);
    const twin = tree.twinOf(slot);
    if (twin !== slot) {
      twins.push([slot, twin]);
      if (known === undefined) for (let at = twin; at !== slot; at = tree.twinOf(at)) shared.set(at, slot);
    }
    const text = known === undefined ? JSON.stringify(tree.payloadOf(slot)) : String(known);
    payloads.push(text);
    chars += text.length;
    const tagged = tree.tagsOf(slot);
    if (tagged.length > 0) tags.push([slot, tagged]);
    const alias = tree.aliasOf(slot);
    if (alias !== undefined) ids.push([slot, alias]);
  }
  const rare = JSON.stringify([tags, ids, twins]);
  out.text(`[[${payloads.join(",")}],${rare.slice(1)}`);
  const framed = new ByteWriter(out.length + 8);
  framed.int(slot - from);
  framed.raw(out.done());
  return { bytes: framed.done(), to: slot };
}

/** The forest again, however the chunks were cut. */
export async function decode(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Forest> {
  const decoder = new Decoder();
  for await (const chunk of chunks) decoder.push(chunk);
  return decoder.done();
}

/** The same without waiting, for bytes that are at hand. */
export function decodeSync(chunks: Iterable<Uint8Array>): Forest {
  const decoder = new Decoder();
  for (const chunk of chunks) decoder.push(chunk);
  return decoder.done();
}

class Decoder {
  #pieces: Uint8Array[] = [];
  #waiting = 0;
  #needed: number = HEAD;
  #heads: readonly Head[] | undefined;
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
    this.#needed = HEAD;
    while (bytes.length - at >= HEAD) {
      const length = view.getUint32(at, true);
      this.#needed = length + HEAD;
      if (bytes.length - at < this.#needed) break;
      const body = bytes.subarray(at + HEAD, at + this.#needed);
      if (checksum(body) !== view.getUint32(at + 4, true)) throw damaged();
      this.#frame(body);
      at += this.#needed;
      this.#needed = HEAD;
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
      this.#heads = input.json() as Head[];
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
  readonly #head: Head;
  readonly #table: Table = [];
  readonly #owner: number = newEpoch();
  readonly #ids: IdTableDraft = new IdTableDraft(NO_IDS);
  #hasIds = false;
  /** Of removed branches. */
  readonly #tops: number[] = [];
  #at = 0;

  constructor(head: Head) {
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
