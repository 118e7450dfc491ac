// Documents made to break a reader. Reduced here; at full size (a million levels, 200 MB, ten million keys) when
// HOLDFAST_LONG is 1. Nothing is held in memory: the sources make their bytes when asked.

import { describe, expect, test, vi } from "vitest";
import { theKernel } from "../../src/json/scan/kernel.ts";
import { openScanner } from "../../src/json/scan/open.ts";
import { JsScanner } from "../../src/json/scan/js-scanner.ts";
import { WasmScanner } from "../../src/json/scan/wasm-scanner.ts";
import { Keys, NONE, type Scanner } from "../../src/json/scan/scanner.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { validateJson } from "../../src/json/read/validate.ts";
import type { ByteSource } from "../../src/text/byte-source.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
if (LONG) vi.setConfig({ testTimeout: 7_200_000 });
const encoder = new TextEncoder();

/** `head`, then `unit` over and over, then `tail`: of any size in a few bytes. */
function repeated(head: string, unit: string, times: number, tail: string): ByteSource {
  const [first, middle, last] = [encoder.encode(head), encoder.encode(unit), encoder.encode(tail)];
  const body = middle.length * times;
  const tile = new Uint8Array(middle.length * Math.max(1, Math.ceil(65_536 / middle.length)));
  for (let i = 0; i < tile.length; i += middle.length) tile.set(middle, i);
  return {
    size: first.length + body + last.length,
    id: `repeated:${head}:${unit}:${times}:${tail}`,
    read(at, into, offset, length) {
      const end = Math.min(at + length, this.size);
      let here = at;
      let to = offset;
      const put = (part: Uint8Array): void => {
        into.set(part, to);
        to += part.length;
        here += part.length;
      };
      if (here < first.length) put(first.subarray(here, Math.min(end, first.length)));
      while (here < Math.min(end, first.length + body)) {
        const start = (here - first.length) % middle.length;
        const room = Math.min(end, first.length + body) - here;
        put(tile.subarray(start, Math.min(tile.length, start + room)));
      }
      if (here < end) put(last.subarray(here - first.length - body, end - first.length - body));
      return end - at;
    },
  };
}

function both(source: ByteSource): Scanner[] {
  const kernel = theKernel();
  if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
  return [new WasmScanner(source, kernel), new JsScanner(source)];
}

function memoryOf(run: () => void): number {
  const before = process.memoryUsage();
  run();
  const after = process.memoryUsage();
  return after.rss - before.rss;
}

const DEEP = LONG ? 1_000_000 : 100_000;
const STRING = LONG ? 200_000_000 : 10_000_000;
const KEYS = LONG ? 10_000_000 : 300_000;

describe("hostile documents", () => {
  test("[JSON-160] a million levels are scanned and judged without recursion", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const inner = `0${close.repeat(DEEP)}`;
      const source = repeated("", open, DEEP, inner);
      for (const scanner of both(source)) {
        expect(scanner.end(0)).toBe(source.size);
        expect(scanner.count(0)).toBe(1);
        expect(scanner.validate("strict")).toBe(NONE);
      }
      const unclosed = validateJson(repeated("", open, DEEP, ""));
      expect(unclosed).toMatchObject({
        valid: false,
        fault: { reason: "truncated", offset: open.length * DEEP },
      });
      const crossed = validateJson(repeated("", open, DEEP, `0${")".repeat(3)}`));
      expect(crossed.valid).toBe(false);
      if (!crossed.valid) expect(crossed.fault.path.length).toBeLessThan(1000);
    }
  });

  test("[JSON-43] deeper than the limit is refused as such", () => {
    const result = validateJson(repeated("", "[", DEEP, "]".repeat(DEEP)), { maxDepth: DEEP - 1 });
    expect(result).toMatchObject({ valid: false, fault: { reason: "too_deep", offset: DEEP - 1 } });
  });

  test("[JSON-161] [JSON-10] one endless string costs no memory", () => {
    const source = repeated('{"a":"', "0123456789abcdef", STRING / 16, '","b":1}');
    const grown = memoryOf(() => {
      for (const scanner of both(source)) {
        const keys = new Keys("b");
        expect(scanner.find(0, keys)).toBe(source.size);
        expect(keys.values[0]).toBe(source.size - 2);
        expect(scanner.end(5)).toBe(source.size - 7);
        expect(scanner.validate("strict")).toBe(NONE);
        expect(scanner.lines(source.size)).toBe(0);
      }
      const cut = validateJson(repeated('{"a":"', "0123456789abcdef", STRING / 16, ""));
      expect(cut).toMatchObject({
        valid: false,
        fault: { reason: "unclosed_string", related: { column: 6 } },
      });
    });
    expect(grown).toBeLessThan(64 << 20);
  });

  test("[JSON-161] [JSON-5] one endless key is compared without being held", () => {
    const source = repeated('{"', "key ", STRING / 4, '": 1, "b": 2}');
    for (const scanner of both(source)) {
      const keys = new Keys("b", "key ");
      expect(scanner.find(0, keys)).toBe(source.size);
      expect([...keys.counts]).toEqual([1, 0]);
    }
  });

  test("[JSON-162] millions of keys are counted and looked up", () => {
    const source = repeated('{"first":0', ',"key":1', KEYS, ',"last":2}');
    const grown = memoryOf(() => {
      for (const scanner of [...both(source), openScanner(source)]) {
        const keys = new Keys("first", "key", "last", "none");
        expect(scanner.find(0, keys)).toBe(source.size);
        expect([...keys.counts]).toEqual([1, KEYS, 1, 0]);
        expect(scanner.count(0)).toBe(KEYS + 2);
        expect(scanner.nth(0, KEYS + 1)).toBe(source.size - 2);
        for (const name of ["a", "b", "last"]) expect(scanner.find(0, new Keys(name))).toBe(source.size);
      }
      expect(validateJson(source).valid).toBe(true);
    });
    expect(grown).toBeLessThan(128 << 20);
  });

  test("[JSON-6] offsets beyond 2^32 are exact", () => {
    // A gap of blanks that is not read but skipped: five billion of them, of which only the ends are looked at.
    const far = 5_000_000_000;
    const head = encoder.encode('{"a": [1,');
    const tail = encoder.encode(' {"x": "end"}], "b": 7}');
    const source: ByteSource = {
      size: far + tail.length,
      id: "far",
      read(at, into, offset, length) {
        const end = Math.min(at + length, far + tail.length);
        into.fill(0x20, offset, offset + end - at);
        for (const [start, part] of [
          [0, head],
          [far, tail],
        ] as const)
          for (let i = Math.max(at, start); i < Math.min(end, start + part.length); i++)
            into[offset + i - at] = part[i - start] ?? 0;
        return end - at;
      },
    };
    for (const scanner of both(source)) {
      expect(scanner.kind(far + 1)).toBe("object");
      expect(scanner.end(far + 1)).toBe(far + 13);
      const keys = new Keys("x");
      expect(scanner.find(far + 1, keys)).toBe(far + 13);
      expect(keys.values[0]).toBe(far + 7);
      expect(new TextDecoder().decode(scanner.bytes(far + 7, scanner.end(far + 7)))).toBe('"end"');
      const found = new Keys("b");
      expect(scanner.seek(0, found, far + 14)).toBe(far + 21);
      const children = scanner.children(far + 1);
      expect(children.next()).toBe(far + 7);
    }
    if (!LONG) return;
    const [scanner] = both(source);
    expect(scanner?.end(0)).toBe(source.size);
    expect(scanner?.nth(6, 1)).toBe(far + 1);
    expect(scanner?.validate("strict")).toBe(NONE);
  });

  test.each([
    ["quotes", "", '"', 200_001, ""],
    ["brackets", "", "[", 200_000, ""],
    ["braces and keys", "", '{"a":', 100_000, ""],
    ["backslashes", '"', "\\", 200_001, ""],
    ["block comments", "[", "/*", 100_000, ""],
    ["stars", "/*", "*", 200_000, ""],
    ["commas", "[", ",", 200_000, ""],
    ["colons", "{", ":", 200_000, ""],
    ["NUL bytes", "[", "\u0000", 200_000, "]"],
    ["closing brackets", "", "]", 200_000, ""],
    ["blanks", "", " ", 1_000_000, ""],
    ["keys without end", "{", '"a",', 100_000, ""],
  ] as const)("[JSON-163] [JSON-164] endless %s end every call at once", (_, head, unit, times, tail) => {
    const source = repeated(head, unit, times, tail);
    for (const scanner of both(source)) {
      const root = scanner.root();
      for (const mode of ["strict", "jsonc"] as const)
        expect(scanner.validate(mode)).toBeGreaterThanOrEqual(0);
      if (root === NONE) continue;
      expect(scanner.end(root)).toBeLessThanOrEqual(source.size);
      expect(scanner.count(root)).toBeLessThanOrEqual(source.size);
      expect(scanner.find(root, new Keys("a"))).toBeLessThanOrEqual(source.size);
      expect(scanner.nth(root, 50_000)).toBeLessThanOrEqual(source.size);
      const children = scanner.children(root);
      let steps = 0;
      while (children.next() !== NONE && steps++ < 1_000_000);
      expect(steps).toBeLessThan(1_000_000);
    }
    const result = validateJson(source);
    expect(result.valid).toBe(false);
    if (!result.valid) expect(result.fault.message.length).toBeLessThan(600);
  });

  test("[JSON-163] invalid UTF-8 and stray bytes are explained clearly", () => {
    for (const byte of [0x80, 0xc0, 0xff, 0xfe, 0x00, 0x7f]) {
      const source = memorySource(Uint8Array.from([0x5b, 0x22, ...Array(100).fill(0x61), byte, 0x22, 0x5d]));
      const result = validateJson(source);
      if (byte === 0x7f) expect(result.valid).toBe(true);
      else expect(result).toMatchObject({ valid: false, fault: { offset: 102, path: "$[0]" } });
    }
  });
});
