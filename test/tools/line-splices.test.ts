import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applySplices, bytesSource, runNow, type Splice } from "../../src/text/index.ts";
import { lineSplicesSteps } from "../../src/session/files/line-splices.ts";
import { runs } from "../effort.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function refined(text: string, splices: readonly Splice[]): Splice[] {
  return runNow(lineSplicesSteps(bytesSource(encode(text)), splices));
}

/** `text` with `old`, which occurs once, replaced: as [at, remove, insert]. */
function replacing(text: string, old: string, now: string): [number, number, string][] {
  const splice = { at: text.indexOf(old), remove: old.length, insert: encode(now) };
  return refined(text, [splice]).map(({ at, remove, insert }) => [at, remove, decode(insert)]);
}

const LINES = [
  { old: '    "x": 1,', new: '    "x": 1,' },
  { old: '    "y": 2,', new: '    "y": 20,' },
  { old: '    "z": 3', new: '    "z": 3' },
];

/** Two agents: what one wrote, and what the other then did to it, line by line. */
async function whose(content: string, tool: string, input: object) {
  const { session } = await bench();
  const [ann, bob] = [session.as(EDITOR), session.as(OTHER)];
  const written = await ann.call("write_file", { path: "f", content });
  const changed = await bob.call(tool, input);
  if (!written.ok || !changed.ok) throw new Error(`${written.text}\n${changed.text}`);
  const { runs: lines } = await session.blame({ path: "f" });
  const names = lines.flatMap(({ first, last, by }) => Array(last - first + 1).fill(by?.agent) as string[]);
  return {
    session,
    ann,
    token: written.token,
    names: names.map((name) => (name === EDITOR.id ? "ann" : "bob")),
  };
}

describe("an edit of several lines", () => {
  const TWO = "  one();\n  two();\n";

  test("[FILES-87] is the lines that it changes, and within a line what it replaces", () => {
    expect(replacing("a\nb\n", "b\n", "x\nb\n")).toEqual([[2, 0, "x\n"]]);
    expect(replacing("a\nb\n", "a\nb", "a\nx\nb")).toEqual([[2, 0, "x\n"]]);
    expect(replacing(TWO, "two();\n", "mid();\n  two();\n")).toEqual([[9, 0, "  mid();\n"]]);
    expect(replacing("a\nb\nc\nd\n", "a\nb\nc\nd\n", "A\nb\nc\nD\n")).toEqual([
      [0, 2, "A\n"],
      [6, 2, "D\n"],
    ]);
    expect(replacing("a = 1;\nb = 2;\n", "1;\nb = 2", "3;\nb = 4")).toEqual([[4, 8, "3;\nb = 4"]]);
    expect(replacing("a = 1;\n", "1", "2")).toEqual([[4, 1, "2"]]);
  });

  test("[FILES-150] what only inserts stays where it was made, but for blanks that it is moved over to be whole lines", () => {
    const inserting = (text: string, at: number, insert: string) =>
      refined(text, [{ at, remove: 0, insert: encode(insert) }]).map((one) => [one.at, decode(one.insert)]);
    expect(inserting("a\na\n", 1, "\na")).toEqual([[2, "a\n"]]);
    expect(inserting("a\na\n", 3, "b\na")).toEqual([[3, "b\na"]]);
    expect(inserting("  a\n", 3, ",\n  a")).toEqual([[3, ",\n  a"]]);
    expect(inserting("  a,\n", 2, "a,\n  ")).toEqual([[0, "  a,\n"]]);
    expect(inserting("  a,\r\n", 4, "\r\n  a,")).toEqual([[6, "  a,\r\n"]]);
    expect(inserting("  a,\n", 3, ",\n  a")).toEqual([[3, ",\n  a"]]);
  });

  test("[FILES-150] so the undo of an item leaves the equal one before it", async () => {
    const { session, ann } = await whose('["a",\n"tick"\n]\n', "append_json_array", {
      path: "f",
      json_path: "$",
      value: '"tick"',
    });
    const [bobs] = await session.log({ agent: OTHER.id });
    await ann.call("set_json_value", { path: "f", json_path: "$[2]", value: '"ANN"' });
    const undone = session.undo({ record: bobs?.seq ?? 0 });
    await expect(undone).rejects.toMatchObject({ code: "conflict", reason: "undo_refused" });
    expect(decode(await session.workspace.read("f"))).toBe('["a",\n"tick",\n"ANN"\n]\n');
  });

  test("[FILES-87] makes the same text, however places lie beside each other", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "  ", "\n", "\r\n", "a\n"), { maxLength: 14 })
      .map((parts) => parts.join(""));
    const cut = fc.tuple(fc.nat(4), fc.nat(5), text);
    fc.assert(
      fc.property(text, fc.array(cut, { maxLength: 4 }), (before, cuts) => {
        const splices: Splice[] = [];
        let from = 0;
        for (const [skip, length, insert] of cuts) {
          const at = from + skip;
          if (at > before.length) break;
          const remove = Math.min(length, before.length - at);
          splices.push({ at, remove, insert: encode(insert) });
          from = at + remove;
        }
        const made = refined(before, splices);
        expect(decode(applySplices(encode(before), made))).toBe(
          decode(applySplices(encode(before), splices)),
        );
      }),
      runs(2_000),
    );
  });

  test.each([
    ["  two();\n", "  mid();\n  two();\n"],
    ["  two();", "  mid();\n  two();"],
    ["  one();\n  two();\n", "  one();\n  mid();\n  two();\n"],
    ["two();\n", "mid();\n  two();\n"],
    ["  one();\n", "  one();\n  mid();\n"],
  ])("[FILES-87] leaves lines that stay to who wrote them: %j", async (old_text, new_text) => {
    const edits = [{ old_text, new_text }];
    const { names } = await whose(TWO, "edit_file", { path: "f", edits });
    expect(names).toEqual(["ann", "bob", "ann"]);
    const input = { pattern: old_text, replacement: new_text };
    expect((await whose(TWO, "replace_in_files", input)).names).toEqual(["ann", "bob", "ann"]);
  });

  test("[FILES-87] so a stale edit of such a line fits, and the edit is undone though the line is gone", async () => {
    const edits = [{ old_text: "  two();\n", new_text: "  mid();\n  two();\n" }];
    const { session, ann, token } = await whose(TWO, "edit_file", { path: "f", edits });
    const stale = await ann.call("edit_file", {
      path: "f",
      edits: [{ old_text: "  two();\n", new_text: "" }],
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(stale.ok).toBe(true);
    const [bobs] = await session.log({ agent: OTHER.id });
    await session.undo({ record: bobs?.seq ?? 0 });
    expect(decode(await session.workspace.read("f"))).toBe("  one();\n");
  });

  const OBJECT = '{\n  "a": {\n    "x": 1,\n    "y": 2,\n    "z": 3\n  },\n  "b": 2\n}\n';
  const CHANGED = '{"x": 1, "y": 20, "z": 3}';

  test.each<[string, string, object]>([
    ["set_json_value", OBJECT, { json_path: "$.a", value: CHANGED }],
    ["merge_json_object", OBJECT, { json_path: "$", updates: `{"a": ${CHANGED}}` }],
    ["edit_json", OBJECT, { edits: [{ op: "set", json_path: "$.a", value: CHANGED }] }],
    ["write_file", OBJECT, { content: OBJECT.replace("2,", "20,"), mode: "overwrite" }],
    [
      "apply_patch",
      OBJECT,
      {
        patch: `f\n<<<<<<< SEARCH\n    "x": 1,\n    "y": 2,\n    "z": 3\n=======\n    "x": 1,\n    "y": 20,\n    "z": 3\n>>>>>>> REPLACE\n`,
      },
    ],
    [
      "apply_patch",
      OBJECT,
      { patch: [3, 4, 5].map((line) => ({ file: "f", line, op: "replace", ...LINES[line - 3] })) },
    ],
    ["apply_patch", OBJECT, { patch: `/workspace/f\n\`\`\`\n${OBJECT.replace("2,", "20,")}\`\`\`\n` }],
  ])("[FILES-87] is so in every tool that changes a part: %s", async (tool, content, input) => {
    const path = tool === "apply_patch" ? {} : { path: "f" };
    const { names, session } = await whose(content, tool, { ...path, ...input });
    expect(decode(await session.workspace.read("f"))).toBe(content.replace("2,", "20,"));
    expect(names.map((name) => name[0]).join("")).toBe("aaabaaaa");
  });

  test("[JTOOL-43] a JSON value that is set anew keeps what others put into its other lines when it is undone", async () => {
    const { session, ann } = await whose(OBJECT, "set_json_value", {
      path: "f",
      json_path: "$.a",
      value: CHANGED,
    });
    const later = await ann.call("set_json_value", { path: "f", json_path: "$.a.z", value: "30" });
    expect(later.ok).toBe(true);
    const [bobs] = await session.log({ agent: OTHER.id });
    await session.undo({ record: bobs?.seq ?? 0 });
    expect(decode(await session.workspace.read("f"))).toBe(OBJECT.replace("3\n", "30\n"));
  });

  test("[JTOOL-43] a stale set of a value that others changed in a line it leaves is a conflict", async () => {
    const { session } = await bench();
    const [ann, bob] = [session.as(EDITOR), session.as(OTHER)];
    const written = await ann.call("write_file", { path: "f", content: OBJECT });
    await bob.call("set_json_value", { path: "f", json_path: "$.a.z", value: "30" });
    const at = session.at.seq;
    const stale = await ann.call("set_json_value", {
      path: "f",
      json_path: "$.a",
      value: CHANGED,
      expectedVersion: written.token,
      onConflict: "rebase",
    });
    expect(stale.error).toMatchObject({ reason: "stale_version" });
    expect(stale.text).toContain("it would not read as your edit asks");
    expect(session.at.seq).toBe(at);
  });

  test("[FILES-87] a part that is too large to compare is new as a whole", async () => {
    const content = `${"line\n".repeat(60_000)}end\n`;
    const { session } = await bench();
    await session.workspace.write("f", content);
    await session.workspace.write("f", `x\n${content}`);
    const { runs: lines } = await session.blame({ path: "f" });
    expect(lines).toHaveLength(1);
  });

  test.each(["a\nb\nc\n", "b"])(
    "[HIST-81] the stream %j over the same text leaves its lines",
    async (text) => {
      const { session } = await bench();
      await session.workspace.write("f", text);
      await session.workspace.write("f", [text, ""]);
      await session.workspace.write("f", text);
      const { runs: lines } = await session.blame({ path: "f" });
      expect(lines.map(({ by }) => by?.record)).toEqual([1]);
    },
  );
});
