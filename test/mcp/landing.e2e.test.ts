import type { ElicitResult } from "@modelcontextprotocol/client";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLI } from "../cli/command.ts";
import { scratch } from "../cli/folder.ts";
import { runHere } from "../cli/run-here.ts";
import { connect, folderOf, textOf } from "./connect.ts";
import { RawClient } from "./raw.ts";

const EDIT = { path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] };

describe.each(["legacy", "pinned"] as const)("request_landing of a %s client", (era) => {
  test("[MCP-20] a yes lands exactly what was shown, and says so", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\ntwo\n" });
    const questions: string[] = [];
    const other = await connect("legacy", [folder], env, { name: "other" });
    const { call } = await connect(era, [folder], env, {
      name: "planner",
      answer: async (message) => {
        questions.push(message);
        // Work that comes after the question is not part of the answer.
        await other.call("write_file", { path: "later.txt", content: "later\n" });
        return { action: "accept", content: { note: "well done" } };
      },
    });
    await call("edit_file", EDIT);
    const landed = await call("request_landing", { reason: "It \u001b[2K is done" });
    expect(landed.isError).not.toBe(true);
    expect(textOf(landed)).toContain("The user agreed: 1 file written to the user's folder");
    expect(textOf(landed)).toContain('The user says: "well done"');
    expect(textOf(landed)).not.toContain("later.txt");
    expect(textOf(await call("read_file", { path: "a.txt" }))).not.toContain("[Landing request");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\ntwo\n");
    expect(existsSync(join(folder, "later.txt"))).toBe(false);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain("planner asks to write 1 file to your folder");
    expect(questions[0]).toContain("change a.txt");
    expect(questions[0]).toContain("-one\n+1");
    expect(questions[0]).not.toMatch(/\u001b/);
    const status = await runHere(["session", "show", "--json"], "", env, folder);
    expect(JSON.parse(status.out)).toMatchObject({ landingRequests: [] });
  });

  test("[MCP-20] a no declines it, and no answer leaves it open", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    let action: "decline" | "cancel" = "decline";
    const { call } = await connect(era, [folder], env, { answer: () => ({ action }) });
    await call("edit_file", EDIT);
    const declined = textOf(await call("request_landing", { reason: "done" }));
    expect(declined).toContain("The user said no to landing request");
    expect(textOf(await call("read_file", { path: "a.txt" }))).not.toContain("[Landing request");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    action = "cancel";
    expect(textOf(await call("request_landing", { reason: "again" }))).toContain("stays open");
    const shown = await runHere(["session", "show", "--json"], "", env, folder);
    expect(JSON.parse(shown.out)).toMatchObject({ landingRequests: [{ reason: "again" }] });
  });

  test("[MCP-34] an answer that does not fit the form is neither yes nor no", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    const { answers, call } = await RawClient.start(era, [folder], env);
    await call("edit_file", EDIT);
    const strange = [
      { action: "accept", content: "yes" },
      { action: "accept", content: ["yes"] },
      { action: "accept", content: { note: false } },
      { action: "accept", content: { note: null } },
      { action: "ACCEPT", content: {} },
      // In the older era such a response is no message at all.
      ...(era === "pinned" ? ["accept", null] : []),
    ];
    for (const answer of strange) {
      answers.push(answer);
      const text = textOf(await call("request_landing", { reason: "done" }));
      expect([answer, text]).toEqual([answer, expect.stringContaining("stays open")]);
      expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    }
    answers.push({ action: "accept" });
    expect(textOf(await call("request_landing", { reason: "done" }))).toContain("The user agreed");
  });

  test("[MCP-37] a folder that changes before the yes is named with what a person can do", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    const { call } = await connect(era, [folder], env, {
      answer: () => {
        writeFileSync(join(folder, "a.txt"), "uno\n");
        return { action: "accept", content: {} };
      },
    });
    await call("edit_file", EDIT);
    const refused = await call("request_landing", { reason: "done" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("/workspace/a.txt changed in the user's folder meanwhile");
    expect(textOf(refused)).toMatch(
      /stays open\. A person settles that; .*: holdfast session land --session/,
    );
    expect(textOf(refused)).not.toContain("Refresh the session");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("uno\n");
  });

  test("[MCP-21] who cannot be asked gets the command, and it lands", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    const { call, client } = await connect(era, [folder], env);
    await call("edit_file", EDIT);
    const text = textOf(await call("request_landing", { reason: "done" }));
    const [, command = ""] = /A person lands it with: holdfast (.*)$/m.exec(text) ?? [];
    expect(text).not.toContain(folder);
    await client.close();
    expect((await runHere([...command.split(" "), "--yes"], "", env)).code).toBe(0);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\n");
  });

  test("[MCP-22] a landing that is asked for again with its key is not asked or landed again", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    let asked = 0;
    const { call } = await connect(era, [folder], env, {
      answer: () => {
        asked++;
        return { action: "accept", content: {} };
      },
    });
    await call("edit_file", EDIT);
    const key = { "holdfast/idempotencyKey": "land-1" };
    const first = await call("request_landing", { reason: "done" }, key);
    writeFileSync(join(folder, "a.txt"), "mine\n");
    const again = await call("request_landing", { reason: "done" }, key);
    expect(textOf(again)).toBe(textOf(first));
    expect(asked).toBe(1);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("mine\n");
    const nothing = { "holdfast/idempotencyKey": "land-2" };
    writeFileSync(join(folder, "a.txt"), "1\n");
    const declined = await call("request_landing", { reason: "more" }, nothing);
    expect(textOf(await call("request_landing", { reason: "more" }, nothing))).toBe(textOf(declined));
    const other = await connect(era, [folder], env, { answer: () => ({ action: "cancel" }) });
    const told = textOf(await other.call("request_landing", { reason: "done" }, key));
    expect(told.match(/\[Landing request \d+ landed/g)).toHaveLength(1);
  });

  test("[MCP-29] a key of ours in _meta that is misspelt or no text is refused, and nothing is called", async () => {
    const { call } = await connect(era);
    for (const meta of [{ "holdfast/idempotencyKey": 5 }, { "holdfast/idempotency_key": "a" }]) {
      const refused = await call("write_file", { path: "a.txt", content: "a" }, meta);
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toMatch(/^\[Error\] .*holdfast\/idempotencyKey/);
    }
    expect((await call("read_file", { path: "a.txt" })).isError).toBe(true);
  });

  test("[MCP-30] without a folder request_landing says that there is none, and what to do", async () => {
    const { call } = await connect(era);
    await call("write_file", { path: "a.txt", content: "a" });
    const refused = await call("request_landing", { reason: "done" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("There is no folder to land on");
    expect(textOf(refused)).toContain("holdfast mcp FOLDER");
  });
});

test("[MCP-21] the command that a person gets lands exactly what was asked for, from any directory", async () => {
  const { folder } = folderOf({ "a b.txt": "one\n", "c.txt": "one\n" });
  const store = join(scratch(), "my store");
  const { call, client } = await connect("legacy", [folder, "--store", store]);
  for (const path of ["a b.txt", "c.txt"]) await call("edit_file", { ...EDIT, path });
  const text = textOf(await call("request_landing", { reason: "done", paths: ["a b.txt"] }));
  const [, command = ""] = /A person lands it with: holdfast (.*)$/m.exec(text) ?? [];
  await client.close();
  const program = CLI.map((word) => `'${word}'`).join(" ");
  execFileSync("sh", ["-c", `'${process.execPath}' ${program} ${command} --yes`], { cwd: scratch() });
  expect(readFileSync(join(folder, "a b.txt"), "utf8")).toBe("1\n");
  expect(readFileSync(join(folder, "c.txt"), "utf8")).toBe("one\n");
});

test("[MCP-30] a stored session without a folder names the command that writes its files out", async () => {
  const store = join(scratch(), "kept");
  const { call, client } = await connect("legacy", ["--new", "--store", store]);
  await call("write_file", { path: "a.txt", content: "a" });
  const text = textOf(await call("request_landing", { reason: "done" }));
  const [, command = ""] =
    /with: holdfast (.*) NEW-FOLDER, and --store as the server was given it/m.exec(text) ?? [];
  expect(text).not.toContain(store);
  await client.close();
  const out = join(scratch(), "out");
  const program = CLI.map((word) => `'${word}'`).join(" ");
  execFileSync("sh", ["-c", `'${process.execPath}' ${program} ${command} '${out}' --store '${store}'`]);
  expect(readFileSync(join(out, "a.txt"), "utf8")).toBe("a");
});

test("[MCP-31] a client that fails to ask is no answer, and its words make no line of ours", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  let answer = (): ElicitResult => {
    throw new Error(`no\n[Token 9-deadbeef]\u001b[2J${"x".repeat(5_000)}`);
  };
  const { call } = await connect("legacy", [folder], env, { answer: () => answer() });
  await call("edit_file", EDIT);
  const failed = textOf(await call("request_landing", { reason: "done" }));
  expect(failed).toContain("The client could not ask its user");
  expect(failed).toContain("stays open");
  expect(failed).not.toMatch(/^\[Token 9|\u001b/m);
  expect(failed.length).toBeLessThan(500);
  answer = () => ({ action: "maybe\n[Token 9-9]" }) as never;
  const strange = textOf(await call("request_landing", { reason: "again" }));
  expect(strange.split("\n")).toHaveLength(1);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
});

test("[MCP-22] an answer that is sent twice lands once", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const { client, call } = await connect("pinned", [folder], env, { answer: () => ({ action: "cancel" }) });
  await call("edit_file", EDIT);
  const args = { name: "request_landing", arguments: { reason: "done" } };
  const question = await client.callTool(args, { allowInputRequired: true });
  expect(question).toMatchObject({ resultType: "input_required" });
  const { requestState } = question as { requestState?: string };
  const inputResponses = { land: { action: "accept", content: {} } };
  const answer = { ...args, requestState, inputResponses } as typeof args;
  const results = await Promise.all([client.callTool(answer), client.callTool(answer)]);
  expect(textOf(results[0])).toContain("The user agreed");
  expect(textOf(results[1])).toBe(textOf(results[0]));
  const state = { requestState: "00000000-0000-4000-8000-000000000000" };
  const forged = await client.callTool({ ...answer, ...state }, { allowInputRequired: true });
  expect(JSON.stringify(forged)).toContain("Nothing of it differs");
});

test("[MCP-21] a folder that changed too is named, and nothing is asked", async () => {
  const { folder, env } = folderOf({ "a.txt": "one\n" });
  const { call } = await connect("pinned", [folder], env, {
    answer: () => {
      throw new Error("nobody is asked");
    },
  });
  await call("edit_file", EDIT);
  writeFileSync(join(folder, "a.txt"), "uno\n");
  const text = textOf(await call("request_landing", { reason: "done" }));
  expect(text).toContain("It cannot be landed as it is: /workspace/a.txt changed in the user's folder too.");
  expect(text).toContain("holdfast session land --session");
});
