import { afterEach, describe, expect, test, vi } from "vitest";
import { theKernel } from "../../src/json/scan/kernel.ts";
import { JsScanner } from "../../src/json/scan/js-scanner.ts";
import { WasmScanner } from "../../src/json/scan/wasm-scanner.ts";
import { Keys, NONE, PAUSED, type Scanner } from "../../src/json/scan/scanner.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { survey } from "./_walk.ts";

function both(document: string, window = 64): Scanner[] {
  const kernel = theKernel();
  if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
  return [
    new WasmScanner(memorySource(document), kernel, { window }),
    new JsScanner(memorySource(document), { window }),
  ];
}

/** The value of `name` in the root object, as text; undefined when absent. */
function look(scanner: Scanner, name: string): string | undefined {
  const keys = new Keys(name);
  scanner.find(scanner.root(), keys);
  const at = keys.values[0] ?? NONE;
  return at === NONE ? undefined : new TextDecoder().decode(scanner.bytes(at, scanner.end(at)));
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("a scanner", () => {
  test("[JSON-5] finds a key by its meaning", () => {
    const long = "long ".repeat(100);
    const document = `{"a\\u0062c": 1, "__proto__": 2, "": 3, "q\\"uote": 4, "tab\\t": 5, "\\ud800": 6, "${long}": 7, "é": 8, "\\u00e9x": 9, "abc": 10, "\\u0061": 11}`;
    for (const window of [64, 128, 262_144])
      for (const scanner of both(document, window)) {
        expect(look(scanner, "abc")).toBe("10");
        expect(look(scanner, "__proto__")).toBe("2");
        expect(look(scanner, "")).toBe("3");
        expect(look(scanner, 'q"uote')).toBe("4");
        expect(look(scanner, "tab\t")).toBe("5");
        expect(look(scanner, "\ud800")).toBe("6");
        expect(look(scanner, "\ufffd")).toBeUndefined();
        expect(look(scanner, long)).toBe("7");
        expect(look(scanner, "é")).toBe("8");
        expect(look(scanner, "éx")).toBe("9");
        expect(look(scanner, "a")).toBe("11");
        expect(look(scanner, "b")).toBeUndefined();
        expect(look(scanner, "toString")).toBeUndefined();
      }
  });

  test("[JSON-5] looks up more and longer keys than the kernel holds", () => {
    const names = Array.from({ length: 300 }, (_, i) => `name${i}`);
    const huge = "h".repeat(200_000);
    const document = `{${names.map((name, i) => `"${name}": ${i}`).join(", ")}, "${huge}": true}`;
    for (const scanner of both(document, 262_144)) {
      const keys = new Keys(...names, "none", huge);
      expect(scanner.find(scanner.root(), keys)).toBe(document.length);
      expect([...keys.counts]).toEqual([...names.map(() => 1), 0, 1]);
    }
  });

  test("[JSON-2] says how often a key occurs and takes the last", () => {
    for (const scanner of both('{"a": 1, "b": {"a": 2}, "\\u0061": 3, "a" : 4}')) {
      const keys = new Keys("a");
      scanner.find(scanner.root(), keys);
      expect([keys.counts[0], keys.values[0]]).toEqual([3, 43]);
      expect(scanner.seek(0, keys)).toBe(6);
      expect(scanner.seek(0, keys, 7)).toBe(34);
    }
  });

  test("[JSON-3] says that it has met a comment", () => {
    for (const scanner of both('{"a": 1, "b": "// no"}')) {
      survey(scanner);
      expect(scanner.comments).toBe(false);
    }
    for (const scanner of both('{"a": 1, "b": [2 /* " */]}')) {
      survey(scanner);
      expect(scanner.comments).toBe(true);
      expect(look(scanner, "b")).toBe('[2 /* " */]');
    }
  });

  test("[JSON-7] pauses after the asked number of windows and goes on, whatever else scans meanwhile", () => {
    const kernel = theKernel();
    if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
    const text = `[${'{"a": [1, 2, "x\\\\"]}, '.repeat(5000)}{"b": 7}]`;
    const other = new WasmScanner(memorySource('{"other": [1, 2, 3]}'), kernel);
    for (const make of [
      () => new WasmScanner(memorySource(text), kernel, { window: 1024, pauseEvery: 2 }),
      () => new JsScanner(memorySource(text), { window: 1024, pauseEvery: 2 }),
    ]) {
      for (const [ask, expected] of [
        [(s: Scanner) => s.end(0), text.length],
        [(s: Scanner) => s.count(0), 5001],
        [(s: Scanner) => s.nth(0, 5000), text.length - 9],
        [(s: Scanner) => s.validate("strict"), NONE],
        [(s: Scanner) => s.lines(text.length), 0],
      ] as const) {
        const scanner = make();
        let pauses = 0;
        let result = ask(scanner);
        for (; result === PAUSED; result = scanner.resume()) {
          pauses++;
          expect(look(other, "other")).toBe("[1, 2, 3]");
          expect(other.validate("strict")).toBe(NONE);
        }
        expect(result).toBe(expected);
        expect(pauses).toBeGreaterThan(10);
      }
    }
  });

  test("[JSON-8] works by the twin where WebAssembly SIMD is missing", async () => {
    for (const missing of [undefined, { validate: () => false }]) {
      vi.resetModules();
      vi.stubGlobal("WebAssembly", missing);
      const { openScanner } = await import("../../src/json/scan/open.ts");
      const { JsScanner: Twin } = await import("../../src/json/scan/js-scanner.ts");
      const { validateJson } = await import("../../src/json/read/validate.ts");
      const scanner = openScanner(memorySource('{"a": [1, 2]}'));
      expect(scanner).toBeInstanceOf(Twin);
      expect(look(scanner, "a")).toBe("[1, 2]");
      expect(validateJson(memorySource("[1,]"))).toMatchObject({
        valid: false,
        fault: { reason: "trailing_comma" },
      });
    }
  });

  test("[JSON-9] finds the root after a byte order mark, blanks and comments", () => {
    for (const [document, root] of [
      ["\ufeff  {}", 5],
      ["// c\n/* d */ [1]", 13],
      [" ".repeat(200), NONE],
      ["", NONE],
      ["\ufeff", NONE],
      ["// only", NONE],
      ["7", 0],
    ] as const)
      for (const scanner of both(document)) expect(scanner.root()).toBe(root);
  });
});
