import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, patchedFiles, type Operation } from "../../src/patch/index.ts";
import { modelLines } from "./_model.ts";

const FILE = "f.txt";
const RUNS = process.env["HOLDFAST_LONG"] === "1" ? 5_000 : 500;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const pieces = ["\n", "\n", "\n", "\r\n", "\r", "a", "abcd", "é", "€", "😀", "x".repeat(17), "y".repeat(64)];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 200 }).map((parts) => parts.join(""));

describe("lines", () => {
  test("[NDP-15] are found wherever their ends are in the text, and the text in memory", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 7 }), (given, shift) => {
        const encoded = encoder.encode(given);
        const memory = new Uint8Array(encoded.length + shift + 5).fill(10);
        memory.set(encoded, shift);
        const files = { [FILE]: memory.subarray(shift, shift + encoded.length) };
        const lines = modelLines(given);
        const marked = lines.map((line, i): Operation => ({
          file: FILE,
          line: i + 1,
          op: "replace",
          old: line.text,
          new: `${i}:${line.text}`,
        }));
        const report = applyPatch(files, marked);
        expect(report.ok).toBe(true);
        expect(report.files[0]?.linesBefore ?? 0).toBe(lines.length);
        const expected = lines.map((line, i) => `${i}:${line.text}${line.ending}`).join("");
        expect(decoder.decode(patchedFiles(files, report).get(FILE))).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-19] changed by thousands of operations side by side become one splice, in any order", () => {
    const count = 10_000;
    const given = Array.from({ length: count }, (_, i) => `L${i}\n`).join("");
    const operations = Array.from({ length: count - 2 }, (_, i): Operation[] => {
      const line = i + 2;
      const old = `L${line - 1}`;
      if (i % 3 === 0) return [{ file: FILE, line, op: "delete", old }];
      if (i % 3 === 1) return [{ file: FILE, line, op: "replace", old, new: `${old}!` }];
      return [
        { file: FILE, line, op: "insert", new: "new" },
        { file: FILE, line, op: "replace", old, new: `${old}?` },
      ];
    });
    const expected = Array.from({ length: count }, (_, i) => {
      if (i === 0 || i === count - 1) return `L${i}\n`;
      return ["", `L${i}!\n`, `new\nL${i}?\n`][(i - 1) % 3] ?? "";
    }).join("");
    for (const list of [operations, operations.toReversed()]) {
      const report = applyPatch({ [FILE]: given }, list.flat());
      expect(report.files[0]?.splices).toHaveLength(1);
      expect(decoder.decode(patchedFiles({ [FILE]: given }, report).get(FILE))).toBe(expected);
    }
  });
});
