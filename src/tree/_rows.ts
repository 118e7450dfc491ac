// Owns: the compact form of the rows of a large insert.

import type { Json, JsonObject } from "../value.ts";
import { ByteReader, ByteWriter, damaged } from "./_bytes.ts";
import type { NodeRow } from "./operation.ts";

const FORM = 1;
const AFTER = 1;
const SHARES = 2;
const FOREIGN = 4;
const TAGS = 8;

/*
 * form, count, JSON list of type names, then per row: flags, slot as a link from the slot before, parent as a link
 * from the slot, type; by flag: after (+1), shared slot. Last, one JSON list of what is text: payloads, then foreign
 * ids, then tags, each in row order.
 */

/** Rows as bytes: about 6 bytes a row besides the JSON of its payload. */
export function packRows(rows: readonly NodeRow[]): Uint8Array {
  const out = new ByteWriter(rows.length * 8 + 64);
  const types = new Map<string, number>();
  for (const row of rows) if (!types.has(row.t)) types.set(row.t, types.size);
  out.int(FORM);
  out.int(rows.length);
  out.text(JSON.stringify([...types.keys()]));
  const payloads: JsonObject[] = [];
  const ids: string[] = [];
  const tags: (readonly string[])[] = [];
  let before = -2;
  for (const row of rows) {
    out.int(
      (row.a === undefined ? 0 : AFTER) |
        (row.r === undefined ? 0 : SHARES) |
        (row.id === undefined ? 0 : FOREIGN) |
        (row.g === undefined ? 0 : TAGS),
    );
    out.link(row.s, before);
    out.link(row.u, row.s);
    out.int(types.get(row.t) as number);
    if (row.a !== undefined) out.int(row.a + 1);
    if (row.r === undefined) payloads.push(row.p ?? {});
    else out.int(row.r);
    if (row.id !== undefined) ids.push(row.id);
    if (row.g !== undefined) tags.push(row.g);
    before = row.s;
  }
  out.text(JSON.stringify([payloads, ids, tags]));
  return out.done();
}

/** The rows again. Throws `internal` / `damaged_tree_data` on anything else. */
export function unpackRows(bytes: Uint8Array): NodeRow[] {
  const input = new ByteReader(bytes);
  if (input.int() !== FORM) throw damaged();
  const count = input.int();
  const types = input.json() as string[];
  const heads: { flags: number; s: number; u: number; t: string; a: number; r: number }[] = [];
  let before = -2;
  for (let i = 0; i < count; i++) {
    const flags = input.int();
    const s = input.link(before);
    const u = input.link(s);
    const t = types[input.int()];
    if (t === undefined || s < 0) throw damaged();
    const a = (flags & AFTER) === 0 ? 0 : input.int() - 1;
    const r = (flags & SHARES) === 0 ? 0 : input.int();
    heads.push({ flags, s, u, t, a, r });
    before = s;
  }
  const [payloads, ids, tags] = input.json() as [JsonObject[], string[], string[][]];
  let payload = 0;
  let id = 0;
  let tag = 0;
  return heads.map(({ flags, s, u, t, a, r }): NodeRow => {
    const row: { -readonly [K in keyof NodeRow]: NodeRow[K] } = { s, u, t };
    if ((flags & AFTER) !== 0) row.a = a;
    if ((flags & SHARES) !== 0) row.r = r;
    else row.p = deepFreeze(payloads[payload++] as Json) as JsonObject;
    if ((flags & FOREIGN) !== 0) row.id = ids[id++] as string;
    if ((flags & TAGS) !== 0) row.g = Object.freeze(tags[tag++] as string[]);
    return row;
  });
}

/** Freezes parsed JSON through and through. Iterative. */
export function deepFreeze(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  const stack: object[] = [value];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    Object.freeze(at);
    for (const key of Object.keys(at)) {
      const part = (at as { readonly [key: string]: unknown })[key];
      if (typeof part === "object" && part !== null) stack.push(part);
    }
  }
  return value;
}
