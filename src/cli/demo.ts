// Owns: `holdfast demo`: a session walked through, every result printed as an agent would read it.

import { openSession, type Agent, type CallResult } from "../tools/index.ts";

export async function demoCommand(): Promise<void> {
  await using session = await openSession({ name: "demo", toolsets: ["all"] });
  const planner = session.as({ id: "planner", role: "editor" });
  const coder = session.as({ id: "coder", role: "editor" });
  const visitor = session.as({ id: "visitor", role: "reader" });
  const path = "/workspace/notes/plan.md";

  heading("Two agents and a reader share one session.");
  const first = await show(planner, "write_file", { path, content: "# Plan\n\n1. Measure\n" });
  await show(visitor, "read_file", { path });
  await show(visitor, "write_file", { path, content: "!", mode: "append" });

  heading("The coder pins the version it read; the planner's later change makes its next write a conflict.");
  const pinned = first.ok ? first.token : undefined;
  await show(coder, "write_file", { path, content: "2. Cut\n", mode: "append", expectedVersion: pinned });
  await show(planner, "write_file", {
    path,
    content: "# New plan\n",
    mode: "overwrite",
    expectedVersion: pinned,
  });

  heading("A retry with the same key is applied once; a dry run changes nothing.");
  const retry = { path: "log.txt", content: "started\n", idempotencyKey: "call-1" };
  await show(coder, "write_file", retry);
  await show(coder, "write_file", retry);
  await show(coder, "write_file", { path: "log.txt", content: "x", mode: "overwrite", dryRun: true });

  heading("Bad input is explained, all problems at once.");
  await show(coder, "write_file", { pth: "a.txt", content: 5, mode: "replace" });
  await show(coder, "read_file", { path: "../etc/passwd" });

  heading("Every change can be taken back.");
  await show(coder, "undo_changes", {});
  await show(coder, "list_directory", {});
  await show(visitor, "read_file", { path });

  heading("And everything is on record.");
  for (const { seq, agent, tool, targets } of await session.log({ limit: 20 }))
    print(`record ${seq}: ${agent} ${tool ?? ""} ${targets.join(" ")}`);
  const audited = await session.audited({ limit: 100 });
  print(
    `${audited.length} calls audited, ${audited.filter(({ outcome }) => outcome !== "ok").length} of them not plain successes`,
  );
}

async function show(
  agent: Agent,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  print(`\n${agent.identity.id}> ${tool} ${JSON.stringify(input)}`);
  const result = await agent.call(tool, input);
  print(result.text.replace(/^/gm, "  ") + (result.ok && result.replayed === true ? "  (replayed)" : ""));
  return result;
}

function heading(text: string): void {
  print(`\n== ${text}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
