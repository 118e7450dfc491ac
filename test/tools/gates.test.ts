import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/index.ts";
import type { SessionOptions } from "../../src/tools/index.ts";
import { bench, dataOf, EDITOR, READER } from "./bench-session.ts";

const config = {
  gate_order: ["1_data", "2_goal"],
  gates: {
    "1_data": { question: "Is there data?", required: true, expected_categories: ["Yes", "No"] },
    "2_goal": { question: "What is the goal?", required: true },
  },
};

function answer(data: string | null, goal: string | null, pass = false) {
  return {
    summary: "so far",
    gates: { "1_data": { raw: data, classified: data }, "2_goal": { raw: goal, classified: null } },
    status: { pass, next_gate: null, next_query: null },
  };
}

function gated(names: readonly string[] = ["main"], required: readonly string[] = ["main"]): SessionOptions {
  return { gates: Object.fromEntries(names.map((name) => [name, config])), requireGates: required };
}

describe("gates as tools", () => {
  test("[GATE-60] [GATE-63] writing waits until the gates pass, and the refusal names the question", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    const write = { path: "a.txt", content: "x" };
    const blocked = await agent.call("write_file", write);
    expect(blocked.error).toMatchObject({
      code: "forbidden",
      reason: "gate_open",
      data: { gate: "main / 1_data", question: "Is there data?" },
    });
    expect(blocked.text).toContain("Answer it with submit_gates: Is there data?");
    const without = session.as({ id: "without", role: "editor", toolsets: ["files"] });
    expect((await without.call("write_file", write)).text).toContain(
      "You have no tool to answer it: ask the host: Is there data?",
    );
    const half = await agent.call<{ pass: boolean }>("submit_gates", { answer: answer("Yes", null, true) });
    expect(half.text).toBe(
      `NO PASS: gate 2_goal of main is open. Ask: What is the goal?\n[Token ${half.token ?? ""}]`,
    );
    expect(half.value?.pass).toBe(false);
    expect((await agent.call("write_file", write)).error?.message).toContain("What is the goal?");
    expect((await agent.call("list_directory")).ok).toBe(true);
    const full = await agent.call("submit_gates", {
      answer: `Sure!\n\`\`\`json\n${JSON.stringify(answer("Yes", "ship"))}\n\`\`\``,
    });
    expect(full.text).toMatch(/^PASS: all required gates of main are complete\.\n\[Token \S+\]$/);
    expect((await agent.call("write_file", write)).ok).toBe(true);
  });

  test("[HT-13] an undo of answers to gates promises no redo that an open gate would refuse", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    await agent.call("submit_gates", { answer: answer("Yes", "ship") });
    const undone = await agent.call("undo_changes", {});
    expect(undone.text).toContain(
      "[Answers to gates are what they were before: to change them, answer again]",
    );
    expect(undone.text).not.toContain("To redo");
    expect((await agent.call("undo_changes", {})).error?.reason).toBe("gate_open");
    expect((await agent.call("submit_gates", { answer: answer("Yes", "ship") })).ok).toBe(true);
    await agent.call("write_file", { path: "a.txt", content: "x" });
    expect((await agent.call("undo_changes", {})).text).toContain("[To redo, undo record");
  });

  test("[GATE-61] a wrong answer is refused with what to correct, and changes nothing", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    const wrong = await agent.call("submit_gates", {
      answer: { ...answer("Maybe", null), gates: { "1_data": { classified: "Maybe" }, other: {} } },
    });
    expect(wrong.error).toMatchObject({ code: "invalid_argument", reason: "gates_invalid" });
    const codes = (dataOf(wrong)["errors"] as { code: string }[]).map(({ code }) => code);
    expect(codes).toEqual(
      expect.arrayContaining(["invalid_category", "invalid_key", "missing_required_gate"]),
    );
    expect(wrong.text).toContain("Maybe");
    expect(session.at.seq).toBe(1);
  });

  test("[GATE-62] get_gates shows answers, the next question, the form and the token", async () => {
    const { session } = await bench(gated());
    const fresh = await session.as(READER).call("get_gates");
    expect(fresh.text).toBe("main: NO PASS, next is 1_data: Is there data?\n1_data: -\n2_goal: -");
    const sent = await session.as(EDITOR).call("submit_gates", { answer: answer("No", null) });
    const token = sent.ok ? (sent.token ?? "") : "";
    const now = await session.as(READER).call("get_gates", { form: true });
    expect(now.text).toContain(`main: NO PASS, next is 2_goal: What is the goal? (token ${token})`);
    expect(now.text).toContain('1_data: No ("No")');
    expect(now.text).toContain("with one JSON object");
    expect(now.value).toMatchObject({
      sets: [{ set: "main", pass: false, state: { summary: "so far" }, token }],
    });
  });

  test("[GATE-64] a session without gate sets says that it has none", async () => {
    const { session } = await bench();
    const message = expect.stringMatching(/^The session has no gate sets: /) as string;
    const expected = { code: "not_found", reason: "no_such_gate_set", message };
    expect(() => session.gates.get()).toThrow(expect.objectContaining(expected));
    await expect(session.gates.override("main")).rejects.toMatchObject(expected);
  });

  test("[GATE-64] several sets are named; each has its own version, and the required ones decide", async () => {
    const { session } = await bench(gated(["plan", "review"], ["plan"]));
    const agent = session.as(EDITOR);
    expect((await agent.call("submit_gates", { answer: answer("Yes", "x") })).error?.reason).toBe(
      "gate_set_required",
    );
    expect((await agent.call("submit_gates", { answer: "{}", set: "nope" })).error).toMatchObject({
      code: "not_found",
    });
    const first = await agent.call("submit_gates", { answer: answer("Yes", "x"), set: "plan" });
    expect((await agent.call("write_file", { path: "a", content: "" })).ok).toBe(true);
    const token = first.token ?? "";
    const pinned = { answer: answer("No", "x"), set: "plan", expectedVersion: { plan: token } };
    expect((await agent.call("submit_gates", pinned)).ok).toBe(true);
    expect((await agent.call("submit_gates", { ...pinned, answer: answer("Yes", "y") })).error?.reason).toBe(
      "stale_version",
    );
  });

  test("[GATE-65] an answer can be undone, and writing waits again", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    await agent.call("submit_gates", { answer: answer("Yes", null) });
    await agent.call("submit_gates", { answer: answer("Yes", "ship") });
    await agent.call("undo_changes");
    expect((await agent.call("get_gates")).text).toContain("next is 2_goal");
    expect((await agent.call("write_file", { path: "a", content: "" })).error?.reason).toBe("gate_open");
  });

  test("[GATE-66] the host's gate sets are checked when the session opens", async () => {
    await expect(bench({ gates: { "Bad Name": config } })).rejects.toThrow(/cannot name a gate set/);
    await expect(bench({ gates: { main: { ...config, gate_order: ["1_data", "3"] } } })).rejects.toThrow(/3/);
    await expect(bench({ gates: { main: config }, requireGates: ["other"] })).rejects.toThrow(
      /no gate set "other"/,
    );
    const { session } = await bench();
    expect((await session.as(EDITOR).call("get_gates")).error?.reason).toBe("unknown_tool");
  });

  test("[GATE-67] only the host answers as a user, and only the host overrides", async () => {
    const { session, log } = await bench(gated());
    const agent = session.as(EDITOR);
    const part = { gates: { "1_data": { raw: "some", classified: "Yes" } } };
    expect((await agent.call("submit_gates", { answer: part })).error?.reason).toBe("gates_invalid");
    expect(log.entries.map((entry) => entry.message)).toContain("a gate answer was refused");
    const judged = await session.gates.submit(part);
    expect(judged.ok && judged.decision.next_gate).toBe("2_goal");
    expect((await session.gates.submit({ gates: 5 })).ok).toBe(false);
    expect((await agent.call("write_file", { path: "a", content: "" })).error?.reason).toBe("gate_open");
    expect((await session.gates.override()).decision).toMatchObject({ pass: true, reason: "user_override" });
    expect((await agent.call("write_file", { path: "a", content: "" })).ok).toBe(true);
    expect((await agent.call("get_gates")).value).toMatchObject({
      sets: [{ pass: true, reason: "user_override" }],
    });
    const records = await session.log({ limit: 9 });
    expect(records.map(({ agent, kind }) => `${agent} ${kind}`)).toEqual([
      "host policy",
      "host gates",
      "host gates",
      "editor call",
    ]);
    await session.undo({ record: 3 });
    expect(session.gates.get().decision.pass).toBe(false);
  });

  test("[GATE-65] answers outlive the process: a reopened session stands where it stood", async () => {
    const store = memoryStore();
    const { session } = await bench({ ...gated(), store, id: "s" });
    await session.as(EDITOR).call("submit_gates", { answer: answer("Yes", "ship") });
    const { token } =
      (await session.as(EDITOR).call<{ sets: { token: string }[] }>("get_gates")).value?.sets[0] ?? {};
    await session.close();
    const { session: again } = await bench({ ...gated(), store, id: "s" });
    const shown = await again.as(EDITOR).call("get_gates");
    expect(shown.value).toMatchObject({ sets: [{ pass: true, token }] });
    await again.close();
    const { session: plain } = await bench({ store, id: "s" });
    expect((await plain.as(EDITOR).call("write_file", { path: "a", content: "" })).ok).toBe(true);
  });

  test("[GATE-68] an override stands until the host lifts it, whatever is submitted", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    await session.gates.override();
    const sent = await agent.call("submit_gates", { answer: answer("Yes", null) });
    expect(sent.text).toContain("PASS: the host has passed main");
    expect((await session.gates.submit({ summary: "mine" })).ok).toBe(true);
    expect(session.gates.get()).toMatchObject({
      state: { summary: "mine", gates: { "1_data": { raw: "Yes" } }, status: { pass: true } },
      decision: { pass: true, reason: "user_override" },
    });
    expect((await agent.call("write_file", { path: "a", content: "" })).ok).toBe(true);
    expect((await agent.call("get_gates")).text).toContain("main: PASS by the host");
    expect((await session.gates.lift()).decision).toMatchObject({ pass: false, next_gate: "2_goal" });
    expect((await agent.call("write_file", { path: "b", content: "" })).error?.reason).toBe("gate_open");
    const { seq } = session.at;
    await session.gates.lift();
    expect(session.at.seq).toBe(seq);
  });

  test("[GATE-58] digits as keys: tools and host see the order of the gates", async () => {
    const order = ["b", "10", "2"];
    const main = {
      gate_order: order,
      gates: { "2": { question: "2?" }, "10": { question: "10?" }, b: { question: "B?", required: true } },
    };
    const { session } = await bench({ gates: { main } });
    const agent = session.as(EDITOR);
    const sent = await agent.call<{ changed: string[] }>("submit_gates", {
      answer: {
        summary: "",
        gates: { "2": { raw: "two" }, "10": { classified: "ten" }, b: { classified: "b" } },
        status: { pass: false },
      },
    });
    expect(sent.value?.changed).toEqual(order);
    const got = await agent.call<{ sets: { gate_order: string[] }[] }>("get_gates", {});
    expect(got.text).toMatch(/\nb: .*\n10: .*\n2: /);
    expect(got.value?.sets[0]?.gate_order).toEqual(order);
    expect(session.gates.get().gate_order).toEqual(order);
    expect((await session.gates.override()).gate_order).toEqual(order);
    expect((await session.gates.lift()).gate_order).toEqual(order);
  });

  test("[GATE-69] an answer is bounded by what one call may send, and what is none is refused with what to send", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    const long = { ...answer("Yes", "x".repeat(50_000)) };
    for (const sent of [long, JSON.stringify(long), "x".repeat(900_000)])
      expect((await agent.call("submit_gates", { answer: sent })).error).toMatchObject({
        code: "invalid_argument",
        reason: "content_too_large",
      });
    for (const none of [null, 5, [], true])
      expect((await agent.call<unknown>("submit_gates", { answer: none })).error?.message).toContain(
        "answer: must be a string or an object",
      );
  });

  test("[GATE-70] get_gates shows heads first, cuts answers in their lines, and shows one whole", async () => {
    const { session } = await bench(gated());
    const agent = session.as(EDITOR);
    const goal = `first\n[Token 99-deadbeef] ${"x".repeat(20_000)}`;
    await agent.call("submit_gates", { answer: answer("Yes", goal) });
    const shown = await agent.call("get_gates");
    expect(shown.text.length).toBeLessThan(1_000);
    expect(shown.text.split("\n").filter((line) => line.startsWith("[Token"))).toStrictEqual([]);
    expect(shown.text).toContain("[Cut: get_gates with gate shows one answer whole.]");
    const whole = await agent.call("get_gates", { gate: "2_goal" });
    expect(whole.text).toContain(JSON.stringify(goal));
    expect((await agent.call("get_gates", { gate: "2_gaol" })).error).toMatchObject({
      reason: "no_such_gate",
    });
  });

  test("[GATE-59] the form says to call submit_gates", async () => {
    const { session } = await bench(gated());
    expect((await session.as(READER).call("get_gates", { form: true })).text).toContain("call submit_gates");
  });

  test("[GATE-57] a set that holds nothing back is told to the host", async () => {
    const { log } = await bench({ gates: { main: { gate_order: ["a"], gates: { a: { question: "A?" } } } } });
    expect(log.entries.map((entry) => entry.message)).toEqual(["a gate set looks wrong"]);
  });
});
