import { expect, test } from "vitest";
import { say } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/index.ts";
import type { CallOptions, SessionOptions } from "../../src/tools/index.ts";
import { bench, EDITOR, READER } from "./bench-session.ts";

// For each step of the call path a call that stops exactly there: its code and reason, its audit entry, and no trace
// in state or history.

interface Stop {
  readonly step: string;
  readonly tool: string;
  readonly input: object;
  readonly code: string;
  readonly reason: string;
  readonly as?: typeof READER;
  readonly session?: SessionOptions;
  readonly options?: CallOptions;
}

const write = { path: "new.txt", content: "x" };
const gone = new AbortController();
gone.abort();

const stops: readonly Stop[] = [
  { step: "1 tool", tool: "wrte", input: {}, code: "invalid_argument", reason: "unknown_tool" },
  { step: "1 input", tool: "write_file", input: { path: 1 }, code: "invalid_argument", reason: "bad_input" },
  {
    step: "2 toolset",
    tool: "write_file",
    input: write,
    code: "forbidden",
    reason: "toolset_not_allowed",
    session: { toolsets: ["test"] },
  },
  {
    step: "2 read-only",
    tool: "write_file",
    input: write,
    code: "forbidden",
    reason: "read_only",
    session: { readOnly: true },
  },
  { step: "2 role", tool: "write_file", input: write, code: "forbidden", reason: "role", as: READER },
  {
    step: "2 gate",
    tool: "write_file",
    input: write,
    code: "forbidden",
    reason: "gate_open",
    session: { openGate: () => ({ gate: say`g`, question: say`q?` }) },
  },
  {
    step: "2 session",
    tool: "write_file",
    input: write,
    code: "forbidden",
    reason: "wrong_session",
    options: { session: "x" },
  },
  {
    step: "3 rate",
    tool: "write_file",
    input: write,
    code: "rate_limited",
    reason: "too_many_calls",
    session: { limits: { callBurst: 1, callsPerMinute: 1 } },
  },
  {
    step: "3 batch",
    tool: "echo",
    input: { list: Array.from({ length: 501 }, () => ({ op: "eq" })) },
    code: "invalid_argument",
    reason: "batch_too_large",
  },
  {
    step: "4 key",
    tool: "write_file",
    input: { ...write, idempotencyKey: "used" },
    code: "invalid_argument",
    reason: "idempotency_key_reused",
  },
  {
    step: "5 version",
    tool: "write_file",
    input: { ...write, path: "old.txt", mode: "append", expectedVersion: "1-00000000" },
    code: "conflict",
    reason: "stale_version",
  },
  {
    step: "6 run",
    tool: "write_file",
    input: { ...write, path: "old.txt" },
    code: "conflict",
    reason: "file_exists",
  },
  { step: "6 bug", tool: "broken", input: {}, code: "internal", reason: "unexpected" },
  {
    step: "6 cancelled",
    tool: "write_file",
    input: write,
    code: "conflict",
    reason: "aborted",
    options: { signal: gone.signal },
  },
  {
    step: "7 quota",
    tool: "write_file",
    input: { ...write, content: "x".repeat(100) },
    code: "invalid_argument",
    reason: "over_quota",
    session: { limits: { sessionBytes: 50 } },
  },
];

test.each(stops)(
  "[CALL-63] [CALL-2] [CALL-80] step $step stops as $code / $reason and leaves nothing",
  async (stop) => {
    const { tool, input, code, reason, as = EDITOR } = stop;
    const store = memoryStore();
    const prepare = await bench({ id: "s", store });
    await prepare.session
      .as(EDITOR)
      .call("write_file", { path: "old.txt", content: "old", idempotencyKey: "used" });
    await prepare.session.close();
    const { session } = await bench({ id: "s", store, ...stop.session });
    const agent = session.as(as);
    if (stop.step === "3 rate") await agent.call("list_directory");
    const before = { at: session.at, files: session.files() };
    const result = await agent.call(tool, input, stop.options);
    expect(result).toMatchObject({ ok: false, error: { code, reason } });
    expect(result.text).toBe(`[Error] ${result.error?.message ?? ""}`);
    expect({ at: session.at, files: session.files() }).toEqual(before);
    expect(await session.log({ limit: 9, kind: "call" })).toHaveLength(1);
    const [entry] = await session.audited({ limit: 1 });
    expect(entry).toMatchObject({ agent: as.id, tool, outcome: code, reason });
  },
);

test("[CALL-1] [CALL-3] a call that passes all steps answers text, value and token, and is recorded and audited", async () => {
  const { session } = await bench();
  const result = await session.as(EDITOR).call("write_file", write);
  const [record] = await session.log({ limit: 1 });
  const token = `1-${record?.hash.slice(0, 8) ?? ""}`;
  expect(result).toEqual({
    ok: true,
    text: `Created /workspace/new.txt (1 byte, version 1)\n[Token ${token}]`,
    value: {
      path: "/workspace/new.txt",
      mode: "create",
      created: true,
      version: 1,
      size_bytes: 1,
      encoding: "utf-8",
      token,
    },
    token,
  });
  expect(session.files()[0]?.token).toBe(token);
  expect(await session.audited({ limit: 9 })).toMatchObject([{ tool: "write_file", outcome: "ok", seq: 1 }]);
});
