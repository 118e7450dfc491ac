import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { carryIndex, carryIndexSteps, openScanner } from "../../src/json/scan/open.ts";
import { getJson } from "../../src/json/read/get.ts";
import { Keys, NONE, PAUSED, type Scanner, STRIDE, Watch } from "../../src/json/scan/scanner.ts";
import { JsonIndexes } from "../../src/json/scan/index-store.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import type { ByteSource } from "../../src/text/byte-source.ts";
import type { Splice } from "../../src/text/splice.ts";
import { validateJson } from "../../src/json/read/validate.ts";
import { type Dice, dice, randomDocument } from "./_documents.ts";
import { settled } from "./_walk.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
if (LONG) vi.setConfig({ testTimeout: 7_200_000 });
const RUNS = LONG ? 1_000 : 15;
const encoder = new TextEncoder();

/** A document above the size from which an index is kept: nested containers of records, some large, some small. */
function large(roll: Dice): string {
  const part = (): string => {
    const items: string[] = [];
    const members = roll(2) === 0;
    for (let i = 0, n = 1 + roll(600); i < n; i++) {
      const value = roll(5) === 0 ? `"${"x".repeat(roll(400))}"` : randomDocument(roll, { size: 12 }).trim();
      items.push(members ? `${roll(9) === 0 ? "\n " : ""}"k${roll(700)}" : ${value}` : value);
    }
    return members ? `{${items.join(", ")}}` : `[${items.join(",\n")}]`;
  };
  const parts: string[] = [];
  let size = 0;
  while (size < 300_000) {
    const next = part();
    parts.push(next);
    size += next.length;
  }
  return roll(2) === 0
    ? `[${parts.join(", ")}]`
    : `{${parts.map((text, i) => `"part${i}": ${text}`).join(",\n")}}`;
}

/** Counts what is read. */
function counting(source: ByteSource): ByteSource & { read: ByteSource["read"]; total: number } {
  const counted = {
    size: source.size,
    id: source.id,
    total: 0,
    read(at: number, into: Uint8Array, offset: number, length: number): number {
      const got = source.read(at, into, offset, length);
      counted.total += got;
      return got;
    },
  };
  return counted;
}

/** Asks `rounds` random questions of both scanners; the results must be the same. */
function quiz(roll: Dice, asked: Scanner, fresh: Scanner, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    let at = fresh.root();
    for (let depth = 0; depth < 3 && at !== NONE; depth++) {
      const kind = fresh.kind(at);
      if (kind !== "object" && kind !== "array") break;
      if (roll(2) === 0) expect(settled(asked, asked.count(at))).toBe(fresh.count(at));
      if (roll(3) === 0) expect(settled(asked, asked.end(at))).toBe(fresh.end(at));
      const count = fresh.count(at);
      const index = roll(count + 2);
      const value = fresh.nth(at, index);
      expect(settled(asked, asked.nth(at, index))).toBe(value);
      const [one, two] = [asked.children(at, index), fresh.children(at, index)];
      let start = one.next();
      while (start === PAUSED) start = one.next();
      expect(start).toBe(two.next());
      if (start !== NONE) expect(one.index).toBe(two.index);
      expect([one.keyStart, one.keyEnd, one.start, one.end]).toEqual([
        two.keyStart,
        two.keyEnd,
        two.start,
        two.end,
      ]);
      if (kind === "object") {
        const names = [`k${roll(700)}`, `part${roll(4)}`].slice(0, 1 + roll(2));
        const [mine, theirs] = [new Keys(...names), new Keys(...names)];
        expect(settled(asked, asked.find(at, mine))).toBe(fresh.find(at, theirs));
        expect([mine.keys, mine.values, mine.counts]).toEqual([theirs.keys, theirs.values, theirs.counts]);
        const [first, second] = [new Keys(names[0] ?? ""), new Keys(names[0] ?? "")];
        expect(settled(asked, asked.seek(at, first))).toBe(fresh.seek(at, second));
      }
      const place = roll(fresh.source.size);
      expect(settled(asked, asked.lines(place))).toBe(fresh.lines(place));
      at = value;
    }
  }
}

/** Where the key of a member starts. */
function keyOf(scanner: Scanner, at: number, index: number): number {
  const children = scanner.children(at, index);
  children.next();
  return children.keyStart;
}

/** A random edit that keeps the document valid, as splices: values set, removed, put in; inside containers of any size. */
function randomEdit(roll: Dice, scanner: Scanner): Splice[] {
  const splices: Splice[] = [];
  const want = 1 + roll(3);
  for (let tries = 0; splices.length < want && tries < 20; tries++) {
    let at = scanner.root();
    for (let depth = 1 + roll(3); depth > 0; depth--) {
      const kind = scanner.kind(at);
      const count = kind === "object" || kind === "array" ? scanner.count(at) : 0;
      if (count < 1) break;
      const child = scanner.children(at, roll(count));
      const start = child.next();
      if (start === NONE) break;
      if (depth === 1) {
        const insert = randomDocument(roll, { size: 6 });
        const whole = child.keyStart === NONE ? start : child.keyStart;
        switch (roll(4)) {
          case 0:
            splices.push({ at: start, remove: child.end - start, insert: encoder.encode(insert.trim()) });
            break;
          case 1: {
            // Take the child away with the comma after it, if one is there.
            const comma = scanner.blank(child.end);
            if (scanner.byte(comma) === 0x2c)
              splices.push({ at: whole, remove: comma + 1 - whole, insert: new Uint8Array() });
            break;
          }
          case 2:
            splices.push({
              at: whole,
              remove: 0,
              insert: encoder.encode(child.keyStart === NONE ? `${insert},` : `"k${roll(700)}":${insert}, `),
            });
            break;
          default: {
            const close = scanner.end(at) - 1;
            splices.push({
              at: close,
              remove: 0,
              insert: encoder.encode(child.keyStart === NONE ? `,${insert}` : `,"k${roll(700)}":${insert}`),
            });
          }
        }
      }
      at = start;
    }
  }
  splices.sort((a, b) => a.at - b.at);
  const apart: Splice[] = [];
  for (const splice of splices) {
    const before = apart.at(-1);
    if (before === undefined || before.at + before.remove < splice.at) apart.push(splice);
  }
  return apart;
}

function apply(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(bytes.subarray(at, splice.at), splice.insert);
    at = splice.at + splice.remove;
  }
  parts.push(bytes.subarray(at));
  return Uint8Array.from(Buffer.concat(parts));
}

describe("the index", () => {
  test("[JSON-80] learns the children of a container of the root from a check that comes by", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const source = memorySource(encoder.encode(large(roll)));
        const fresh = openScanner(source, { indexes: null });
        const root = fresh.root();
        const start = fresh.nth(root, roll(fresh.count(root)));
        const watch = new Watch(start);
        const indexes = new JsonIndexes();
        const pauses = roll(2) === 0 ? { pauseEvery: 1 } : {};
        const window = [64, 4096, 262_144][roll(3)] ?? 64;
        const asked = openScanner(source, { indexes, window, ...pauses });
        expect(settled(asked, asked.check("json", watch))).toBe(NONE);
        expect(watch.end).toBe(fresh.end(start));
        const { samples } = watch;
        for (let i = 2; i < samples.length; i += 2) {
          const [ordinal = 0, place = 0] = samples.slice(i, i + 2);
          expect(fresh.byte(place - 1)).toBe(0x2c);
          expect(fresh.blank(place)).toBe(
            fresh.byte(start) === 0x5b ? fresh.nth(start, ordinal) : keyOf(fresh, start, ordinal),
          );
          expect(place - (samples[i - 1] ?? 0)).toBeGreaterThanOrEqual(STRIDE);
        }
        const known = indexes.get(source.id)?.containers.get(start);
        expect(known?.count).toBe(watch.end - start > STRIDE ? fresh.count(start) : undefined);
        quiz(roll, asked, fresh, 20);
      }),
      { numRuns: RUNS },
    );
  });

  test("[JSON-80] a watched container that holds only blanks has no children", () => {
    const source = memorySource(encoder.encode(`{"a": [${" ".repeat(300_000)}], "b": [1]}`));
    const scanner = openScanner(source, { indexes: new JsonIndexes() });
    const watch = new Watch(6);
    expect(scanner.check("json", watch)).toBe(NONE);
    expect([watch.end, scanner.count(6)]).toEqual([300_008, 0]);
  });

  test("[JSON-80] gives the results of a fresh scan, first and repeated, however often a call pauses", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const source = memorySource(large(roll));
        const indexes = new JsonIndexes();
        const fresh = openScanner(source, { indexes: null });
        quiz(roll, openScanner(source, { indexes, pauseEvery: 1 }), fresh, 6);
        quiz(roll, openScanner(source, { indexes }), fresh, 6);
      }),
      { numRuns: RUNS },
    );
  });

  test("[JSON-84] is carried through edits: results equal those of a fresh scan of the new bytes", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        let bytes = encoder.encode(large(roll));
        let source = memorySource(bytes);
        const indexes = new JsonIndexes();
        quiz(roll, openScanner(source, { indexes }), openScanner(source, { indexes: null }), 5);
        for (let edits = 0; edits < 3; edits++) {
          const splices = randomEdit(roll, openScanner(source, { indexes: null }));
          bytes = apply(bytes, splices);
          const next = memorySource(bytes);
          expect(validateJson(next, { indexes: null }).valid).toBe(true);
          carryIndex(source, next, splices, true, indexes);
          quiz(roll, openScanner(next, { indexes }), openScanner(next, { indexes: null }), 5);
          source = next;
        }
      }),
      { numRuns: RUNS },
    );
  });

  const records = `{"meta": 1, "records": [${Array.from({ length: 60_000 }, (_, i) => `{"id": ${i}, "name": "record number ${i}", "tags": ["a", "b"]}`).join(",\n")}], "tail": {"x": 1}}`;

  test("[JSON-81] makes the second look at a place cheap", () => {
    const source = counting(memorySource(records));
    const indexes = new JsonIndexes();
    const look = (index: number): string => {
      const scanner = openScanner(source, { indexes });
      const keys = new Keys("records");
      scanner.find(scanner.root(), keys);
      const at = scanner.nth(keys.values[0] ?? NONE, index);
      const id = new Keys("id");
      scanner.find(at, id);
      const value = id.values[0] ?? NONE;
      return new TextDecoder().decode(scanner.bytes(value, scanner.end(value)));
    };
    expect(look(59_999)).toBe("59999");
    source.total = 0;
    expect(look(30_000)).toBe("30000");
    expect(look(59_998)).toBe("59998");
    expect(source.total).toBeLessThan(400_000);
    expect(source.size).toBeGreaterThan(3_500_000);
  });

  test("[JSON-81] a repeated get reads one place and nothing else of the document", () => {
    const inner = memorySource(records);
    const places: number[] = [];
    const source = {
      size: inner.size,
      id: inner.id,
      read: (...[at, into, offset, length]: Parameters<typeof inner.read>): number => {
        places.push(at, at + length);
        return inner.read(at, into, offset, length);
      },
    };
    const indexes = new JsonIndexes();
    getJson(source, "$.records[59999].name", { indexes });
    for (const index of [64, 12_345, 30_000, 59_998]) {
      places.length = 0;
      const got = getJson(source, `$.records[${index}].name`, { indexes });
      const start = got.kind === "matches" ? NONE : got.start;
      expect(Math.min(...places)).toBeGreaterThan(start - 40_000);
      expect(Math.max(...places)).toBeLessThan(start + 100_000);
    }
  });

  test("[JSON-84] the index of a large document is shifted in steps", () => {
    const text = `[${Array.from({ length: 6_000 }, () => `"${"x".repeat(2_000)}"`).join()}]`;
    const source = memorySource(text);
    const indexes = new JsonIndexes();
    openScanner(source, { indexes }).count(0);
    const splices = [{ at: 1, remove: 2_002, insert: encoder.encode("1") }];
    const next = memorySource(apply(encoder.encode(text), splices));
    const steps = carryIndexSteps(source, next, splices, true, indexes);
    let yields = 0;
    while (steps.next().done !== true) yields++;
    // Once between the edited part and the samples, and once in every thousand samples.
    expect(yields).toBeGreaterThanOrEqual(2);
    expect(openScanner(next, { indexes }).count(0)).toBe(6_000);
  });

  test("[JSON-84] keeps far places known through an edit, and reads only around it", () => {
    const source = memorySource(records);
    const indexes = new JsonIndexes();
    const scanner = openScanner(source, { indexes });
    const keys = new Keys("records");
    scanner.find(scanner.root(), keys);
    const list = keys.values[0] ?? NONE;
    expect(scanner.count(list)).toBe(60_000);
    const target = scanner.nth(list, 10);
    const splices = [
      { at: target, remove: scanner.end(target) - target, insert: encoder.encode("[1],[2],[3]") },
    ];
    const next = counting(memorySource(apply(encoder.encode(records), splices)));
    carryIndex(source, next, splices, true, indexes);
    const after = openScanner(next, { indexes });
    expect(after.find(after.root(), keys)).toBe(next.size);
    expect(after.count(keys.values[0] ?? NONE)).toBe(60_002);
    const at = after.nth(keys.values[0] ?? NONE, 50_002);
    expect(new TextDecoder().decode(after.bytes(at, after.end(at)))).toContain('"id": 50000');
    expect(next.total).toBeLessThan(400_000);
  });

  test("[JSON-82] belongs to the content id", () => {
    const indexes = new JsonIndexes();
    const one = openScanner(memorySource(records, "one"), { indexes });
    expect(one.count(one.root())).toBe(3);
    const other = memorySource(`[${"1,".repeat(200_000)}2]`, "other");
    const two = openScanner(other, { indexes });
    expect(two.count(two.root())).toBe(200_001);
    expect(indexes.size).toBe(2);
  });

  test("[JSON-83] remembers that a document is valid, and in which mode", () => {
    const indexes = new JsonIndexes();
    const source = counting(memorySource(records));
    expect(validateJson(source, { indexes }).valid).toBe(true);
    source.total = 0;
    expect(validateJson(source, { indexes, mode: "jsonc" }).valid).toBe(true);
    expect(validateJson(source, { indexes }).valid).toBe(true);
    expect(source.total).toBeLessThan(100_000);
    const comments = memorySource(`// c\n${records}`);
    expect(validateJson(comments, { indexes, mode: "jsonc" }).valid).toBe(true);
    expect(validateJson(comments, { indexes }).valid).toBe(false);
    expect(validateJson(source, { indexes, maxDepth: 1 }).valid).toBe(false);
  });

  test("[JSON-85] stays within its bytes; the least recently used goes first", () => {
    const indexes = new JsonIndexes(100_000);
    for (let i = 0; i < 60; i++) {
      const scanner = openScanner(memorySource(records, `d${i}`), { indexes });
      scanner.count(scanner.root());
      scanner.nth(scanner.nth(scanner.root(), 1), 40_000);
      expect(indexes.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(indexes.get("d0")).toBeUndefined();
    expect(indexes.get("d59")).toBeDefined();
  });

  test("[JSON-85] gives up a key table that would not fit, or whose keys are chosen to collide", () => {
    const many = Array.from({ length: 40_000 }, (_, i) => `"key${i}":${i}`).join(",");
    for (const [body, count] of [
      [many, 1],
      [`${'"same":0,'.repeat(60_000)}"key7":7`, 1],
    ] as const) {
      const indexes = new JsonIndexes(1_000_000);
      const source = memorySource(`{${body}}`);
      for (const name of ["a", "b", "c", "key7"]) {
        const scanner = openScanner(source, { indexes });
        const keys = new Keys(name);
        scanner.find(scanner.root(), keys);
        expect(keys.counts[0]).toBe(name === "key7" ? count : 0);
      }
      expect(indexes.bytes).toBeLessThanOrEqual(1_000_000);
    }
  });

  test("[JSON-86] is not kept for a document smaller than a window", () => {
    const indexes = new JsonIndexes();
    const scanner = openScanner(memorySource(`[${"1,".repeat(1000)}1]`), { indexes });
    expect(scanner.count(scanner.root())).toBe(1001);
    expect(indexes.size).toBe(0);
  });
});
