// Every bridge against the real framework, with a scripted model, through the examples of docs/frameworks.md. Run by
// `npm run test:frameworks` with the build of the package, as a user would have it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openSession } from "holdfast";
import { DRIVERS, type Script, type ScriptedCall } from "./drivers.ts";

const ANTHROPIC_EDITOR = "str_replace_based_edit_tool";

async function open() {
  const session = await openSession({ toolsets: ["files", "json", "patch"] });
  return {
    session,
    agent: session.as({ id: "planner", role: "editor" }),
    other: session.as({ id: "other", role: "editor" }),
  };
}

/** Reads a file as the host does. */
async function textOf(agent: Awaited<ReturnType<typeof open>>["agent"], path: string) {
  const read = await agent.call("read_file", { path });
  return read.ok ? read.value.content : undefined;
}

const write = (id: string, input: Record<string, unknown>): ScriptedCall => ({
  id,
  name: "write_file",
  input,
});

for (const { name, drive, makers } of DRIVERS) {
  test(`${name}: lists the tools, calls, and keeps the order of one turn`, async () => {
    const { session, agent } = await open();
    const seen = await drive(agent, {
      turns: [
        [
          write("c1", { path: "a.txt", content: "one\n" }),
          write("c2", { path: "a.txt", content: "two\n", mode: "append" }),
          { id: "c3", name: "read_file", input: { path: "a.txt" } },
        ],
      ],
    });
    for (const tool of ["read_file", "write_file", "edit_file"]) assert.ok(seen.listed.includes(tool), tool);
    assert.match(seen.result("c1"), /^Created/);
    assert.match(seen.result("c3"), /one\ntwo\n|one\\ntwo\\n/);
    assert.equal(await textOf(agent, "a.txt"), "one\ntwo\n");
    await session.close();
  });

  test(`${name}: refuses in our words, and the run goes on`, async () => {
    const { session, agent } = await open();
    const seen = await drive(agent, {
      turns: [
        [write("c1", { path: "a.txt", contents: "x" })],
        [{ id: "c2", name: "read_file", input: { path: "missing.txt" } }],
        [write("c3", { path: "a.txt", content: "x" })],
      ],
    });
    assert.match(seen.result("c1"), /\[Error\] write_file was not run.*contents/s);
    assert.match(seen.result("c2"), /\[Error\].*does not exist/s);
    assert.equal(await textOf(agent, "a.txt"), "x");
    await session.close();
  });

  test(`${name}: strict models send null for what they leave out`, async () => {
    const { session, agent } = await open();
    const input = { path: "a.txt", content: "x", content_base64: null, mode: null, encoding: null };
    const seen = await drive(agent, { turns: [[write("c1", input)]] });
    assert.match(seen.result("c1"), /^Created/);
    await session.close();
  });

  test(`${name}: a conflict shows what others changed`, async () => {
    const { session, agent, other } = await open();
    const made = await agent.call("write_file", { path: "a.txt", content: "one\n" });
    await other.call("write_file", { path: "a.txt", content: "theirs\n", mode: "append" });
    const input = { path: "a.txt", content: "mine\n", mode: "overwrite", expectedVersion: made.token };
    const seen = await drive(agent, { turns: [[write("c1", input)]] });
    assert.match(seen.result("c1"), /\[Error\].*has changed since.*theirs/s);
    assert.equal(await textOf(agent, "a.txt"), "one\ntheirs\n");
    await session.close();
  });

  test(`${name}: a call that is sent again with the same id applies once`, async () => {
    const { session, agent } = await open();
    await agent.call("write_file", { path: "a.txt", content: "" });
    const again = write("same", { path: "a.txt", content: "x\n", mode: "append" });
    await drive(agent, { turns: [[again], [again]] });
    await drive(agent, { turns: [[again]] });
    assert.equal(await textOf(agent, "a.txt"), "x\n");
    await session.close();
  });

  test(`${name}: an aborted run changes nothing`, async () => {
    const { session, agent } = await open();
    const stop = new AbortController();
    const script: Script = {
      turns: [[write("c1", { path: "a.txt", content: "x" })]],
      signal: stop.signal,
      onTurn: () => stop.abort(),
    };
    await drive(agent, script).catch((error: unknown) => assert.match(String(error), /abort/i));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await textOf(agent, "a.txt"), undefined);
    await session.close();
  });

  test(`${name}: a tool that does not exist is an error that the model reads`, async () => {
    const { session, agent } = await open();
    const seen = await drive(agent, {
      turns: [
        [{ id: "c1", name: "red_file", input: { path: "a.txt" } }],
        [write("c2", { path: "a.txt", content: "x" })],
      ],
    });
    const ours = /^OpenAI|Messages/.test(name);
    assert.match(
      seen.result("c1"),
      ours ? /\[Error\] There is no tool "red_file". Did you mean read_file\?/ : /red_file/,
    );
    console.log(`${name}: ${seen.result("c1").slice(0, 120)}`);
    assert.equal(await textOf(agent, "a.txt"), "x");
    await session.close();
  });

  if (makers === "anthropic")
    test(`${name}: Claude's text editor and memory`, async () => {
      const { session, agent, other } = await open();
      const edit = (id: string, input: Record<string, unknown>): ScriptedCall => ({
        id,
        name: ANTHROPIC_EDITOR,
        input,
      });
      const seen = await drive(agent, {
        turns: [
          [
            edit("e1", { command: "create", path: "/workspace/a.txt", file_text: "one\ntwo\n" }),
            edit("e2", { command: "str_replace", path: "/workspace/a.txt", old_str: "two", new_str: "2" }),
            edit("e3", {
              command: "insert",
              path: "/workspace/a.txt",
              insert_line: 0,
              insert_text: "zero\n",
            }),
            edit("e4", { command: "view", path: "/workspace/a.txt" }),
          ],
          [
            edit("e2", { command: "str_replace", path: "/workspace/a.txt", old_str: "two", new_str: "2" }),
            {
              id: "m1",
              name: "memory",
              input: { command: "create", path: "/memories/x.md", file_text: "note\n" },
            },
            { id: "m2", name: "memory", input: { command: "view", path: "/memories" } },
            { id: "m3", name: "memory", input: { command: "view", path: "/memories/../a.txt" } },
            edit("e5", { command: "str_replace", path: "/workspace/a.txt", old_str: "none", new_str: "2" }),
          ],
        ],
        async onTurn(turn) {
          if (turn === 2)
            await other.call("write_file", { path: "a.txt", content: "theirs\n", mode: "overwrite" });
        },
      });
      assert.match(seen.result("e4"), /1\tzero\n *2\tone\n *3\t2/);
      assert.match(seen.result("m2"), /5\t\/memories\/x\.md/);
      for (const id of ["m3", "e5"]) assert.match(seen.result(id), /^\[Error\]/);
      assert.equal(await textOf(agent, "memories/x.md"), "note\n");
      await session.close();
    });

  if (makers === "openai")
    test(`${name}: OpenAI's apply_patch`, async () => {
      const { session, agent } = await open();
      const patch = (id: string, operation: Record<string, unknown>): ScriptedCall => ({
        id,
        name: "(apply_patch)",
        input: operation,
      });
      const update = { type: "update_file", path: "a.txt", diff: "@@\n one\n+1.5\n" };
      const seen = await drive(agent, {
        turns: [
          [patch("p1", { type: "create_file", path: "a.txt", diff: "+one\n+two" }), patch("p2", update)],
          [patch("p2", update), patch("p3", { ...update, diff: "@@\n-none\n+x\n" })],
          [
            patch("p4", { type: "create_file", path: "b.txt", diff: "+b" }),
            patch("p5", { type: "delete_file", path: "b.txt" }),
          ],
        ],
      });
      assert.ok(seen.listed.includes("(apply_patch)"));
      assert.ok(!seen.listed.includes("apply_patch"));
      assert.match(seen.result("p3"), /\[Error\].*not in the file/s);
      assert.equal(await textOf(agent, "a.txt"), "one\n1.5\ntwo\n");
      assert.equal(await textOf(agent, "b.txt"), undefined);
      await session.close();
    });
}

test("OpenAI Agents SDK: patches start after the functions of a turn, as docs/frameworks.md says", async () => {
  const { session, agent } = await open();
  await agent.call("write_file", { path: "a.txt", content: "one\n" });
  const driver = DRIVERS.find(({ example }) => example === "openai-agents");
  const patch = { type: "update_file", path: "a.txt", diff: "@@\n-one\n+two\n" };
  const seen = await driver?.drive(agent, {
    turns: [
      [
        { id: "p1", name: "(apply_patch)", input: patch },
        { id: "c1", name: "read_file", input: { path: "a.txt" } },
      ],
    ],
  });
  assert.match(seen?.result("c1") ?? "", /one/);
  assert.equal(await textOf(agent, "a.txt"), "two\n");
  await session.close();
});

test("the lines of glue that a user writes", () => {
  for (const { name, example } of DRIVERS) {
    const text = readFileSync(new URL(`examples/${example}.ts`, import.meta.url), "utf8");
    const used = /import \{ ([\w, ]+) \} from "holdfast\/[\w-]+"/.exec(text)?.[1]?.split(", ") ?? [""];
    const isGlue = (line: string) => used.some((one) => line.includes(one)) || /\btools\.run/.test(line);
    const glue = text.split("\n").filter(isGlue);
    console.log(`${name}: ${glue.length} lines of glue`);
    assert.ok(glue.length >= 2 && glue.length <= 3, `${name}: ${glue.join("\n")}`);
  }
});
