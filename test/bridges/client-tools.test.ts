// The file tools of the model makers, carried out by an agent: docs/spec/bridges.md.

import { describe, expect, test } from "vitest";
import {
  anthropicRunnableTools,
  anthropicTools,
  type AnthropicOptions,
} from "../../src/bridges/anthropic.ts";
import { openaiAgentTools, openaiTools, type OpenaiPatchTool } from "../../src/bridges/openai.ts";
import type { Agent, Session } from "../../src/tools/index.ts";
import { bench, EDITOR, READER } from "../tools/bench-session.ts";

interface Claude {
  readonly session: Session;
  readonly agent: Agent;
  /** Sends a command, and returns what the model reads. */
  readonly send: (input: unknown, id?: string, signal?: AbortSignal) => Promise<string>;
}

async function claude(tool: "editor" | "memory", options: AnthropicOptions = {}): Promise<Claude> {
  const { session } = await bench();
  const agent = session.as(EDITOR);
  const tools = anthropicTools(agent, {
    only: [],
    ...(tool === "editor" ? { textEditor: true } : { memory: true }),
    ...options,
  });
  const name = tool === "editor" ? "str_replace_based_edit_tool" : "memory";
  let next = 0;
  return {
    session,
    agent,
    async send(input, id = `toolu_${next++}`, signal) {
      const use = [{ type: "tool_use", id, name, input }];
      const [result] = await tools.run(use, signal === undefined ? {} : { signal });
      if (typeof result?.content !== "string") throw new Error("no text");
      expect(result.is_error === true).toBe(result.content.startsWith("[Error]"));
      return result.content;
    },
  };
}

async function textOf(agent: Agent, path: string): Promise<string | undefined> {
  const result = await agent.call("read_file", { path });
  return result.ok ? result.value.content : undefined;
}

async function linesOf(agent: Agent, path: string): Promise<number | undefined> {
  const result = await agent.call("read_file", { path });
  return result.ok ? result.value.lines : undefined;
}

describe("Claude's text editor", () => {
  test("[BRIDGE-10] views, creates, replaces and inserts, each as a record that can be undone", async () => {
    const { session, agent, send } = await claude("editor");
    expect(await send({ command: "create", path: "/workspace/src/a.ts", file_text: "one\ntwo\n" })).toBe(
      "File created successfully at: /workspace/src/a.ts",
    );
    expect(await send({ command: "view", path: "/workspace/src/a.ts" })).toBe(
      "Here's the content of /workspace/src/a.ts with line numbers:\n     1\tone\n     2\ttwo",
    );
    expect(await send({ command: "str_replace", path: "src/a.ts", old_str: "two", new_str: "2" })).toContain(
      "+2",
    );
    expect(await send({ command: "insert", path: "src/a.ts", insert_line: 0, insert_text: "zero\n" })).toBe(
      "The file src/a.ts has been edited.",
    );
    await send({ command: "insert", path: "src/a.ts", insert_line: 3, insert_text: "three" });
    expect(await textOf(agent, "src/a.ts")).toBe("zero\none\n2\nthree\n");
    expect(await send({ command: "view", path: "src/a.ts", view_range: [2, 3] })).toBe(
      "Here's the content of src/a.ts with line numbers:\n     2\tone\n     3\t2",
    );
    expect(await send({ command: "view", path: "/workspace" })).toContain("17\t/workspace/src/a.ts");
    expect(await send({ command: "view", path: "." })).toContain("-\t/workspace/src/");
    await session.undo({ lastCallOf: EDITOR.id });
    expect(await textOf(agent, "src/a.ts")).toBe("zero\none\n2\n");
    expect((await session.log()).map(({ tool }) => tool).filter((tool) => tool !== undefined)).toContain(
      "edit_file",
    );
  });

  test("[BRIDGE-10] old text without new text is taken out, and endings are kept", async () => {
    const { agent, send } = await claude("editor");
    await agent.call("write_file", { path: "a.txt", content: "one\r\ntwo\r\n" });
    expect(await send({ command: "view", path: "a.txt" })).toBe(
      "Here's the content of a.txt with line numbers:\n     1\tone\n     2\ttwo",
    );
    await send({ command: "insert", path: "a.txt", insert_line: 1, new_str: "mid\n" });
    await send({ command: "str_replace", path: "a.txt", old_str: "two\n", new_str: null });
    expect(await textOf(agent, "a.txt")).toBe("one\r\nmid\r\n");
  });

  test("[BRIDGE-12] says what is wrong with the names of its own fields", async () => {
    const { agent, send } = await claude("editor");
    await agent.call("write_file", { path: "a.txt", content: "x\nx\n" });
    expect(await send({ command: "undo_edit", path: "a.txt" })).toBe(
      '[Error] str_replace_based_edit_tool was not run. command: must be one of "view", "create", "str_replace", "insert".',
    );
    expect(await send({ command: "insert", path: 1 })).toMatch(
      /path: must be a string; insert_line: is missing.*; insert_text: is missing/,
    );
    expect(await send("view")).toContain("must be an object");
    for (const range of [[0, 1], [3, 2], [1], ["1", "2"], [1.5, 2]])
      expect(await send({ command: "view", path: "a.txt", view_range: range })).toContain(
        "view_range: must be",
      );
    const refusals = [
      await send({ command: "str_replace", path: "a.txt", old_str: "x", new_str: "y" }),
      await send({ command: "str_replace", path: "a.txt", old_str: "zzz", new_str: "y" }),
      await send({ command: "str_replace", path: "a.txt", old_str: "", new_str: "y" }),
      await send({ command: "str_replace", path: "a.txt", old_str: "x", new_str: "x" }),
      await send({ command: "create", path: "a.txt", file_text: "new" }),
      await send({ command: "insert", path: "a.txt", insert_line: 3, insert_text: "y" }),
      await send({ command: "view", path: "a.txt", view_range: [5, 6] }),
      await send({ command: "view", path: "../etc/passwd" }),
      await send({ command: "view", path: "/etc/passwd" }),
      await send({ command: "insert", path: "none.txt", insert_line: 0, insert_text: "y" }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatch(/^\[Error\] /);
      expect(refusal).not.toMatch(
        /old_text|new_text|replace_all|write_file|expectedVersion|mode |offset|read_file/,
      );
    }
    expect(refusals[0]).toMatch(
      /^\[Error\] old_str occurs 2 times .* on lines 1, 2\..*so that it occurs once\.$/,
    );
    expect(refusals[5]).toContain("send a number from 0 to 2");
    expect(await textOf(agent, "a.txt")).toBe("x\nx\n");
  });

  test("[BRIDGE-14] an insert never creates a file, and never counts the lines of another version", async () => {
    const { session, agent, send } = await claude("editor");
    const other = session.as({ id: "other", role: "editor" });
    await send({ command: "insert", path: "none.txt", insert_line: 0, insert_text: "y" });
    expect(session.files()).toEqual([]);
    await send({ command: "create", path: "a.txt", file_text: "one\ntwo\n" });
    await other.call("edit_file", { path: "a.txt", edits: [{ old_text: "one\n", new_text: "zero\none\n" }] });
    // The replacement is exact and goes through; what else has changed the model has not seen.
    await send({ command: "str_replace", path: "a.txt", old_str: "two", new_str: "2" });
    expect(
      await send({ command: "insert", path: "a.txt", insert_line: 1, insert_text: "after one" }),
    ).toMatch(/has changed since you viewed it.*View it again/);
    await send({ command: "view", path: "a.txt" });
    await send({ command: "insert", path: "a.txt", insert_line: 2, insert_text: "after one" });
    expect(await textOf(agent, "a.txt")).toBe("zero\none\nafter one\n2\n");
  });

  test("[BRIDGE-14] what the model saw is kept for the agent, whichever tools it saw it with", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    let next = 0;
    const send = async (name: string, input: unknown): Promise<unknown> => {
      const tools = anthropicTools(agent, { only: [], textEditor: true, memory: true });
      return (await tools.run([{ type: "tool_use", id: `t${next++}`, name, input }]))[0]?.content;
    };
    await agent.call("write_file", { path: "memories/a.txt", content: "one\ntwo\n" });
    await send("memory", { command: "view", path: "/memories/a.txt" });
    const other = session.as({ id: "other", role: "editor" });
    await other.call("write_file", {
      path: "memories/a.txt",
      content: "zero\none\ntwo\n",
      mode: "overwrite",
    });
    const insert = { command: "insert", path: "memories/a.txt", insert_line: 1, insert_text: "after one" };
    for (const [name, path] of [
      ["memory", "/memories/a.txt"],
      ["str_replace_based_edit_tool", "memories/a.txt"],
    ] as const)
      expect(await send(name, { ...insert, path })).toMatch(/has changed since you viewed it/);
    await send("str_replace_based_edit_tool", { command: "view", path: "memories/a.txt" });
    await send("memory", { ...insert, path: "/memories/a.txt", insert_line: 2 });
    expect(await textOf(agent, "memories/a.txt")).toBe("zero\none\nafter one\ntwo\n");
  });

  test("[BRIDGE-12] a name with a slash at its end is a directory, and long text is sent in parts", async () => {
    const { session, send } = await claude("editor");
    expect(await send({ command: "create", path: "notes/", file_text: "x" })).toMatch(/^\[Error\].*slash/);
    expect(session.files()).toEqual([]);
    const long = "x\n".repeat(40_000);
    const refused = await send({ command: "create", path: "a.txt", file_text: long });
    expect(refused).toContain("Send a part of it, then insert the rest after it.");
    await send({ command: "create", path: "a.txt", file_text: long.slice(0, 40_000) });
    expect(
      await send({ command: "insert", path: "a.txt", insert_line: 20_000, insert_text: long.slice(40_000) }),
    ).toBe("The file a.txt has been edited.");
    expect(session.files()[0]?.size_bytes).toBe(80_000);
  });

  test("[BRIDGE-13] a byte order mark is not part of the first line", async () => {
    const { agent, send } = await claude("editor");
    await agent.call("write_file", { path: "a.txt", content: "\ufeffone\n" });
    expect(await send({ command: "view", path: "a.txt" })).toContain("     1\tone");
  });

  test("[BRIDGE-13] says where a view was cut, and what shows the rest", async () => {
    const { agent, send } = await claude("editor", { textEditor: { maxCharacters: 1_000 } });
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1} of many`);
    await agent.call("write_file", { path: "a.txt", content: `${lines.join("\n")}\n` });
    const seen: string[] = [];
    let view = await send({ command: "view", path: "a.txt" });
    for (;;) {
      expect(view.length).toBeLessThanOrEqual(1_000);
      seen.push(
        ...view.split("\n").flatMap((line) => (line.includes("\t") ? [line.split("\t")[1] as string] : [])),
      );
      const rest = /View the rest with view_range \[(\d+), -1\]/.exec(view)?.[1];
      if (rest === undefined) break;
      view = await send({ command: "view", path: "a.txt", view_range: [Number(rest), -1] });
    }
    expect(seen).toEqual(lines);
    await agent.call("write_file", { path: "long.txt", content: "x".repeat(5_000) });
    expect(await send({ command: "view", path: "long.txt" })).toContain("[Cut inside line 1 of 1");
    await agent.call("write_file", { path: "empty.txt", content: "" });
    expect(await send({ command: "view", path: "empty.txt" })).toBe("empty.txt is empty.");
    await agent.call("write_file", { path: "b.bin", content_base64: "AAECgA==" });
    expect(await send({ command: "view", path: "b.bin" })).toContain("is not text");
  });

  test("[BRIDGE-13] small bounds show whole lines, and what follows a line that is too long is named", async () => {
    const { agent, send } = await claude("editor", { textEditor: { maxCharacters: 600 } });
    const lines = Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join("");
    await agent.call("write_file", { path: "a.txt", content: lines });
    const view = await send({ command: "view", path: "a.txt" });
    expect(view).toMatch(/\[Cut after line (\d\d) of 500\. View the rest with view_range \[\d\d, -1\]\]/);
    expect(view.length).toBeLessThanOrEqual(600);
    await agent.call("write_file", { path: "b.txt", content: `${"z".repeat(40_000)}\nsecond\n` });
    expect(await send({ command: "view", path: "b.txt" })).toContain(
      "[Cut inside line 1 of 2, which is too long to be shown whole. View what follows it with view_range [2, -1]]",
    );
    expect(() => anthropicTools(agent, { textEditor: { maxChars: 100 } as never })).toThrow("maxCharacters");
  });

  test("[BRIDGE-13] no view is longer than maxCharacters", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const content = Array.from({ length: 400 }, (_, i) => `${i}\n`).join("");
    await agent.call("write_file", { path: "many.txt", content });
    await agent.call("write_file", { path: "long.txt", content: "\u{1f600}".repeat(4_000) });
    for (let i = 0; i < 40; i++)
      await agent.call("write_file", { path: `src/a-file-with-a-long-name-${i}.txt`, content: "" });
    for (const maxCharacters of [1, 50, 150, 151, 300, 1_000, 3_000]) {
      const tools = anthropicTools(agent, { only: [], textEditor: { maxCharacters } });
      for (const path of ["many.txt", "long.txt", "/workspace", "src"]) {
        const use = { id: `${maxCharacters}-${path}`, input: { command: "view", path } };
        const [view] = await tools.run([{ type: "tool_use", name: "str_replace_based_edit_tool", ...use }]);
        const text = view?.content as string;
        expect(text.length, use.id).toBeLessThanOrEqual(maxCharacters);
        expect(text.isWellFormed()).toBe(true);
        if (maxCharacters >= 300)
          expect(text).toMatch(/Cut after line|Cut inside line 1|\d more: view|src\/a-file/);
        if (maxCharacters === 1_000 && path === "src") expect(text.length).toBeGreaterThan(900);
      }
    }
  });

  test("[BRIDGE-3] [BRIDGE-4] [BRIDGE-6] repeated, in one turn, and aborted", async () => {
    const { agent, send } = await claude("editor");
    const insert = { command: "insert", path: "a.txt", insert_line: 1, insert_text: "two" };
    const turn = await Promise.all([
      send({ command: "create", path: "a.txt", file_text: "one\n" }, "c1"),
      send(insert, "c2"),
      send({ command: "str_replace", path: "a.txt", old_str: "two", new_str: "2" }, "c3"),
      send({ command: "view", path: "a.txt" }, "c4"),
    ]);
    expect(turn.at(-1)).toContain("     2\t2");
    await send(insert, "c2");
    expect(await textOf(agent, "a.txt")).toBe("one\n2\n");
    expect(await send({ ...insert, insert_text: "other" }, "c2")).toMatch(
      /"c2", is that of another call.*idempotent: false/,
    );
    const aborted = await send(insert, "c9", AbortSignal.abort());
    expect(aborted).toMatch(/^\[Error\]/);
    expect(await textOf(agent, "a.txt")).toBe("one\n2\n");
  });

  test("[BRIDGE-3] an insert sent again is answered as before, whatever the file has become", async () => {
    const { session, agent, send } = await claude("editor");
    const other = session.as({ id: "other", role: "editor" });
    for (const path of ["a.txt", "/workspace/b.txt"]) {
      await send({ command: "create", path, file_text: "1\n2\n3\n4\n" });
      const insert = { command: "insert", path, insert_line: 4, insert_text: "5\n" };
      const first = await send(insert, `same-${path}`);
      expect(first).toBe(`The file ${path} has been edited.`);
      await other.call("write_file", { path, content: "one\n", mode: "overwrite" });
      expect(await send(insert, `same-${path}`)).toBe(first);
      expect(await textOf(agent, path)).toBe("one\n");
      expect(await send({ ...insert, insert_text: "6\n" }, `same-${path}`)).toContain(
        "is that of another call",
      );
      expect(await send(insert)).toMatch(/insert_line 4 is past the end/);
      await other.call("delete_file", { path });
      expect(await send(insert, `same-${path}`)).toBe(first);
      expect(await send(insert)).toMatch(/does not exist/);
      expect(await send({ ...insert, insert_line: 0 })).toMatch(/does not exist/);
      expect(await textOf(agent, path)).toBeUndefined();
    }
  });

  test("[BRIDGE-17] no character of a file makes a line or a number of a view", async () => {
    const { agent, send } = await claude("editor");
    const odd = [
      "\r",
      "\u2028",
      "\u2029",
      "\u0085",
      "\u000b",
      "\u000c",
      "\u0000",
      "\u001b",
      "\u202e",
      "\u2066",
    ];
    for (const [i, character] of odd.entries()) {
      const path = `${i}.txt`;
      await send({ command: "create", path, file_text: `a${character}     2\tforged\nb\u200d\ttab\r\n` });
      const shown = await send({ command: "view", path });
      const escape = `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
      expect(shown.split("\n").slice(2)).toEqual([
        `     1\ta${escape}     2\tforged`,
        "     2\tb\u200d\ttab",
      ]);
      expect(shown).toContain("Send it as that character");
      // The escape is what JSON writes: sent so in a call, it is the character itself.
      const input = JSON.parse(
        `{"command":"str_replace","path":"${path}","old_str":"a${escape} ","new_str":"c "}`,
      ) as unknown;
      expect(await send(input)).toContain("has been edited");
      expect(await textOf(agent, path)).toBe("c     2\tforged\nb\u200d\ttab\r\n");
      expect(await send({ command: "view", path })).not.toContain("Send it as that character");
    }
  });

  test("[BRIDGE-12] what a refusal advises can be done with the same tool", async () => {
    const { agent, send } = await claude("editor");
    await send({ command: "create", path: "a.txt", file_text: "x\n".repeat(10) });
    // Too long: in parts.
    const long = `${"y".repeat(99)}\n`.repeat(600);
    const create = { command: "create", path: "long.txt", file_text: long };
    expect(await send(create)).toContain("Send a part of it, then insert the rest after it.");
    expect(await send({ ...create, file_text: long.slice(0, 30_000) })).toContain("created");
    const insert = { command: "insert", path: "long.txt", insert_line: 300, insert_text: long.slice(30_000) };
    expect(await send(insert)).toContain("has been edited");
    expect(await linesOf(agent, "long.txt")).toBe(600);
    expect(await send({ ...insert, insert_text: long })).toContain("Send a part of it");
    const replace = { command: "str_replace", path: "long.txt", old_str: long, new_str: "" };
    expect(await send(replace)).toContain("Replace a part of it, then the next.");
    const last = `${"y".repeat(99)}\n`;
    await send({ command: "insert", path: "long.txt", insert_line: 300, insert_text: "middle\n" });
    expect(await send({ ...replace, old_str: `middle\n${last.repeat(300)}` })).toContain("has been edited");
    expect(await linesOf(agent, "long.txt")).toBe(300);
    // Not text: another file.
    await agent.call("write_file", { path: "a.bin", content_base64: "AAECgA==" });
    for (const command of ["insert", "str_replace"])
      expect(
        await send({
          command,
          path: "a.bin",
          insert_line: 0,
          insert_text: "x\n",
          old_str: "x",
          new_str: "y",
        }),
      ).not.toMatch(/as a whole|read the file|write_file|apply_patch/);
    expect(await send({ ...insert, path: "a.bin", insert_line: 0, insert_text: "x\n" })).toContain(
      "is not text, so it cannot be changed by its lines. Create another file.",
    );
    // There already: another name, or a change.
    expect(await send({ ...create, file_text: "x" })).toContain("or create another file");
    expect(await send({ ...create, path: "other.txt", file_text: "x\n" })).toContain("created");
    // Past the end: a number that it names.
    expect(
      await send({ command: "insert", path: "other.txt", insert_line: 2, insert_text: "y\n" }),
    ).toContain("which has 1 line: send a number from 0 to 1.");
    expect(
      await send({ command: "insert", path: "other.txt", insert_line: 1, insert_text: "y\n" }),
    ).toContain("edited");
    expect(await send({ command: "view", path: "other.txt", view_range: [9, 9] })).toContain(
      "View it without view_range",
    );
    expect(await send({ command: "view", path: "other.txt" })).toContain("     2\ty");
    expect(await send({ command: "str_replace", path: "other.txt", old_str: "", new_str: "z" })).toContain(
      "use insert",
    );
    const twice = await send({ command: "str_replace", path: "a.txt", old_str: "x", new_str: "z" });
    expect(twice).toContain("add lines around it");
    expect(
      await send({ command: "str_replace", path: "other.txt", old_str: "x\ny", new_str: "z" }),
    ).toContain("edited");
  });

  test("[BRIDGE-9] an image is seen", async () => {
    const agent = (await bench()).session.as(EDITOR);
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await agent.call("write_file", { path: "a.png", content_base64: png });
    const tools = anthropicTools(agent, { textEditor: true });
    const uses = [
      {
        type: "tool_use",
        id: "1",
        name: "str_replace_based_edit_tool",
        input: { command: "view", path: "a.png" },
      },
      { type: "tool_use", id: "2", name: "read_file", input: { path: "a.png" } },
    ];
    for (const { content } of await tools.run(uses))
      expect(content).toMatchObject([
        { type: "text" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      ]);
  });

  test("[BRIDGE-11] what an agent lacks is said when the tools are made", async () => {
    const { session } = await bench();
    const narrow = session.as({ ...EDITOR, toolsets: ["files"] });
    expect(() => anthropicTools(narrow, { textEditor: true })).toThrow(/needs apply_patch: name .* toolsets/);
    const reader = anthropicTools(session.as(READER), { textEditor: true, memory: true });
    const input = { command: "create", path: "a.txt", file_text: "x" };
    const [made, seen] = await reader.run([
      { type: "tool_use", id: "1", name: "str_replace_based_edit_tool", input },
      { type: "tool_use", id: "2", name: "memory", input: { command: "view", path: "/memories" } },
    ]);
    expect(made).toMatchObject({ is_error: true, content: expect.stringContaining('role "reader"') });
    expect(seen?.content).toBe("/memories is empty.");
  });
});

describe("Claude's memory", () => {
  test("[BRIDGE-10] keeps notes in a directory of the workspace", async () => {
    const { agent, send } = await claude("memory");
    expect(await send({ command: "view", path: "/memories" })).toBe("/memories is empty.");
    await send({ command: "create", path: "/memories/notes/a.md", file_text: "likes tea\n" });
    expect(await send({ command: "view", path: "/memories/" })).toContain("10\t/memories/notes/a.md");
    await send({ command: "insert", path: "/memories/notes/a.md", insert_line: 1, insert_text: "no milk\n" });
    expect(await send({ command: "view", path: "/memories/notes/a.md" })).toContain("     2\tno milk");
    expect(await textOf(agent, "memories/notes/a.md")).toBe("likes tea\nno milk\n");
    expect(
      await send({ command: "rename", old_path: "/memories/notes/a.md", new_path: "/memories/b.md" }),
    ).toBe("Successfully renamed /memories/notes/a.md to /memories/b.md");
    expect(await send({ command: "delete", path: "/memories/b.md" })).toBe(
      "Successfully deleted /memories/b.md",
    );
    expect(await send({ command: "delete", path: "/memories/b.md" })).toMatch(/^\[Error\] .*does not exist/);
    expect(await send({ command: "view", path: "/memories" })).toBe("/memories is empty.");
  });

  test("[BRIDGE-10] the directory itself is never made a file", async () => {
    const { agent, send } = await claude("memory");
    const itself = /^\[Error\] \/memories itself stays where it is/;
    expect(await send({ command: "create", path: "/memories", file_text: "x" })).toMatch(itself);
    expect(await send({ command: "create", path: "/memories/", file_text: "x" })).toMatch(itself);
    expect(await send({ command: "insert", path: "/memories", insert_line: 0, insert_text: "x" })).toMatch(
      itself,
    );
    expect(await send({ command: "create", path: "/memories/a.md", file_text: "x" })).toContain("created");
    expect(await textOf(agent, "memories/a.md")).toBe("x");
  });

  test("[BRIDGE-10] no path leads out of it", async () => {
    const { agent, send } = await claude("memory", { memory: "notes/claude" });
    await agent.call("write_file", { path: "secret.txt", content: "s\n" });
    await agent.call("write_file", { path: "notes/claude2/x.txt", content: "s\n" });
    for (const path of [
      "/memories/../secret.txt",
      "/memories/..",
      "/memories/%2e%2e/secret.txt",
      "/memories/..\\..\\secret.txt",
      "/memories2/x.txt",
      "/workspace/secret.txt",
      "secret.txt",
      "/workspace/notes/claude2/x.txt",
      "/memories/../claude2/x.txt",
      "",
      "/",
    ])
      for (const command of ["view", "delete", "str_replace"])
        expect(await send({ command, path, old_str: "s", new_str: "t" }), `${command} ${path}`).toMatch(
          /^\[Error\]/,
        );
    expect(await send({ command: "rename", old_path: "/memories", new_path: "/memories/x" })).toMatch(
      /^\[Error\]/,
    );
    expect(await send({ command: "delete", path: "/memories" })).toMatch(
      /^\[Error\] \/memories itself stays/,
    );
    await send({ command: "create", path: "/memories/a.md", file_text: "x" });
    // However its name is spelled, the directory itself stays.
    for (const path of [
      "/memories/",
      "/memories//",
      "//memories",
      "/workspace/notes/claude/",
      "/memories///",
    ])
      expect(await send({ command: "delete", path }), path).toMatch(/^\[Error\]/);
    expect(
      await send({ command: "rename", old_path: "/memories/a.md", new_path: "/workspace/out.md" }),
    ).toMatch(/^\[Error\].*not in "\/memories"/);
    expect(await textOf(agent, "notes/claude/a.md")).toBe("x");
    expect(await textOf(agent, "secret.txt")).toBe("s\n");
  });

  test("[BRIDGE-12] no error names what is outside it", async () => {
    const { agent, send } = await claude("memory");
    await agent.call("write_file", { path: "secret-plan.txt", content: "s\n" });
    await agent.call("write_file", { path: "sub/a.md", content: "s\n" });
    await send({ command: "create", path: "/memories/a.md", file_text: "x\n" });
    await send({ command: "create", path: "/memories/b.md", file_text: "x\n" });
    const path = "/memories/sub/secret-plan.txt";
    for (const input of [
      { command: "view", path },
      { command: "view", path: "/memories/sub" },
      { command: "delete", path },
      { command: "delete", path: "/memories/sub" },
      { command: "insert", path, insert_line: 0, insert_text: "x" },
      { command: "str_replace", path, old_str: "s", new_str: "t" },
      { command: "str_replace", path: "/memories/a.md", old_str: "s", new_str: "t" },
      { command: "rename", old_path: path, new_path: "/memories/c.md" },
      { command: "rename", old_path: "/memories/a.md", new_path: "/memories/b.md" },
      { command: "create", path: "/memories/a.md/c.md", file_text: "x" },
      { command: "view", path: "/memories/../secret-plan.txt" },
    ]) {
      const refused = await send(input);
      expect(refused, JSON.stringify(input)).toMatch(/^\[Error\] .*\/memories/);
      expect(refused).not.toContain("/workspace");
    }
    expect(await send({ command: "view", path })).toBe(
      `[Error] ${path} does not exist. View /memories to see what there is.`,
    );
  });

  test("[BRIDGE-10] both for the tool runner, beside our own tools", async () => {
    const { session } = await bench();
    const tools = anthropicRunnableTools(session.as(EDITOR), {
      textEditor: true,
      memory: true,
      only: ["list_directory"],
    });
    expect(tools.map(({ name }) => name)).toEqual([
      "str_replace_based_edit_tool",
      "memory",
      "list_directory",
    ]);
    const [editor, memory] = tools;
    expect(editor).toMatchObject({ type: "text_editor_20250728" });
    const run = { toolUse: { id: "1" } };
    expect(await memory?.run({ command: "view", path: "/memories" }, run)).toBe("/memories is empty.");
  });
});

describe("rules of the host", () => {
  const rules = [{ paths: ["**/v/**"], require: "version" as const }];

  async function ruled(tool: "textEditor" | "memory"): Promise<(input: unknown) => Promise<string>> {
    const { session } = await bench({ rules });
    await session.workspace.write(tool === "memory" ? "memories/v/a.md" : "v/a.md", "one\ntwo\n");
    const tools = anthropicTools(session.as(EDITOR), { only: [], [tool]: true });
    const name = tool === "memory" ? "memory" : "str_replace_based_edit_tool";
    let next = 0;
    return async (input) => {
      const [result] = await tools.run([{ type: "tool_use", id: `toolu_${next++}`, name, input }]);
      return result?.content as string;
    };
  }

  test("[BRIDGE-18] a version that a rule wants named is the one that the model has viewed", async () => {
    for (const [tool, path] of [
      ["textEditor", "v/a.md"],
      ["memory", "/memories/v/a.md"],
    ] as const) {
      const send = await ruled(tool);
      const edit = { command: "str_replace", path, old_str: "two", new_str: "2" };
      expect(await send(edit)).toBe(
        `[Error] A rule of the host wants a file to be seen before it is changed, and you have not viewed ${path} as it is now. View it, then send the command again.`,
      );
      await send({ command: "view", path });
      expect(await send(edit)).toContain("has been edited");
      if (tool === "memory") {
        expect(await send({ command: "rename", old_path: path, new_path: "/memories/v/b.md" })).toContain(
          "Successfully renamed",
        );
        expect(await send({ command: "delete", path: "/memories/v/b.md" })).toContain("View it, then send");
        await send({ command: "view", path: "/memories/v/b.md" });
        expect(await send({ command: "delete", path: "/memories/v/b.md" })).toContain("Successfully deleted");
      }
    }
  });

  test("[BRIDGE-18] an update by lines names the present version, a deletion is told the way", async () => {
    const { session } = await bench({ rules });
    await session.workspace.write("v/a.md", "one\ntwo\n");
    const tools = openaiTools(session.as(EDITOR), { applyPatch: true });
    const send = async (operation: object, id: string): Promise<string> =>
      (await tools.run([{ type: "apply_patch_call", call_id: id, operation } as never]))[0]?.output as string;
    expect(await send({ type: "update_file", path: "v/a.md", diff: "@@\n one\n-two\n+2\n" }, "1")).toContain(
      "/workspace/v/a.md: +1 -1",
    );
    expect(await send({ type: "delete_file", path: "v/a.md" }, "2")).toContain(
      "another tool that takes expectedVersion",
    );
  });
});

describe("OpenAI's apply_patch", () => {
  const create = { type: "create_file", path: "a.txt", diff: "+one\n+two\n" };
  const update = { type: "update_file", path: "a.txt", diff: "@@\n one\n-two\n+2\n" };

  async function responses(): Promise<{
    agent: Agent;
    names: readonly string[];
    send: (operation: unknown, id: string) => Promise<{ status: string; output: string }>;
  }> {
    const agent = (await bench()).session.as(EDITOR);
    const tools = openaiTools(agent, { applyPatch: true });
    return {
      agent,
      names: tools.definitions.map((one) => (one.type === "function" ? one.name : `(${one.type})`)),
      async send(operation, id) {
        const item = { type: "apply_patch_call", call_id: id, operation };
        const [output] = await tools.run([item]);
        if (output?.type !== "apply_patch_call_output") throw new Error("no output");
        expect(output.call_id).toBe(id);
        return output;
      },
    };
  }

  async function agents(): Promise<Awaited<ReturnType<typeof responses>>> {
    const agent = (await bench()).session.as(EDITOR);
    const tools = openaiAgentTools(agent, ({ name }) => name, {
      applyPatchTool: (config: OpenaiPatchTool) => config,
    });
    const theirs = tools.find((one) => typeof one !== "string");
    if (theirs === undefined) throw new Error("no tool");
    return {
      agent,
      names: tools.map((one) => (typeof one === "string" ? one : "(apply_patch)")),
      async send(sent, id) {
        const operation = sent as typeof create;
        expect(await theirs.needsApproval({}, operation, id)).toBe(false);
        const method =
          ({ update_file: "updateFile", delete_file: "deleteFile" } as const)[operation.type] ?? "createFile";
        return theirs.editor[method](operation);
      },
    };
  }

  describe.each([
    ["Responses", responses],
    ["Agents SDK", agents],
  ] as const)("%s", (_, open) => {
    test("[BRIDGE-15] creates, changes and deletes", async () => {
      const { agent, names, send } = await open();
      expect(names).toContain("(apply_patch)");
      expect(names).not.toContain("apply_patch");
      expect(await send(create, "1")).toMatchObject({ status: "completed" });
      expect(await send(update, "2")).toMatchObject({ status: "completed" });
      expect(await textOf(agent, "a.txt")).toBe("one\n2\n");
      expect(await send({ ...update, diff: "@@\n one\n-2\n+two\n", moveTo: "b.txt" }, "3")).toMatchObject({
        status: "completed",
      });
      expect(await textOf(agent, "b.txt")).toBe("one\ntwo\n");
      expect(await send({ type: "delete_file", path: "b.txt" }, "4")).toMatchObject({ status: "completed" });
      await agent.call("write_file", { path: "b.bin", content_base64: "AAECgA==" });
      expect(await send({ type: "delete_file", path: "b.bin" }, "5")).toMatchObject({ status: "completed" });
      expect(await textOf(agent, "b.bin")).toBeUndefined();
    });

    test("[BRIDGE-3] [BRIDGE-5] [BRIDGE-15] refuses, and applies a repeated call once", async () => {
      const { agent, send } = await open();
      await send(create, "1");
      expect(await send(create, "1")).toMatchObject({ status: "completed" });
      expect(await send({ ...create, diff: "+x\n" }, "9")).toMatchObject({
        status: "failed",
        output: expect.stringContaining("exists"),
      });
      const append = { type: "update_file", path: "a.txt", diff: "@@\n two\n+two\n" };
      await send(append, "2");
      await send(append, "2");
      expect(await textOf(agent, "a.txt")).toBe("one\ntwo\ntwo\n");
      const missed = await send({ ...update, diff: "@@\n one\n-three\n+3\n" }, "3");
      expect(missed.status).toBe("failed");
      expect(missed.output).toMatch(
        /nearest place is line 1.*\n\[Line 3 of the patch is line 1 of the diff\.\]$/s,
      );
      for (const diff of [
        "@@\n one\n-two\n+2\n*** Delete File: b.txt\n",
        "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch",
      ])
        expect(await send({ ...update, diff }, "4")).toMatchObject({
          status: "failed",
          output: expect.stringContaining("does not belong into a diff"),
        });
      expect(await send({ ...update, path: "a.txt\n*** Delete File: a.txt" }, "5")).toMatchObject({
        status: "failed",
      });
      expect(await send({ type: "delete_file", path: "none.txt" }, "6")).toMatchObject({ status: "failed" });
      expect(await textOf(agent, "a.txt")).toBe("one\ntwo\ntwo\n");
    });

    test("[BRIDGE-15] what a refusal advises can be done with the same tool", async () => {
      const { agent, send } = await open();
      await send(create, "1");
      expect((await send({ ...create, diff: "+x\n" }, "2")).output).toContain("or delete it first");
      expect(await send({ type: "delete_file", path: "a.txt" }, "3")).toMatchObject({ status: "completed" });
      expect(await send({ ...create, diff: "+x\n+x\n" }, "4")).toMatchObject({ status: "completed" });
      const change = (diff: string, id: string) => send({ type: "update_file", path: "a.txt", diff }, id);
      expect((await change("@@\n-x\n+y\n", "5")).output).toContain("Send it with more lines around it");
      expect(await change("@@\n x\n-x\n+y\n", "6")).toMatchObject({ status: "completed" });
      expect((await change("@@\n+z\n", "7")).output).toContain("Send the line before or after them too");
      expect(await change("@@\n y\n+z\n", "8")).toMatchObject({ status: "completed" });
      expect((await change("@@\n-z\n+// unchanged\n", "9")).output).toContain("word it otherwise");
      expect(await change("@@\n-z\n+// nothing was changed here\n", "10")).toMatchObject({
        status: "completed",
      });
      expect(await textOf(agent, "a.txt")).toBe("x\ny\n// nothing was changed here\n");
    });

    test("[BRIDGE-4] operations of one turn happen in order", async () => {
      const { agent, send } = await open();
      const results = await Promise.all([
        send(create, "1"),
        ...[1, 2, 3, 4].map((n) =>
          send({ type: "update_file", path: "a.txt", diff: `@@\n one\n+${n}\n` }, `u${n}`),
        ),
      ]);
      expect(results.map(({ status }) => status)).not.toContain("failed");
      expect(await textOf(agent, "a.txt")).toBe("one\n4\n3\n2\n1\ntwo\n");
    });
  });

  test("[BRIDGE-15] an operation that is none is refused, and the chat API keeps our tool", async () => {
    const { send } = await responses();
    expect(await send({ type: "chmod", path: "a.txt" }, "1")).toMatchObject({
      status: "failed",
      output: expect.stringContaining("chmod"),
    });
    for (const none of [{ type: "update_file", path: 5 }, { type: 5 }, {}, null, undefined, "x"])
      expect(await send(none, "2")).toMatchObject({ status: "failed" });
    const { session } = await bench();
    expect(() => openaiTools(session.as(READER), { applyPatch: true })).toThrow(TypeError);
    expect(() => openaiTools(session.as(READER), { applyPatch: true })).toThrow(
      /role "reader" .*role "editor"/,
    );
    const narrow = session.as({ ...EDITOR, toolsets: ["files"] });
    expect(() => openaiTools(narrow, { applyPatch: true })).toThrow(/toolsets/);
    const { chatDefinitions } = openaiTools(session.as(EDITOR), { applyPatch: true });
    expect(chatDefinitions.map((one) => one.function.name)).toContain("apply_patch");
  });
});
