import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { theKernel } from "../../src/json/scan/kernel.ts";
import { JsScanner } from "../../src/json/scan/js-scanner.ts";
import { WasmScanner } from "../../src/json/scan/wasm-scanner.ts";
import { NONE } from "../../src/json/scan/scanner.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { validateJson } from "../../src/json/read/validate.ts";

const suite = resolve(
  process.env["HOLDFAST_CONFORMANCE"] ?? "../shared/conformance",
  "json-parsing/test_parsing",
);
const missing = !existsSync(suite);
const files = missing ? [] : readdirSync(suite).filter((file) => file.endsWith(".json"));
const WINDOWS = [64, 128, 4096, 262_144];

function verdicts(file: string): number[] {
  const bytes = readFileSync(join(suite, file));
  const kernel = theKernel();
  if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
  return WINDOWS.flatMap((window) => [
    new JsScanner(memorySource(bytes), { window }).validate("strict"),
    new WasmScanner(memorySource(bytes), kernel, { window }).validate("strict"),
  ]);
}

describe.skipIf(missing)(`JSONTestSuite${missing ? " (missing: json-parsing/test_parsing)" : ""}`, () => {
  test("is whole: 95 documents to accept, 188 to refuse, 35 free", () => {
    const count = (first: string): number => files.filter((file) => file.startsWith(first)).length;
    expect([count("y_"), count("n_"), count("i_")]).toEqual([95, 188, 35]);
  });

  test.each(files.filter((file) => file.startsWith("y_")))("[JSON-20] accepts %s", (file) => {
    expect(new Set(verdicts(file))).toEqual(new Set([NONE]));
  });

  test.each(files.filter((file) => file.startsWith("n_")))("[JSON-21] refuses %s at one place", (file) => {
    const found = new Set(verdicts(file));
    expect(found.size).toBe(1);
    expect(found.has(NONE)).toBe(false);
    const result = validateJson(memorySource(readFileSync(join(suite, file))));
    expect(result.valid).toBe(false);
    if (!result.valid && result.fault.reason !== "wrong_encoding")
      expect(found.has(result.fault.offset)).toBe(true);
  });

  test.each(files.filter((file) => file.startsWith("i_")))(
    "[JSON-21] judges %s alike in both twins",
    (file) => {
      expect(new Set(verdicts(file)).size).toBe(1);
    },
  );
});
