import fc from "fast-check";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { HoldfastError, say } from "../../src/errors.ts";
import {
  defineTool,
  fileTarget,
  type CallResult,
  type ReadCtx,
  type Session,
  type Tool,
  type WorkspacePath,
} from "../../src/tools/index.ts";
import { renderHunks } from "../../src/text/index.ts";
import { runs } from "../effort.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

/** Replaces the first place where a text stands, or inserts after one, on the version that the caller saw. */
function swapTool(name: string, prove?: (ctx: ReadCtx, path: WorkspacePath) => Promise<void>): Tool {
  return defineTool({
    name,
    toolset: "test",
    access: "write",
    title: "Swap",
    description: "Replaces one text.",
    input: z.object({
      path: z.string(),
      old: z.string().default(""),
      after: z.string().default(""),
      new: z.string(),
    }),
    output: z.object({ version: z.int(), hunk: z.string(), result: z.string() }),
    rebase: prove === undefined ? {} : { prove },
    resolve: (input, ctx) => ({ ...input, path: ctx.path(input.path, "file") }),
    targets: ({ path }) => [fileTarget(path)],
    async run(ctx, { path, old, after, new: text }) {
      const bytes = await ctx.files.read(path);
      const at = new TextDecoder().decode(bytes).indexOf(after + old);
      if (at < 0) throw new HoldfastError("conflict", "no_match", say`The text is not there.`);
      const splice = { at: at + after.length, remove: old.length, insert: new TextEncoder().encode(text) };
      const { version } = await ctx.files.splice(path, [splice]);
      const hunks = await ctx.files.hunks(path, { context: 0 });
      const result = new TextDecoder().decode(await ctx.files.read(path));
      return { version, hunk: hunks === undefined ? "" : renderHunks(hunks), result };
    },
    text: ({ version }) => `Swapped, version ${version}`,
  });
}

async function requireJson(ctx: ReadCtx, path: WorkspacePath): Promise<void> {
  try {
    JSON.parse(new TextDecoder().decode(await ctx.files.read(path)));
  } catch {
    throw new HoldfastError("invalid_argument", "invalid_json", say`It would not be JSON.`);
  }
}

const TOOLS = [swapTool("swap"), swapTool("swap_json", requireJson)];

async function started(content: string, path = "a.txt"): Promise<{ session: Session; token: string }> {
  const { session } = await bench({ tools: TOOLS });
  return { session, token: await write(session, content, "create", path) };
}

async function write(session: Session, content: string, mode: string, path = "a.txt"): Promise<string> {
  const result = await session.as(OTHER).call<unknown>("write_file", { path, content, mode });
  if (!result.ok) throw new Error(result.text);
  return result.token ?? "";
}

function swap(session: Session, input: object): Promise<CallResult> {
  return session.as(EDITOR).call("swap", { path: "a.txt", ...input });
}

async function text(session: Session, path = "a.txt"): Promise<string | undefined> {
  const read = await session.as(EDITOR).call<{ content: string }>("read_file", { path });
  return read.ok ? read.value.content : undefined;
}

describe("what a conflict shows", () => {
  test("[CALL-57] the change since the version named, the token before it", async () => {
    const { session, token } = await started("one\ntwo\nthree\n");
    const latest = await write(session, "one\nTWO\nthree\n", "overwrite");
    const stale = await swap(session, { old: "three", new: "3", expectedVersion: token });
    expect(stale.text).toBe(
      `[Error] /workspace/a.txt has changed since the version you named (last by "other" with write_file, record 2). The latest token is ${latest}: look at the change below, then repeat the call with it, or with your token and onConflict "rebase".\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three`,
    );
    expect(dataOf(stale)["diff"]).toBe("@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three");
  });

  test("[CALL-57] all stale targets together, a bounded part of each", async () => {
    const { session, token } = await started("x\n".repeat(3));
    const other = await write(session, "y\n", "create", "b.txt");
    await write(session, "z\n".repeat(5_000), "overwrite");
    await write(session, "Y\n", "overwrite", "b.txt");
    const patch = [
      { file: "a.txt", line: 1, op: "replace", old: "x", new: "1" },
      { file: "b.txt", line: 1, op: "replace", old: "y", new: "2" },
    ];
    const stale = await session
      .as(EDITOR)
      .call("apply_patch", { patch, expectedVersion: { "a.txt": token, "b.txt": other } });
    expect(stale.error).toMatchObject({ code: "conflict", reason: "stale_version" });
    expect(stale.text.length).toBeLessThan(3_000);
    expect(dataOf(stale)).toMatchObject({
      target: "/workspace/a.txt",
      others: [{ target: "/workspace/b.txt", diff: "@@ -1 +1 @@\n-y\n+Y" }],
    });
    expect(stale.text).toContain("read again, then repeat");
  });

  test("[CALL-57] a file that is gone, one that is not text, and a tree", async () => {
    const { session, token } = await started("x\n");
    await session.as(OTHER).call("apply_patch", {
      patch: { operations: [{ file: "a.txt", line: 1, op: "delete", old: "x" }], removed: ["a.txt"] },
    });
    const gone = await swap(session, { old: "x", new: "1", expectedVersion: token });
    expect(gone.text).toMatch(
      /There is no such file now: to make it anew, use write_file without expectedVersion\.\nIt was deleted\.$/,
    );
    const bytes = await session
      .as(OTHER)
      .call("write_file", { path: "b.bin", content_base64: "/w==", mode: "create" });
    await session.as(OTHER).call("write_file", { path: "b.bin", content_base64: "/v8=", mode: "overwrite" });
    const binary = await swap(session, {
      path: "b.bin",
      old: "x",
      new: "1",
      expectedVersion: bytes.token ?? "",
    });
    expect(binary.text).toMatch(/read again.*\nIt has 2 bytes now: not text\.$/s);
    const tree = await session.as(OTHER).call("create_tree", { name: "Plan" });
    const child = { parentNodeId: "n0", payloadType: "Task", payloadProps: { Name: "one" } };
    const one = await session.as(OTHER).call("add_child", { ...child, expectedVersion: tree.token });
    expect(one.text).not.toContain("[Error]");
    const late = await session.as(EDITOR).call("add_child", { ...child, expectedVersion: tree.token });
    expect(late.error?.reason).toBe("stale_version");
    expect(late.text).toMatch(/\n\+ t1 /);
  });

  test("[CALL-57] of a file that was moved it is said where to", async () => {
    const { session } = await bench();
    const ann = session.as(EDITOR);
    const { token = "" } = await ann.call("write_file", { path: "m.txt", content: "1\n2\n" });
    await session.as(OTHER).call("move_file", { source: "m.txt", destination: "elsewhere.txt" });
    for (const onConflict of [undefined, "rebase"] as const) {
      const edits = [{ old_text: "2", new_text: "x" }];
      const stale = await ann.call("edit_file", { path: "m.txt", edits, expectedVersion: token, onConflict });
      expect(stale.error?.reason).toBe("stale_version");
      expect(stale.text).toContain("It was moved to /workspace/elsewhere.txt: name it there");
      expect(stale.text).not.toContain("deleted");
    }
  });

  test("[CALL-119] no line goes into a file whose lines have got other endings", async () => {
    const { session, token } = await started("1\n2\n3\n");
    for (const line of ["1", "2", "3"])
      await session.as(OTHER).call("swap", { path: "a.txt", after: line, new: "\r" });
    const sent = { path: "a.txt", after: "2\n", expectedVersion: token, onConflict: "rebase" } as const;
    const stale = await session.as(EDITOR).call("swap", { ...sent, new: "half\n" });
    expect(stale.text).toContain("has other line endings now than in the version you named");
    expect((await session.as(EDITOR).call("swap", { ...sent, new: "half " })).ok).toBe(true);
    expect(new TextDecoder().decode(await session.workspace.read("a.txt"))).toBe("1\r\n2\r\nhalf 3\r\n");
  });

  test("[CALL-100] the base of a patch is rebased as expectedVersion is", async () => {
    const { session, token } = await started("1\n2\n3\n");
    await session
      .as(OTHER)
      .call("edit_file", { path: "a.txt", edits: [{ old_text: "1\n", new_text: "0\n1\n" }] });
    const operations = [{ file: "a.txt", line: 3, op: "replace", old: "3", new: "three" }];
    const patch = { operations, base: { "a.txt": token } };
    const stale = await session.as(EDITOR).call("apply_patch", { patch });
    expect(stale.error?.reason).toBe("stale_base");
    const done = await session.as(EDITOR).call("apply_patch", { patch, onConflict: "rebase" });
    expect(done.text).toContain("[Rebased /workspace/a.txt");
    expect(new TextDecoder().decode(await session.workspace.read("a.txt"))).toBe("0\n1\n2\nthree\n");
    const none = await session.as(EDITOR).call("apply_patch", {
      patch: { operations, base: { "a.txt": "no token" } },
      onConflict: "rebase",
    });
    expect(none.error?.reason).toBe("stale_base");
  });

  test("[CALL-57] nothing is compared with a version of another timeline", async () => {
    const { session, token } = await started("x\n");
    await write(session, "y\n", "overwrite");
    const lost = `1-${token[2] === "0" ? "1" : "0"}${token.slice(3)}`;
    for (const more of [{}, { onConflict: "rebase" }]) {
      const stale = await swap(session, { old: "x", new: "1", expectedVersion: lost, ...more });
      expect(stale.error?.reason).toBe("stale_version");
      expect(dataOf(stale)["diff"]).toBeUndefined();
    }
  });
});

describe("rebase", () => {
  test("[CALL-100] an edit beside what others changed is applied and says so", async () => {
    const { session, token } = await started("one\ntwo\nthree\n");
    await write(session, "zero\none\nTWO\nthree\n", "overwrite");
    const done = await swap(session, {
      old: "three",
      new: "3",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(done.text).toBe(
      `Swapped, version 3\n[Token ${done.token ?? ""}]\n[Rebased /workspace/a.txt onto changes by other (record 2)]`,
    );
    expect(done.value).toMatchObject({
      rebased: [{ path: "/workspace/a.txt", onto: [{ record: 2, agent: "other" }] }],
    });
    expect(await text(session)).toBe("zero\none\nTWO\n3\n");
  });

  test("[CALL-100] a replay and a dry run say the same; a dry run writes nothing", async () => {
    const { session, token } = await started("one\ntwo\n");
    await write(session, "zero\none\ntwo\n", "overwrite");
    const call = { old: "two", new: "2", expectedVersion: token, onConflict: "rebase" };
    const dry = await swap(session, { ...call, dryRun: true });
    expect(dry.text).toBe(
      "[Dry run] Swapped, version 3\n[Rebased /workspace/a.txt onto changes by other (record 2)]",
    );
    expect(await text(session)).toBe("zero\none\ntwo\n");
    const done = await swap(session, { ...call, idempotencyKey: "k" });
    const again = await swap(session, { ...call, idempotencyKey: "k" });
    expect(again).toEqual({ ...done, replayed: true });
    expect(await text(session)).toBe("zero\none\n2\n");
  });

  test("[CALL-101] an edit of what others changed is a conflict that shows both", async () => {
    const { session, token } = await started("one\ntwo\nthree\n");
    const latest = await write(session, "one\nTWO\nthree\n", "overwrite");
    const stale = await swap(session, {
      old: "two",
      new: "2",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(stale.text).toBe(
      `[Error] /workspace/a.txt has changed where your edit is, by record 2 (last by "other" with write_file, record 2). The latest token is ${latest}: look at the change below, then send it with an edit of the text as it is now.\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\nYour edit:\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three`,
    );
    expect(await text(session)).toBe("one\nTWO\nthree\n");
    expect(await session.log({ limit: 9 })).toHaveLength(2);
  });

  test("[CALL-101] the records in the way are named, and no others", async () => {
    const { session, token } = await started("one\ntwo\nthree\n");
    await write(session, "one\nTWO\nthree\n", "overwrite");
    await write(session, "one\nTWO\nthree\nfour\n", "overwrite");
    const stale = await swap(session, {
      old: "two",
      new: "2",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(stale.text).toContain(
      'has changed where your edit is, by record 2 (last by "other" with write_file, record 3)',
    );
    expect(dataOf(stale)["inTheWay"]).toEqual([2]);
  });

  test("[CALL-100] text that goes where others put some says whose it met", async () => {
    const { session, token } = await started("one\ntwo\n");
    await write(session, "zero\none\ntwo\n", "overwrite");
    await write(session, "zero\none\nhalf\ntwo\n", "overwrite");
    const done = await swap(session, {
      after: "one\n",
      new: "mine\n",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(done.text).toBe(
      `Swapped, version 4\n[Token ${done.token ?? ""}]\n[Rebased /workspace/a.txt onto changes by other (records 2, 3), after what record 3 put in the same place]`,
    );
    expect(done.value).toMatchObject({ rebased: [{ met: [3] }] });
    expect(await text(session)).toBe("zero\none\nhalf\nmine\ntwo\n");
  });

  /** Bob's edit of a text, then a stale one of Ann's: the text after both, or the records in the way of hers. */
  async function both(content: string, theirs: object, mine: object): Promise<string | number[]> {
    const { session, token } = await started(content);
    await session.as(OTHER).call("swap", { path: "a.txt", ...theirs });
    const done = await swap(session, { ...mine, expectedVersion: token, onConflict: "rebase" });
    if (!done.ok) return dataOf(done)["inTheWay"] as number[];
    return new TextDecoder().decode(await session.workspace.read("a.txt"));
  }

  test("[CALL-123] a line goes before the blank line that others filled, and says so", async () => {
    const { session, token } = await started("import os\n\nmain()\n");
    const filling = [{ old_text: "os\n\nmain", new_text: "os\nimport sys\nmain" }];
    await session.as(OTHER).call("edit_file", { path: "a.txt", edits: filling });
    const edits = [{ old_text: "import os", new_text: "import os\nimport re" }];
    const done = await session
      .as(EDITOR)
      .call("edit_file", { path: "a.txt", edits, expectedVersion: token, onConflict: "rebase" });
    expect(await text(session)).toBe("import os\nimport re\nimport sys\nmain()\n");
    expect(done.value).toMatchObject({ rebased: [{ met: [2], before: [2] }] });
    expect(done.text).toMatch(/\(record 2\), before what record 2 put in the same place\]$/);
  });

  test("[CALL-123] a line goes before one that came back", async () => {
    const { session } = await started("g0\ng1\ng2\n");
    const gone = await session.as(OTHER).call("swap", { path: "a.txt", old: "g1", new: "" });
    await session.as(OTHER).call("undo_changes", {});
    const sent = { expectedVersion: gone.token, onConflict: "rebase" };
    const filled = await swap(session, { after: "g0\n", new: "mine", ...sent });
    expect(dataOf(filled)["inTheWay"]).toEqual([3]);
    await swap(session, { after: "g0", new: "\nNEW", ...sent });
    expect(await text(session)).toBe("g0\nNEW\ng1\ng2\n");
  });

  const BLANK = "a\n\nb\n";
  const FILL = { after: "a\n", new: "theirs" };
  test.each<[string, string, object, object, string | number[]]>([
    ["a line and a filled one", BLANK, FILL, { after: "a\n", new: "X\n" }, "a\nX\ntheirs\nb\n"],
    ["a line after the filled one", BLANK, FILL, { after: "a\n\n", new: "X\n" }, "a\ntheirs\nX\nb\n"],
    ["two fillings", BLANK, FILL, { after: "a\n", new: "mine" }, [2]],
    ["a filling and a line", BLANK, { after: "a\n", new: "T\n" }, { after: "a\n", new: "X" }, "a\nT\nX\nb\n"],
    ["a removed blank line that is filled", BLANK, FILL, { after: "a\n", old: "\n", new: "" }, [2]],
    [
      "a filled blank line that is gone",
      BLANK,
      { after: "a\n", old: "\n", new: "" },
      { after: "a\n", new: "X" },
      [2],
    ],
    ["a line where lines were joined", "a\nb\n", { old: "a\n", new: "A" }, { after: "a\n", new: "X\n" }, [2]],
    [
      "a line that got longer",
      "a\nb\n",
      { after: "a\n", new: "z" },
      { after: "a\n", old: "b", new: "B" },
      [2],
    ],
    ["a line removed that got longer", "a\nb\nc\n", { after: "a\n", new: "z" }, { old: "b\n", new: "" }, [2]],
    ["ends without a line feed", "a\n", { after: "a\n", new: "T" }, { after: "a\n", new: "X\n" }, "a\nX\nT"],
    ["a word before a new last line", "a", { after: "a", new: "\nT" }, { after: "a", new: " x" }, "a x\nT"],
    [
      "lines with CR",
      "a\r\n\r\nb\r\n",
      { after: "a\r\n", new: "T" },
      { after: "a", new: "\r\nX" },
      "a\r\nX\r\nT\r\nb\r\n",
    ],
    [
      "words in a line",
      "hello world\n",
      { after: "hello", new: " big" },
      { after: "hello", new: " nice" },
      "hello big nice world\n",
    ],
    [
      "items of a list",
      "[\n1\n]\n",
      { after: "1", new: ",\n2" },
      { after: "1", new: ",\n3" },
      "[\n1,\n2,\n3\n]\n",
    ],
  ])("[CALL-123] %s", async (_what, content, theirs, mine, wanted) => {
    expect(await both(content, theirs, mine)).toEqual(wanted);
  });

  test("[CALL-123] bytes that are no text have no lines", async () => {
    const { session } = await bench({ tools: TOOLS });
    const binary = { path: "a.txt", content_base64: "/wo=" };
    const { token } = await session.as(OTHER).call("write_file", binary);
    const end = { path: "a.txt", after: "\n" };
    await session.as(OTHER).call("swap", { ...end, new: "T" });
    const done = await swap(session, { ...end, new: "X", expectedVersion: token, onConflict: "rebase" });
    expect(done.text).toContain("[Rebased");
  });

  test("[CALL-102] two inserts that are no JSON together are a conflict that says why", async () => {
    const { session, token } = await started("{}\n", "a.json");
    const insert = (value: string): object => ({
      path: "a.json",
      after: "{",
      new: value,
      onConflict: "rebase",
    });
    const theirs = await session.as(OTHER).call("swap_json", insert('"a":1'));
    const stale = await session.as(EDITOR).call("swap_json", { ...insert('"b":2'), expectedVersion: token });
    expect(stale.text).toBe(
      `[Error] /workspace/a.json has changed, and your edit beside the change cannot be: It would not be JSON (last by "other" with swap_json, record 2). The latest token is ${theirs.token ?? ""}: look at the change below, then send it with an edit of the text as it is now.\n@@ -1 +1 @@\n-{}\n+{"a":1}\nYour edit:\n@@ -1 +1 @@\n-{}\n+{"b":2}`,
    );
    expect(await text(session, "a.json")).toBe('{"a":1}\n');
    const comma = await session.as(EDITOR).call("swap_json", { ...insert(',"b":2'), expectedVersion: token });
    expect(comma.text).toMatch(/\[Rebased/);
    expect(await text(session, "a.json")).toBe('{"a":1,"b":2}\n');
  });

  test("[CALL-103] a removal, and an edit of a file that is gone, are not rebased", async () => {
    const { session, token } = await started("one\n");
    const latest = await write(session, "ONE\n", "overwrite");
    const removing = (old: string): object => ({
      patch: { operations: [{ file: "a.txt", line: 1, op: "delete", old }], removed: ["a.txt"] },
    });
    const kept = await session
      .as(EDITOR)
      .call<unknown>("apply_patch", { ...removing("one"), expectedVersion: token, onConflict: "rebase" });
    expect(kept.text).toBe(
      `[Error] /workspace/a.txt has changed since the version you named, and only edits of a part can be rebased (last by "other" with write_file, record 2). The latest token is ${latest}: look at the change below, then repeat the call with it.\n@@ -1 +1 @@\n-one\n+ONE`,
    );
    await session.as(OTHER).call<unknown>("apply_patch", removing("ONE"));
    const gone = await swap(session, {
      old: "one",
      new: "1",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(gone.error?.reason).toBe("stale_version");
    expect(gone.text).toContain("It was deleted.");
    await write(session, "one\n", "create");
    const other = await swap(session, {
      old: "one",
      new: "1",
      expectedVersion: token,
      onConflict: "rebase",
    });
    expect(other.error?.reason).toBe("stale_version");
    expect(await text(session)).toBe("one\n");
  });

  test("[CALL-104] version, hunk and later reads are of the result; the record is the agent's own", async () => {
    const { session, token } = await started("one\ntwo\n");
    await write(session, "zero\none\ntwo\n", "overwrite");
    const done = await swap(session, { old: "two", new: "2", expectedVersion: token, onConflict: "rebase" });
    expect(done.value).toMatchObject({
      version: 3,
      hunk: "@@ -3 +3 @@\n-two\n+2\n",
      result: "zero\none\n2\n",
    });
    const { runs: lines } = await session.blame({ path: "a.txt" });
    expect(lines.map(({ by }) => by?.agent)).toEqual(["other", "other", EDITOR.id]);
    expect((await session.as(EDITOR).call("undo_changes", {})).ok).toBe(true);
    expect(await text(session)).toBe("zero\none\ntwo\n");
  });

  test("[CALL-105] it changes nothing without a stale version, and other tools do not take it", async () => {
    const { session, token } = await started("one\n");
    const done = await swap(session, { old: "one", new: "1", expectedVersion: token, onConflict: "rebase" });
    expect(done.text).toBe(`Swapped, version 2\n[Token ${done.token ?? ""}]`);
    const free = await swap(session, { old: "1", new: "2", onConflict: "rebase" });
    expect(free.ok).toBe(true);
    const other = { path: "a.txt", content: "x", mode: "overwrite", onConflict: "rebase" };
    expect((await session.as(EDITOR).call<unknown>("write_file", other)).error?.reason).toBe("bad_input");
    const [tool] = session
      .as(EDITOR)
      .tools()
      .filter(({ name }) => name === "swap");
    expect(Object.keys((tool?.inputSchema["properties"] ?? {}) as object)).toContain("onConflict");
  });

  test("[CALL-100] stale edits of lines that nobody touched since always land, others never", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 7 }), fc.boolean()), { minLength: 1, maxLength: 10 }),
        fc.nat({ max: 7 }),
        async (edits, mine) => {
          const lines = Array.from({ length: 8 }, (_, i) => `line ${i} ${"x".repeat(i)}`);
          const { session, token } = await started(`${lines.join("\n")}\n`);
          const model = lines.map((line) => [line]);
          for (const [i, [line, isInsert]] of edits.entries()) {
            if (isInsert) model[line]?.unshift(`new ${i}`);
            else model[line]?.splice(-1, 1, `edited ${i}`);
            await write(session, `${model.flat().join("\n")}\n`, "overwrite");
          }
          const before = `${model.flat().join("\n")}\n`;
          const done = await swap(session, {
            old: lines[mine],
            new: "mine",
            expectedVersion: token,
            onConflict: "rebase",
          });
          const isTouched = edits.some(([line, isInsert]) => line === mine && !isInsert);
          expect(done.ok).toBe(!isTouched);
          if (!isTouched) model[mine]?.splice(-1, 1, "mine");
          expect(await text(session)).toBe(isTouched ? before : `${model.flat().join("\n")}\n`);
        },
      ),
      runs(25),
    );
  });
});
