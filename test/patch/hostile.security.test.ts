import { describe, expect, test, vi } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import {
  applyPatch,
  applyPatchSteps,
  createPatchSteps,
  describeReport,
  fromUnifiedDiff,
  parsePatch,
  patchedFiles,
  previewPatchSteps,
  toUnifiedDiffSteps,
  type Steps,
} from "../../src/patch/index.ts";
import { numbered, on, refusal } from "./_try.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const MILLION = 1_000_000;
const same = { file: "f", line: 1, op: "insert", new: "x" };

function stepsOf<T>(steps: Steps<T>): { count: number; result: T } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { count, result: step.value };
  }
}

describe("hostile input", () => {
  test("[NDP-64] a million operations are refused by default before any is read", () => {
    const operations = Array.from({ length: MILLION }, () => same);
    const error = refusal(operations);
    expect(error).toMatchObject({ reason: "too_large", data: { size: MILLION, max: 100_000 } });
    expect(error.message).toContain("Split it");
  });

  test("[NDP-65] a million operations, where they are allowed, end in one pass", () => {
    const count = LONG ? MILLION : 200_000;
    const limits = resolveLimits({ patchOperations: MILLION });
    const insert = Array.from({ length: count }, () => same);
    const files = { f: "end\n" };
    const report = applyPatch(files, insert, { limits });
    expect(report.files[0]).toMatchObject({ added: count, linesAfter: count + 1 });
    expect(patchedFiles(files, report).get("f")?.length).toBe(2 * count + 4);
    const wrong = Array.from({ length: count }, (_, i) => ({
      file: "f",
      line: (i % 999) + 1,
      op: "replace",
      old: "no",
      new: "x",
    }));
    const refused = applyPatch({ f: numbered(1_000) }, wrong, { limits });
    expect(refused.conflictCount).toBe(count);
    expect(refused.conflicts.length).toBe(200);
    expect(describeReport(refused).length).toBeLessThan(20_000);
  }, 120_000);

  test("[NDP-64] text, files and lines are bounded too", () => {
    const small = resolveLimits({ patchChars: 1_024, patchFiles: 2, patchLines: 100, fileBytes: 1_000 });
    expect(refusal(" ".repeat(2_000), { limits: small }).reason).toBe("too_large");
    const three = ["a", "b", "c"].map((file) => ({ file, line: 1, op: "insert", new: "x" }));
    expect(refusal(three, { limits: small }).reason).toBe("too_large");
    const insert = on([{ line: 1, op: "insert", new: "x" }]);
    for (const [text, says] of [
      ["\n".repeat(101), "100 lines"],
      ["é\n".repeat(101), "100 lines"],
      ["x".repeat(1_001), "1000"],
    ] as const) {
      const report = applyPatch({ f: text }, insert, { limits: small });
      expect(report).toMatchObject({
        ok: false,
        statuses: ["too_large"],
        conflicts: [{ reason: "too_large" }],
      });
      expect(report.conflicts[0]?.message).toContain(says);
    }
    expect(applyPatch({ f: "\n".repeat(100) }, insert, { limits: small }).ok).toBe(true);
    expect(applyPatch({ f: `${"é\n".repeat(99)}é` }, insert, { limits: small }).ok).toBe(true);
    expect(() => fromUnifiedDiff("x".repeat(2_000), { limits: small })).toThrow(HoldfastError);
  });

  test("[NDP-9] line 2^53 is refused, 2^53 - 1 is out of range", () => {
    expect(refusal(on([{ line: 2 ** 53, op: "delete" }])).reason).toBe("invalid_line");
    const report = applyPatch(
      { f: "a\n" },
      on([
        { line: 2 ** 53 - 1, op: "delete" },
        { line: 2 ** 53 - 2, op: "insert", new: "x" },
        { line: 1, op: "delete", old: "a" },
      ]),
    );
    expect(report.statuses).toEqual(["out_of_range", "out_of_range", "fits"]);
    expect(
      applyPatch({ f: "a\n" }, on([{ line: 2 ** 53 - 1, op: "delete" }]), { numbering: "offset" }).ok,
    ).toBe(false);
  });

  test("[NDP-65] one very long line is compared, refused and replaced without copies in the report", () => {
    const size = (LONG ? 200 : 8) * 1024 * 1024;
    const bytes = new Uint8Array(size).fill(0x61);
    const miss = applyPatch({ f: bytes }, on([{ line: 1, op: "replace", old: "b", new: "c" }]));
    expect(miss).toMatchObject({ ok: false, statuses: ["old_mismatch"] });
    expect(miss.conflicts[0]?.found?.length).toBeLessThan(3_000);
    expect(describeReport(miss).length).toBeLessThan(2_000);
    const files = { f: bytes };
    const hit = applyPatch(files, on([{ line: 1, op: "replace", new: "c" }]));
    expect(patchedFiles(files, hit).get("f")).toEqual(new TextEncoder().encode("c"));
    const split = applyPatch(files, on([{ line: 2, op: "insert", new: "tail" }]));
    expect(split.files[0]?.splices).toMatchObject([{ at: size, remove: 0 }]);
  }, 120_000);

  test("[NDP-65] many texts that are nowhere cost one search of the file", () => {
    const text = "}\n".repeat(200_000);
    const wrong = Array.from({ length: 1_000 }, (_, i) => ({
      line: i + 1,
      op: "delete",
      old: ` } ${"\t".repeat(i % 7)}`,
    }));
    const report = applyPatch({ f: text }, on(wrong));
    expect(report.conflictCount).toBe(1_000);
    expect(report.conflicts[0]?.difference).toBe("blanks");
  });

  test.each([
    ["../x"],
    ["/etc/passwd"],
    ["a/../../x"],
    ["..\\x"],
    ["C:/x"],
    ["a\u0000"],
    ["%2e%2e/x/../.."],
    ["//server/share"],
  ])("[NDP-11] the file %j reaches nothing, in operations, created, removed, base and diffs", (file) => {
    const files = { [file]: "secret\n" };
    for (const document of [
      [{ file, line: 1, op: "delete" }],
      { created: [file] },
      { removed: [file] },
      { operations: [], base: { [file]: "1" } },
    ])
      expect(() => applyPatch(files, document)).toThrow(HoldfastError);
    expect(() => fromUnifiedDiff(`--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-secret\n+x\n`)).toThrow(
      HoldfastError,
    );
  });

  test("[NDP-13] names that are special to JavaScript are ordinary files", () => {
    const files = new Map([
      ["__proto__", "a\n"],
      ["constructor", "b\n"],
    ]);
    const patch = parsePatch(
      '[{"file":"__proto__","line":1,"op":"replace","old":"a","new":"x"},{"file":"toString","line":1,"op":"insert","new":"y"}]',
    );
    const report = applyPatch(files, patch);
    expect([...patchedFiles(files, report).keys()]).toEqual(["__proto__", "constructor", "toString"]);
    expect(applyPatch({}, [{ file: "toString", line: 1, op: "insert", new: "y" }]).files[0]?.status).toBe(
      "created",
    );
  });

  test("[NDP-62] hostile diffs end soon", () => {
    for (const diff of [
      "@@ -1,999999999999999 +1,999999999999999 @@\n",
      `--- a/f\n+++ b/f\n@@ -1,999999999999999 +1 @@\n${" x\n".repeat(50_000)}`,
      "--- \n".repeat(50_000),
      "@@ ".repeat(100_000),
    ])
      expect(() => fromUnifiedDiff(diff)).toThrow(HoldfastError);
  });
});

describe("in steps", () => {
  const before = numbered(LONG ? MILLION : 150_000);
  const after = before.replaceAll("7\n", "seven\n");
  const limits = resolveLimits({ patchOperations: MILLION });

  test("[NDP-54] large work yields often and returns the same as in one go", () => {
    const created = stepsOf(createPatchSteps(before, after, { file: "f", limits }));
    expect(created.count).toBeGreaterThan(5);
    const shuffled = [...created.result.operations].sort(
      (a, b) => ((a.line * 7919) % 1_009) - ((b.line * 7919) % 1_009),
    );
    const files = { f: before };
    const stepped = stepsOf(applyPatchSteps(files, shuffled, { limits }));
    expect(stepped.count).toBeGreaterThan(5);
    expect(new TextDecoder().decode(patchedFiles(files, stepped.result).get("f"))).toBe(after);
    expect(stepped.result.files[0]?.splices.length).toBe(
      applyPatch(files, shuffled, { limits }).files[0]?.splices.length,
    );
    const few = created.result.operations.slice(0, 100);
    expect(stepsOf(toUnifiedDiffSteps(files, few, { limits })).result).toContain("+Lseven");
    expect(stepsOf(previewPatchSteps(files, few, { limits })).result).toContain("+ Lseven");
    const stale = shuffled.map((operation) => ({ ...operation, old: `${operation.old ?? ""}?` }));
    expect(stepsOf(applyPatchSteps(files, stale, { limits })).count).toBeGreaterThan(stepped.count);
  }, 120_000);

  test("[NDP-81] a file that is new, gone or another one as a whole becomes text step by step", () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const bytes = new TextEncoder().encode(before);
    const other = new TextEncoder().encode(before.replaceAll("L", "M"));
    try {
      for (const [from, to] of [
        [undefined, bytes],
        [bytes, undefined],
        [bytes, other],
      ]) {
        const steps = createPatchSteps(from, to, { file: "f", limits });
        let all = 0;
        for (let isDone = false; !isDone;) {
          isDone = steps.next().done === true;
          const sizes = decode.mock.calls.map(([part]) => (part as Uint8Array).length);
          const size = sizes.reduce((sum, length) => sum + length, 0);
          expect(sizes.length).toBeLessThan(5_000);
          expect(size).toBeLessThan(bytes.length * 0.75);
          all += size;
          decode.mockClear();
        }
        expect(all).toBeGreaterThan(bytes.length * 0.75);
      }
    } finally {
      decode.mockRestore();
    }
    expect(stepsOf(createPatchSteps(bytes, bytes.slice(), { file: "f" })).count).toBeGreaterThan(1);
  }, 120_000);
});
