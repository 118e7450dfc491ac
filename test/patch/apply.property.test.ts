import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, patchedFiles, type Operation } from "../../src/patch/index.ts";
import { eolChoice, lineText, modelApply, modelLines, textOfLines } from "./_model.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const FILE = "f.txt";
const RUNS = process.env["HOLDFAST_LONG"] === "1" ? 20_000 : 700;

function apply(text: string, operations: readonly Operation[]): string | undefined {
  const files = { [FILE]: text };
  const report = applyPatch(files, operations);
  return report.ok ? decoder.decode(patchedFiles(files, report).get(FILE)) : undefined;
}

/** Operations on a text: most fit, some do not. */
function operationsOn(text: string): fc.Arbitrary<Operation[]> {
  const lines = modelLines(text.startsWith("\ufeff") ? text.slice(1) : text);
  const operation = fc
    .record({
      line: fc.integer({ min: 1, max: lines.length + 2 }),
      op: fc.constantFrom("replace" as const, "insert" as const, "delete" as const),
      old: fc.constantFrom("right", "right", "right", "absent", "wrong"),
      text: fc
        .tuple(lineText, fc.constantFrom("", "", "\n", "\r\n", "\nz", "\r\nz\n"))
        .map(([a, b]) => a + b),
      eol: eolChoice,
    })
    .map(({ line, op, old, text: fresh, eol }): Operation => {
      const there = lines[line - 1]?.text ?? "";
      return {
        file: FILE,
        line,
        op,
        ...(op === "insert" || old === "absent" ? {} : { old: old === "right" ? there : `${there}?` }),
        ...(op === "delete" ? {} : { new: fresh, ...(eol === undefined ? {} : { eol }) }),
      };
    });
  return fc.array(operation, { maxLength: 6 });
}

const textAndOperations = textOfLines(8).chain((text) => fc.tuple(fc.constant(text), operationsOn(text)));

describe("against the naive model", () => {
  test("[NDP-18] any operations on any text end as the rules say, byte for byte", () => {
    let applied = 0;
    fc.assert(
      fc.property(textAndOperations, ([text, operations]) => {
        const model = modelApply(text, operations);
        const result = apply(text, operations);
        if (model.ok) {
          applied++;
          expect(result).toBe(model.text);
        } else if (result !== undefined) {
          // The only way to succeed where the model fails: the patch had been applied before.
          const report = applyPatch({ [FILE]: text }, operations);
          expect(report.files[0]?.status).toBe("already_applied");
          expect(result).toBe(text);
        }
      }),
      { numRuns: RUNS },
    );
    expect(applied).toBeGreaterThan(RUNS / 4);
  });

  test("[NDP-48] exactly the operations that do not fit have a reason as status", () => {
    fc.assert(
      fc.property(textAndOperations, ([text, operations]) => {
        const model = modelApply(text, operations);
        const report = applyPatch({ [FILE]: text }, operations);
        if (model.ok || report.ok || model.failed.length === 0) return;
        const failed = report.statuses.flatMap((status, i) => (status === "fits" ? [] : [i]));
        expect(failed).toEqual(model.failed);
        expect(report.conflicts.map(({ index }) => index)).toEqual(model.failed);
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-19] operations on different lines can be in any order", () => {
    const shuffled = textAndOperations.chain(([text, operations]) =>
      fc.tuple(
        fc.constant(text),
        fc.constant(operations),
        fc.shuffledSubarray([...new Set(operations.map(({ line }) => line))], { minLength: 0 }),
        fc.integer(),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([text, operations, lineOrder, seed]) => {
        // Lines in a new order, or interleaved; operations on one line keep theirs.
        const rank = (line: number): number =>
          lineOrder.includes(line) ? lineOrder.indexOf(line) : 100 + line;
        const sorted = [...operations].sort((a, b) => rank(a.line) - rank(b.line));
        const interleaved = interleave(operations, seed);
        expect(apply(text, sorted)).toBe(apply(text, operations));
        expect(apply(text, interleaved)).toBe(apply(text, operations));
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-43] on any conflict no file differs by a byte", () => {
    const two = fc.tuple(textAndOperations, textAndOperations);
    let conflicts = 0;
    fc.assert(
      fc.property(two, ([[a, onA], [b, onB]]) => {
        const files = new Map([
          ["a.txt", a],
          ["b.txt", b],
        ]);
        const patch = [
          ...onA.map((o) => ({ ...o, file: "a.txt" })),
          ...onB.map((o) => ({ ...o, file: "b.txt" })),
        ];
        const report = applyPatch(files, patch);
        if (report.ok) return;
        conflicts++;
        expect(report.files.every(({ splices }) => splices.length === 0)).toBe(true);
        const after = patchedFiles(files, report);
        expect(decoder.decode(after.get("a.txt"))).toBe(a);
        expect(decoder.decode(after.get("b.txt"))).toBe(b);
      }),
      { numRuns: RUNS },
    );
    expect(conflicts).toBeGreaterThan(RUNS / 10);
  });
});

describe("encoding", () => {
  test("[NDP-17] a file is binary exactly when a strict decoder refuses it", () => {
    const byte = fc.oneof(
      fc.constantFrom(0x0a, 0x61, 0x7f),
      fc.constantFrom(
        0x80,
        0x8f,
        0x90,
        0x9f,
        0xa0,
        0xbf,
        0xc0,
        0xc1,
        0xc2,
        0xdf,
        0xe0,
        0xed,
        0xef,
        0xf0,
        0xf4,
        0xf5,
        0xff,
      ),
      fc.integer({ min: 0, max: 255 }),
    );
    const sequence = fc.oneof(
      fc.array(byte, { maxLength: 5 }),
      fc.string({ unit: "binary", maxLength: 6 }).map((text) => [...new TextEncoder().encode(text)]),
      fc
        .tuple(fc.constantFrom(0xe0, 0xed, 0xf0, 0xf4), byte, byte, fc.array(byte, { maxLength: 1 }))
        .map((parts) => parts.flat()),
    );
    const strict = new TextDecoder("utf-8", { fatal: true });
    const isText = (bytes: Uint8Array): boolean => {
      try {
        strict.decode(bytes);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 4 }), fc.nat(9), (parts, padding) => {
        const bytes = new Uint8Array([...new Uint8Array(padding).fill(0x61), ...parts.flat()]);
        const { ok } = applyPatch({ [FILE]: bytes }, [{ file: FILE, line: 1, op: "insert", new: "x" }]);
        expect(ok).toBe(isText(bytes));
      }),
      { numRuns: RUNS * 2 },
    );
  });
});

/** Takes the next operation of a line chosen at random, so that the order within a line stays. */
function interleave(operations: readonly Operation[], seed: number): Operation[] {
  const queues = new Map<number, Operation[]>();
  for (const operation of operations)
    queues.set(operation.line, [...(queues.get(operation.line) ?? []), operation]);
  const result: Operation[] = [];
  let state = seed >>> 0;
  while (result.length < operations.length) {
    const open = [...queues.values()].filter((queue) => queue.length > 0);
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const next = open[state % open.length]?.shift();
    if (next !== undefined) result.push(next);
  }
  return result;
}
