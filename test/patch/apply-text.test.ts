import { describe, expect, test } from "vitest";
import {
  applyPatchText,
  createPatch,
  formatPatch,
  HoldfastError,
  toUnifiedDiff,
} from "../../src/patch/index.ts";

const before = "one\r\ntwo\nthree";
const after = "one\r\n2\nthree\nfour";
const made = createPatch(before, after, { file: "f" });

function reason(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (HoldfastError.is(error)) return `${error.code} ${error.reason}`;
  }
  return "nothing was thrown";
}

describe("one text", () => {
  test("[NDP-66] is patched by operations, their JSON or a unified diff", () => {
    expect(applyPatchText(before, made)).toBe(after);
    expect(applyPatchText(before, formatPatch(made))).toBe(after);
    expect(applyPatchText(before, toUnifiedDiff({ f: before }, made))).toBe(after);
    expect(applyPatchText(before, [])).toBe(before);
    expect(applyPatchText("", [{ file: "x", line: 1, op: "insert", new: "a" }])).toBe("a\n");
    expect(applyPatchText("\ufeffa\n", [{ file: "x", line: 1, op: "delete", old: "a" }])).toBe("\ufeff");
    expect(applyPatchText("a\n", createPatch("a\n", undefined, { file: "x" }))).toBe("");
  });

  test("[NDP-66] is not changed by what does not fit, or by a patch of several files", () => {
    expect(reason(() => applyPatchText("other", made))).toBe("conflict out_of_range");
    expect(reason(() => applyPatchText("a", "not JSON"))).toBe("invalid_argument invalid_patch");
    const several = ["a", "b"].map((file) => ({ file, line: 1, op: "insert", new: "x" }));
    expect(reason(() => applyPatchText("a", several))).toBe("invalid_argument several_files");
    expect(reason(() => applyPatchText("one\r\ntwo\nthree\ud800", made))).toBe(
      "invalid_argument not_unicode",
    );
  });
});
