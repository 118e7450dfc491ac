import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editJson, type JsonEdit } from "../../src/json/edit/edit.ts";
import { JsonIndexes } from "../../src/json/scan/index-store.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { applySplices } from "../../src/text/splice.ts";
import type { Json } from "../../src/value.ts";
import { runs } from "../effort.ts";
import { type Dice, dice } from "./_documents.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** How many bytes of a document are read to edit it, without anything known about it. */
function bytesRead(bytes: Uint8Array, edits: readonly JsonEdit[]): number {
  const source = memorySource(bytes);
  let total = 0;
  const read: typeof source.read = (...args) => {
    const got = source.read(...args);
    total += got;
    return got;
  };
  editJson({ size: source.size, id: source.id, read }, edits, { indexes: new JsonIndexes() });
  return total;
}

describe("many edits of one container", () => {
  const MANY = 100;
  const KEYS = 200_000;
  const object = encoder.encode(
    JSON.stringify(Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${i}`, i])), undefined, 1),
  );
  const array = encoder.encode(JSON.stringify(Array.from({ length: KEYS }, (_, i) => `item ${i}`)));
  const key = (i: number): string => `key${(i * 7_919 + 13) % KEYS}`;

  const index = (i: number): number => (i * 7_919 + 100_000) % (KEYS - MANY);

  test.each<[string, Uint8Array, (i: number) => JsonEdit]>([
    ["delete", object, (i) => ({ op: "delete", path: [key(i)] })],
    ["set", object, (i) => ({ op: "set", path: [key(i)], value: "new" })],
    ["set of new keys", object, (i) => ({ op: "set", path: [`new${i}`], value: i })],
    ["insert", object, (i) => ({ op: "insert", path: [`new${i}`], value: i })],
    ["rename", object, (i) => ({ op: "rename", path: [key(i)], name: `new${i}` })],
    ["merge", object, (i) => ({ op: "merge", path: [], value: { [key(i)]: "new", [`new${i}`]: 1 } })],
    ["delete of items", array, (i) => ({ op: "delete", path: [index(i)] })],
    ["insert of items", array, (i) => ({ op: "insert", path: [index(i)], value: i })],
    ["append", array, (i) => ({ op: "append", path: [], value: i })],
  ])("[JEDIT-30] a hundred in one call read little more than one does: %s", (_, bytes, edit) => {
    const many = Array.from({ length: MANY }, (_unused, i) => edit(i));
    expect(bytesRead(bytes, many) / bytesRead(bytes, many.slice(0, 1))).toBeLessThan(4);
  });

  /** A document above the size from which an index is kept: one object or array, its members told by a small number. */
  function document(roll: Dice, members: boolean): string {
    const wide = roll(3) === 0 ? ",\n  " : ", ";
    const rows = Array.from({ length: 2_500 + roll(500) }, (_, i) => {
      const value =
        roll(6) === 0 ? `{"in": [${i}, "${"y".repeat(roll(60))}"]}` : `"${"x".repeat(roll(180))}"`;
      const name = roll(8) === 0 ? `\\u006b${i}` : `k${roll(20) === 0 ? roll(50) : i}`;
      return `${members ? `"${name}": ` : ""}${roll(900) === 0 ? `[${"7, ".repeat(12_000)}7]` : value}`;
    });
    const comment = roll(2) === 0 ? "// a comment\n" : "";
    return members ? `${comment}{${rows.join(wide)}}` : `${comment}[${rows.join(wide)}]`;
  }

  function randomEdit(roll: Dice, members: boolean, model: Json): JsonEdit {
    const value: Json =
      roll(3) === 0 ? { n: [roll(9)] } : roll(4) === 0 ? "z".repeat(roll(6_000)) : roll(1_000);
    if (!members) {
      const size = (model as readonly Json[]).length;
      if (roll(6) === 0) return { op: "append", path: [], value };
      const path = [roll(4) === 0 ? size - 1 - roll(4) : roll(size)];
      return roll(3) === 0
        ? { op: "set", path, value }
        : { op: roll(2) === 0 ? "delete" : "insert", path, value };
    }
    const names = Object.keys(model as object);
    const name = names[roll(2) === 0 ? roll(names.length) : Math.max(0, names.length - 1 - roll(8))] ?? "";
    switch (roll(6)) {
      case 0:
      case 1:
        return { op: "delete", path: [name] };
      case 2:
        return { op: "set", path: [roll(2) === 0 ? name : `new${roll(200)}`], value };
      case 3: {
        const fresh = `re${roll(1_000_000)}`;
        return { op: "rename", path: [name], name: fresh };
      }
      case 4:
        return { op: "merge", path: [], value: { [name]: value, [`m${roll(100)}`]: 1 } };
      default: {
        const more = Array.from({ length: 30 }, (_, i) => [`m${roll(400)}`, i] as const);
        return { op: "merge", path: [], value: Object.fromEntries(more) };
      }
    }
  }

  /** What an edit means, by plain data. */
  function naive(model: Json, edit: JsonEdit): Json {
    if (Array.isArray(model)) {
      const items: Json[] = [...(model as readonly Json[])];
      const [at] = edit.path as [number];
      if (edit.op === "append") items.push(edit.value as Json);
      else if (edit.op === "set") items[at] = edit.value as Json;
      else if (edit.op === "insert") items.splice(at, 0, edit.value as Json);
      else items.splice(at, 1);
      return items;
    }
    const members = new Map(Object.entries(model as object)) as Map<string, Json>;
    const [name] = edit.path as [string];
    if (edit.op === "merge")
      for (const [key, value] of Object.entries(edit.value as object)) members.set(key, value as Json);
    else if (edit.op === "set") members.set(name, edit.value as Json);
    else if (edit.op === "delete") members.delete(name);
    else if (edit.op === "rename") {
      members.set(edit.name, members.get(name) as Json);
      members.delete(name);
    }
    return Object.fromEntries(members);
  }

  test("[JEDIT-30] [JEDIT-6] [JSON-84] give what they give one by one without an index, and what plain data say", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const members = roll(3) > 0;
        const bytes = encoder.encode(document(roll, members));
        let model = JSON.parse(decoder.decode(bytes).replace(/^\/\/.*\n/, "")) as Json;
        const edits: JsonEdit[] = [];
        for (let i = 0, n = roll(3) === 0 ? 80 : 2 + roll(30); i < n; i++) {
          const edit = randomEdit(roll, members, model);
          edits.push(edit);
          model = naive(model, edit);
        }
        const indexed = editJson(memorySource(bytes), edits, { indexes: new JsonIndexes() });
        const plain = editJson(memorySource(bytes), edits, { indexes: null });
        expect(indexed.reports).toEqual(plain.reports);
        expect(indexed.splices).toEqual(plain.splices);
        const text = decoder.decode(applySplices(bytes, indexed.splices));
        expect(JSON.parse(text.replace(/^\/\/.*\n/, ""))).toEqual(model);
      }),
      runs(6),
    );
  }, 7_200_000);
});
