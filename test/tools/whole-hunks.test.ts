// A hunk has as many lines as its header says: blank ones at its end, and blanks at the end of a line, are part of it.

import { expect, test } from "vitest";
import { conflictText } from "../../src/cli/conflict-text.ts";
import { parsePath } from "../../src/path/index.ts";
import { EDITOR, bench } from "./bench-session.ts";

/** Both the text and the value of a call, as far as they are hunks. */
async function hunksOf(
  content: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const { session } = await bench();
  await session.workspace.write("f.json", content);
  const done = await session.as(EDITOR).call(tool, input);
  if (!done.ok) throw new Error(done.text);
  const value = done.value as { hunk?: string; files?: readonly { hunk: string }[] };
  await session.close();
  return [done.text.slice(done.text.indexOf("@@")), value.hunk ?? value.files?.[0]?.hunk ?? ""];
}

const BLANKS = '{\n "a": 1\n\n\n}\n';

test.each([
  ["write_file", { path: "f.json", content: BLANKS.replace("1", "2"), mode: "overwrite" }],
  ["edit_file", { path: "f.json", edits: [{ old_text: "1", new_text: "2" }] }],
  ["replace_in_files", { pattern: "1", replacement: "2" }],
])("[FILES-160] %s shows blank lines at the end of a hunk", async (tool, input) => {
  const hunk = '@@ -1,4 +1,4 @@\n {\n- "a": 1\n+ "a": 2\n \n ';
  expect(await hunksOf(BLANKS, tool, input)).toEqual([hunk, hunk]);
});

test("[FILES-160] edit_json shows blank lines at the end of a hunk", async () => {
  const edits = [{ op: "set", json_path: "$.a", value: "2" }];
  const hunk = '@@ -1,3 +1,3 @@\n {\n- "a": 1\n+ "a": 2\n ';
  expect(await hunksOf(BLANKS, "edit_json", { path: "f.json", edits })).toEqual([hunk, hunk]);
});

test.each([
  ["write_file", { path: "f.json", content: "one\nbreak \t\u3000\n", mode: "overwrite" }],
  ["edit_file", { path: "f.json", edits: [{ old_text: "break", new_text: "break \t\u3000" }] }],
  ["replace_in_files", { pattern: "break", replacement: "break \t\u3000" }],
])("[FILES-160] %s shows blanks at the end of a line", async (tool, input) => {
  const hunk = "@@ -1,2 +1,2 @@\n one\n-break\n+break \t\u3000";
  expect(await hunksOf("one\nbreak\n", tool, input)).toEqual([hunk, hunk]);
});

test.each([
  ["a\r\nb\r\n", "a\nb\n", "CRLF before, LF after"],
  ["a\nb\n", "a\r\nb\n", "LF before, CRLF after"],
  ["a\nb\n", "A\r\nB\nC\n", "LF before, mixed after"],
])("[FILES-166] that lines of %j end otherwise in %j is said", async (before, content, said) => {
  const input = { path: "f.json", content, mode: "overwrite" };
  for (const hunk of await hunksOf(before, "write_file", input))
    expect(hunk.split("\n").at(-1)).toBe(`\\ Line endings: ${said}`);
});

test("[FILES-166] endings that change both ways are said, and a lone CR at the end is shown", async () => {
  const both = { path: "f.json", content: "a\nb\nc\r\n", mode: "overwrite" };
  for (const hunk of await hunksOf("a\r\nb\nc\n", "write_file", both))
    expect(hunk).toMatch(/\n\\ Line endings: mixed, and changed in some lines$/);
  const lone = { path: "f.json", content: "a\r", mode: "overwrite" };
  for (const hunk of await hunksOf("a", "write_file", lone)) {
    expect(hunk).toContain("\n+a\\u000d\n");
    expect(hunk).not.toContain("Line endings");
  }
});

test.each([
  ["a\r\nb\nc\r\n", "a\r\nB\nC\r\n"],
  ["a\r\nb\r\n", "a\r\nc\r\n"],
  ["a\r\nb\n", "a\r\nc\n"],
  ["a\r\nb", "a\r\nc\r\n"],
])("[FILES-166] nothing is said of endings from %j to %j", async (before, content) => {
  const input = { path: "f.json", content, mode: "overwrite" };
  for (const hunk of await hunksOf(before, "write_file", input)) expect(hunk).not.toContain("Line endings");
});

test("[FILES-160] what two sides made of a file is shown to its last blank", async () => {
  const path = parsePath("/workspace/f");
  const side = (text: string) => ({ text, size: text.length });
  const sides = { path, base: side("a\n\n\n"), session: side("b\n\n\n"), folder: side("a\n\n \t\n") };
  expect(await conflictText(sides, (shown) => shown)).toBe(
    [
      "conflict /workspace/f",
      "  the session changed it:\n@@ -1,3 +1,3 @@\n-a\n+b\n \n ",
      "  the folder changed it:\n@@ -1,3 +1,3 @@\n a\n \n-\n+ \t",
    ].join("\n"),
  );
});
