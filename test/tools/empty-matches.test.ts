// Matches may be empty, and are in a long line what they are in a short one.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallResult } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { EDITOR, bench } from "./bench-session.ts";

async function open(content: string, limits: object = {}) {
  const { session } = await bench({ limits });
  await session.workspace.write("f", content);
  const agent = session.as(EDITOR);
  return {
    session,
    found: async (input: object): Promise<readonly [number, number][]> => {
      const result = await agent.call("search_files", { regex: true, ...input, pattern: patternOf(input) });
      if (!result.ok) throw new Error(result.text);
      return result.value.hits.map(({ line, column }) => [line, column]);
    },
    replace: (input: object): Promise<CallResult> =>
      agent.call("replace_in_files", { regex: true, ...input } as never),
    text: async () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await session.workspace.read("f")),
  };
}

function patternOf(input: object): string {
  return (input as { pattern: string }).pattern;
}

test("[FILES-161] lines with an empty match are hits, once each; after the last line break is no line", async () => {
  const { found } = await open("x\n\ny\r\n\r\n  \nz\n");
  expect(await found({ pattern: "^$" })).toEqual([
    [2, 1],
    [4, 1],
  ]);
  expect((await found({ pattern: "^\\s*$" })).map(([line]) => line)).toEqual([2, 4, 5]);
  expect(await found({ pattern: "$" })).toEqual([
    [1, 2],
    [2, 1],
    [3, 2],
    [4, 1],
    [5, 3],
    [6, 2],
  ]);
  expect(await (await open("")).found({ pattern: "^" })).toEqual([]);
});

test("[FILES-162] text can be put before and after every line, and every match is counted", async () => {
  const { replace, text } = await open("foo\r\n\nb\u{1f600}r");
  const done = await replace({ pattern: "$", replacement: ";" });
  expect(done.ok && done.value).toMatchObject({ replaced: 3 });
  expect(await text()).toBe("foo;\r\n;\nb\u{1f600}r;");
  await replace({ pattern: "^", replacement: "> " });
  expect(await text()).toBe("> foo;\r\n> ;\n> b\u{1f600}r;");
  expect((await replace({ pattern: "$", replacement: "" })).error?.reason).toBe("text_not_found");
});

test("[FILES-162] the matches of a line are those of replaceAll", async () => {
  const word = fc.constantFrom("a", "b", "ab", "\u00e9", "\u{1f600}", " ", "");
  const line = fc.array(word, { maxLength: 6 }).map((parts) => parts.join(""));
  const sources = ["^", "$", "a*", "b*$", "(?:)", "\\b", "^$", "(a|b)?", "a*?", "(ab)*", "[^a]*", "^a*", "b"];
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom(...sources),
      fc.constantFrom("-", "", "[$0]"),
      fc.boolean(),
      async (lines, pattern, replacement, isCrLf) => {
        const [feed, before] = [isCrLf ? "\r\n" : "\n", lines.join(isCrLf ? "\r\n" : "\n")];
        const js = new RegExp(pattern, "gu");
        const expected = lines
          .map((one, i) =>
            one === "" && i === lines.length - 1 ? one : one.replaceAll(js, replacement.replace("$0", "$$&")),
          )
          .join(feed);
        const { session, replace, text } = await open(before);
        const done = await replace({ pattern, replacement });
        expect(await text()).toBe(expected);
        expect(done.ok).toBe(expected !== before);
        await session.close();
      },
    ),
    runs(200),
  );
});

test("[FILES-116] a part of a long line begins and ends no line and no word", async () => {
  const { found } = await open(`${"x".repeat(600_000)}\n${"\u4e16".repeat(300_000)} end\n`);
  expect((await found({ pattern: "^x" })).map(([line]) => line)).toEqual([1]);
  for (const pattern of ["\\bx{1,9}\\b", "x\\bx", "\u4e16x", "\\x{fffd}", "^ *end"])
    expect(await found({ pattern })).toEqual([]);
  for (const whole of ["x", "xx"])
    expect(await found({ regex: false, pattern: whole, whole_word: true })).toEqual([]);
  expect((await found({ pattern: " end$" })).map(([line]) => line)).toEqual([2]);
  expect((await found({ pattern: "$" })).map(([line]) => line)).toEqual([1, 2]);
});

test("[FILES-163] a literal text is replaced in all of a long line, a regex refused where it matches there", async () => {
  const long = "\u4e16\u754cabab".repeat(80_000);
  const { replace, text } = await open(`one ab\n${long}\nab`);
  const limits = { pattern: "ab", replacement: "\u00e9" };
  const refused = await replace(limits);
  expect(refused.error).toMatchObject({ code: "invalid_argument", reason: "line_too_long" });
  expect(refused.text).toContain("Line 2 of f");
  expect((await replace({ pattern: "$", replacement: ";" })).error?.reason).toBe("line_too_long");
  expect((await replace({ pattern: "one$|^one", replacement: "1" })).ok).toBe(true);
  const done = await replace({ ...limits, regex: false });
  expect(done.error?.reason).toBe("too_many_places");
  const few = await open(`${long}\n`, { replacePlaces: 1_000_000 });
  expect((await few.replace({ pattern: "baba", replacement: "!", regex: false })).error?.reason).toBe(
    "text_not_found",
  );
  expect((await few.replace({ pattern: "\u754ca", replacement: "!", regex: false })).ok).toBe(true);
  expect(await few.text()).toBe(`${long.replaceAll("\u754ca", "!")}\n`);
  const runs9 = "a".repeat(700_001);
  const greedy = await open(runs9, { replacePlaces: 1_000_000 });
  await greedy.replace({ pattern: "aaaaaaaaa", replacement: "9", regex: false });
  expect(await greedy.text()).toBe(runs9.replaceAll("aaaaaaaaa", "9"));
  expect(await text()).toBe(`1 ab\n${long}\nab`);
});

test("[FILES-163] the time of a replacement is bounded within a line too", async () => {
  // All of the line would take hours.
  const { replace } = await open("a".repeat(200_000), { searchMillis: 100, replacePlaces: 1_000_000 });
  const refused = await replace({ pattern: "(a*b)?", replacement: "" });
  expect(refused.error?.reason).toBe("search_too_long");
});
