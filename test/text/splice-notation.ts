// A one-line notation for splices and generators for the property tests of this room.

import fc from "fast-check";

import type { Splice } from "../../src/text/splice.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** `"2-1+xy 5+z"`: at 2 remove 1 and insert xy, at 5 insert z. */
export function splices(notation: string): Splice[] {
  return notation
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const match = /^(\d+)(?:-(\d+))?(?:\+([^]*))?$/.exec(part);
      if (match === null) throw new Error(`${part} is not a splice`);
      const [, at, remove = "0", insert = ""] = match;
      return { at: Number(at), remove: Number(remove), insert: bytesOf(insert) };
    });
}

export function notationOf(list: readonly Splice[]): string {
  return list
    .map(({ at, remove, insert }) => {
      const removed = remove > 0 ? `-${remove}` : "";
      const inserted = insert.length > 0 ? `+${textOf(insert)}` : "";
      return `${at}${removed}${inserted}`;
    })
    .join(" ");
}

const insertOf = fc
  .string({ unit: fc.constantFrom(...Array.from("abc\n\r\u00e9")), maxLength: 6 })
  .map(bytesOf);

/** Lists that are valid for `size` bytes: touching, empty and pure ones included. */
export function splicesFor(size: number, maxLength = 6): fc.Arbitrary<Splice[]> {
  return fc.array(fc.tuple(fc.nat(4), fc.nat(4), insertOf), { maxLength }).map((parts) => {
    const list: Splice[] = [];
    let at = 0;
    for (const [gap, remove, insert] of parts) {
      at += gap;
      if (at + remove > size) break;
      list.push({ at, remove, insert });
      at += remove;
    }
    return list;
  });
}

export const original: fc.Arbitrary<Uint8Array> = fc
  .string({ unit: fc.constantFrom(...Array.from("0123456789\n\r\u00e9")), maxLength: 24 })
  .map(bytesOf);

export const edit: fc.Arbitrary<{ bytes: Uint8Array; list: Splice[] }> = original.chain((bytes) =>
  splicesFor(bytes.length).map((list) => ({ bytes, list })),
);
