import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { theKernel } from "../../src/json/scan/kernel.ts";
import { JsScanner } from "../../src/json/scan/js-scanner.ts";
import { WasmScanner } from "../../src/json/scan/wasm-scanner.ts";
import { NONE, type Scanner, type ScannerOptions } from "../../src/json/scan/scanner.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { type Dice, dice, randomDocument, spoil } from "./_documents.ts";
import { settled, survey, valueOf } from "./_walk.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
if (LONG) vi.setConfig({ testTimeout: 7_200_000 });
const RUNS = LONG ? 120_000 : 500;
const encoder = new TextEncoder();
const WINDOWS = [64, 128, 192, 1024, 262_144];

function pair(bytes: Uint8Array, roll: Dice): [Scanner, Scanner] {
  const options = (): ScannerOptions => ({
    window: WINDOWS[roll(WINDOWS.length)] ?? 64,
    ...(roll(3) === 0 ? { pauseEvery: 1 + roll(3) } : {}),
    countLines: roll(2) === 0,
  });
  const kernel = theKernel();
  if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
  return [
    new JsScanner(memorySource(bytes), options()),
    new WasmScanner(memorySource(bytes), kernel, options()),
  ];
}

function holds(check: (roll: Dice) => void, runs: number = RUNS): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => check(dice(seed))),
    { numRuns: runs },
  );
}

describe("the scanner and its twin", () => {
  test("[JSON-1] [JSON-20] agree on everything they say about a valid document, for any window and any pauses", () => {
    holds((roll) => {
      const bytes = encoder.encode(randomDocument(roll));
      const [twin, kernel] = pair(bytes, roll);
      expect(settled(twin, twin.validate("strict"))).toBe(NONE);
      expect(settled(kernel, kernel.validate("strict"))).toBe(NONE);
      expect(survey(kernel)).toEqual(survey(twin));
    });
  });

  test("[JSON-2] read a document as JSON.parse does, the last of duplicate keys included", () => {
    holds((roll) => {
      const text = randomDocument(roll);
      for (const scanner of pair(encoder.encode(text), roll))
        expect(valueOf(scanner)).toEqual(JSON.parse(text));
    }, RUNS / 2);
  });

  test("[JSON-21] agree on where a spoiled document first breaks the rules, and JSON.parse agrees that it does", () => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    holds((roll) => {
      const bytes = spoil(encoder.encode(randomDocument(roll)), roll);
      const [twin, kernel] = pair(bytes, roll);
      const fault = settled(twin, twin.validate("strict"));
      expect(settled(kernel, kernel.validate("strict"))).toBe(fault);
      let parses = true;
      try {
        JSON.parse(strict.decode(bytes));
      } catch {
        parses = false;
      }
      expect(fault === NONE).toBe(parses);
      if (fault === NONE) expect(survey(kernel)).toEqual(survey(twin));
    });
  });

  test("[JSON-3] agree on documents with comments and trailing commas", () => {
    holds((roll) => {
      const bytes = encoder.encode(randomDocument(roll, { jsonc: true }));
      const [twin, kernel] = pair(bytes, roll);
      expect(settled(twin, twin.validate("jsonc"))).toBe(NONE);
      expect(settled(kernel, kernel.validate("jsonc"))).toBe(NONE);
      expect(survey(kernel)).toEqual(survey(twin));
    }, RUNS / 2);
  });

  test("[JSON-4] end every call inside the document when it is invalid", () => {
    holds((roll) => {
      const bytes = spoil(encoder.encode(randomDocument(roll)), roll);
      for (const scanner of pair(bytes, roll))
        for (const line of survey(scanner))
          for (const [number] of line.matchAll(/-?\d+/g))
            if (Number(number) < NONE || Number(number) > bytes.length + 1) expect.fail(line);
    }, RUNS / 2);
  });
});
