import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../cli/command.ts";
import { connect, folderOf, textOf } from "./connect.ts";

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
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\ntwo\n");
    expect(existsSync(join(folder, "later.txt"))).toBe(false);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain("planner asks to write 1 file to your folder");
    expect(questions[0]).toContain("change a.txt");
    expect(questions[0]).toContain("-one\n+1");
    expect(questions[0]).not.toMatch(/\u001b/);
    const status = await run(["session", "show", "--json"], "", env, folder);
    expect(JSON.parse(status.out)).toMatchObject({ landingRequests: [] });
  });

  test("[MCP-20] a no declines it, and no answer leaves it open", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    let action: "decline" | "cancel" = "decline";
    const { call } = await connect(era, [folder], env, { answer: () => ({ action }) });
    await call("edit_file", EDIT);
    const declined = textOf(await call("request_landing", { reason: "done" }));
    expect(declined).toContain("The user said no to landing request");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
    action = "cancel";
    expect(textOf(await call("request_landing", { reason: "again" }))).toContain("stays open");
    const shown = await run(["session", "show", "--json"], "", env, folder);
    expect(JSON.parse(shown.out)).toMatchObject({ landingRequests: [{ reason: "again" }] });
  });

  test("[MCP-21] who cannot be asked gets the command, and it lands", async () => {
    const { folder, env } = folderOf({ "a.txt": "one\n" });
    const { call, client } = await connect(era, [folder], env);
    await call("edit_file", EDIT);
    const text = textOf(await call("request_landing", { reason: "done" }));
    const [, command = ""] = /A person lands it with: holdfast (.*)$/m.exec(text) ?? [];
    expect(text).not.toContain(folder);
    await client.close();
    expect((await run([...command.split(" "), "--yes"], "", env)).code).toBe(0);
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
    await call("request_landing", { reason: "done" }, key);
    writeFileSync(join(folder, "a.txt"), "mine\n");
    const again = await call("request_landing", { reason: "done" }, key);
    expect(textOf(again)).toMatch(/\[Landing request \d+ landed\]/);
    expect(asked).toBe(1);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("mine\n");
  });
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
