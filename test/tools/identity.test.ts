import { describe, expect, test, vi } from "vitest";
import { say } from "../../src/errors.ts";
import { bench, EDITOR, READER } from "./bench-session.ts";

describe("step 2: identity", () => {
  test("[CALL-20] a tool outside the toolsets of agent or session is forbidden", async () => {
    const { session } = await bench({ toolsets: ["files", "test"] });
    const narrow = session.as({ ...EDITOR, toolsets: ["files"] });
    expect((await narrow.call("echo")).error).toMatchObject({
      code: "forbidden",
      reason: "toolset_not_allowed",
      message:
        'echo belongs to the toolset test, which this agent may not use. Allowed: "files". Use one of its tools, or ask the host for test.',
    });
    const wide = session.as({ ...EDITOR, toolsets: ["files", "history"] });
    expect((await wide.call("undo_changes")).error).toMatchObject({
      code: "forbidden",
      reason: "toolset_not_allowed",
      message:
        'undo_changes belongs to the toolset history, which this session does not offer. It offers: "files", "test". Use one of its tools, or ask the host for history.',
    });
    expect(narrow.tools().map((tool) => tool.name)).toEqual([
      "list_directory",
      "read_file",
      "stat_file",
      "find_files",
      "search_files",
      "write_file",
      "edit_file",
      "replace_in_files",
      "move_file",
      "copy_file",
      "delete_file",
    ]);
  });

  test("[CALL-21] read-only beats every role", async () => {
    const { session } = await bench({ readOnly: true });
    const result = await session.as(EDITOR).call("write_file", { path: "a", content: "x" });
    expect(result.error).toMatchObject({ code: "forbidden", reason: "read_only" });
    expect((await session.as(EDITOR).call("list_directory")).ok).toBe(true);
  });

  test("[CALL-22] a reader may only read", async () => {
    const { session } = await bench();
    const result = await session.as(READER).call("write_file", { path: "a", content: "x" });
    expect(result.error).toMatchObject({ code: "forbidden", reason: "role" });
    expect(session.files()).toEqual([]);
  });

  test("[CALL-23] an open gate holds writes back and names its question", async () => {
    let open = true;
    const gate = { gate: say`1_goal`, question: say`What is the goal?` };
    const { session } = await bench({ openGate: () => (open ? gate : undefined) });
    const agent = session.as(EDITOR);
    const result = await agent.call("write_file", { path: "a", content: "x" });
    expect(result.error).toMatchObject({ code: "forbidden", reason: "gate_open", data: gate });
    const without = session.as({ ...EDITOR, toolsets: ["files"] });
    const { text } = await without.call("write_file", { path: "a", content: "x" });
    expect(text).toContain("You have no tool to answer it: ask the host: What is the goal?");
    expect((await agent.call("list_directory")).ok).toBe(true);
    open = false;
    expect((await agent.call("write_file", { path: "a", content: "x" })).ok).toBe(true);
  });

  test("[CALL-24] a tool of another or a closed session is refused", async () => {
    const { session } = await bench();
    const [tool] = session.as(EDITOR).tools();
    expect((await tool?.run({}, { session: "another" }))?.error).toMatchObject({
      code: "forbidden",
      reason: "wrong_session",
    });
    expect((await tool?.run({}))?.ok).toBe(true);
    await session.close();
    expect((await tool?.run({}))?.error).toMatchObject({ code: "not_found", reason: "session_closed" });
  });

  test("[CALL-109] a call of a closed session leaves no entry, and no line in the log", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { session, log } = await bench();
      const agent = session.as(EDITOR);
      await session.close();
      expect((await agent.call("list_directory")).error).toMatchObject({ reason: "session_closed" });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(log.entries).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("[CALL-25] the host's own mistakes are refused at once", async () => {
    const { session } = await bench();
    expect(() => session.as({ id: "", role: "editor" })).toThrow(/id has 1 to 128/);
    expect(() => session.as({ id: "a\nb", role: "editor" })).toThrow(/id has 1 to 128/);
    expect(() => session.as({ id: "a", role: "admin" as "editor" })).toThrow(/"reader" or "editor"/);
  });
});
