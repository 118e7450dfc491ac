import { describe, expect, test } from "vitest";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

type Step = readonly [tool: string, input: object];

const set = (json_path: string, value: string): Step => ["set_json_value", { json_path, value }];

/** A file of the host; one agent changes it, another after it. The first one's record is 2. */
async function beneath(content: string, mine: Step, theirs: Step, path = "c.json") {
  const { session } = await bench();
  const [ann, bob] = [session.as(EDITOR), session.as(OTHER)];
  await session.workspace.write(path, content);
  for (const [agent, [tool, input]] of [
    [ann, mine],
    [bob, theirs],
  ] as const) {
    const made = await agent.call(tool, { path, ...input });
    if (!made.ok) throw new Error(made.text);
  }
  const text = async () => new TextDecoder().decode(await session.workspace.read(path));
  return { session, ann, text };
}

describe("an undo beneath what others put into a JSON file", () => {
  test.each<[string, string, Step, Step]>([
    ["in an empty object", '{"deps": {}}\n', set("$.deps.left", "1"), set("$.deps.right", "2")],
    [
      "before a key that is gone",
      '{\n  "name": "x",\n  "old": true\n}\n',
      set("$.new", "1"),
      ["delete_json_key", { json_path: "$.old" }],
    ],
  ])("[HT-60] that would leave no JSON is refused: %s", async (_where, content, mine, theirs) => {
    const { session, ann, text } = await beneath(content, mine, theirs);
    const [before, at] = [await text(), session.at.seq];
    for (const how of [{}, { dryRun: true }, { record: 2 }, { since: 1 }, { partial: true }]) {
      const refused = await ann.call("undo_changes", how);
      expect(refused.error).toMatchObject({
        code: "conflict",
        reason: "undo_refused",
        data: { together: [2, 3] },
      });
      expect(refused.text).toMatch(
        /^\[Error\] Nothing was undone: record 2: beside record 3 \/workspace\/c\.json would no longer be JSON \(line \d+, column \d+: .+\); an edit can do it instead\. You cannot undo record 3 of "other": ask the host to undo records 2 and 3 together\.$/,
      );
    }
    expect([await text(), session.at.seq]).toEqual([before, at]);
    await session.undo({ record: [2, 3] });
    expect(await text()).toBe(content);
  });

  test("[HT-60] the agent's own later records are advised, which works; partial leaves such a record out", async () => {
    const { session, ann, text } = await beneath('{"a": {}}\n', set("$.a.x", "1"), set("$.b", "2"));
    await ann.call("set_json_value", { path: "c.json", json_path: "$.a.y", value: "3" });
    await ann.call("write_file", { path: "new", content: "n" });
    const refused = await ann.call("undo_changes", { record: [2, 5] });
    expect(refused.text).toMatch(
      /beside records 3 and 4 .*\. Undo records 2 and 4 together, or set partial to undo what can be\.$/,
    );
    const part = await ann.call("undo_changes", { record: [2, 5], partial: true });
    expect(part.text).toMatch(/^Undid record 5 .*\n(.*\n)?Not undone: record 2: beside records 3 and 4/);
    expect((await ann.call("undo_changes", { record: [2, 4] })).ok).toBe(true);
    expect(await text()).toBe('{"a": {}, "b": 2}\n');
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/c.json"]);
  });

  test("[HT-60] is made where JSON stays JSON, was none before, or the file has another name", async () => {
    const edit = (old_text: string, new_text: string): Step => [
      "edit_file",
      { edits: [{ old_text, new_text }] },
    ];
    const beside = await beneath('{"a": 1, "b": 2}', set("$.a", "10"), set("$.b", "20"));
    expect((await beside.ann.call("undo_changes")).ok).toBe(true);
    expect(await beside.text()).toBe('{"a": 1, "b": 20}');
    const bad = await beneath('{"a": 1, "b": \n', edit("1", "[]"), edit('"b"', '"c"'));
    expect((await bad.ann.call("undo_changes")).ok).toBe(true);
    const deps = [set("$.deps.left", "1"), set("$.deps.right", "2")] as const;
    const other = await beneath('{"deps": {}}', ...deps, "c.txt");
    expect((await other.ann.call("undo_changes")).ok).toBe(true);
    expect(await other.text()).toBe('{"deps": {, "right": 2}}');
    const loose = await beneath('{ /* c */ "deps": {}, }', ...deps, "c.jsonc");
    expect((await loose.ann.call("undo_changes")).error?.reason).toBe("undo_refused");
  });

  test("[HT-60] takes the newest record back, whatever was there before; the host is not asked", async () => {
    const { session } = await bench();
    const ann = session.as(EDITOR);
    await session.workspace.write("c.json", "{oops");
    await ann.call("write_file", { path: "c.json", content: "{}", mode: "overwrite" });
    expect((await ann.call("undo_changes")).ok).toBe(true);
    expect(new TextDecoder().decode(await session.workspace.read("c.json"))).toBe("{oops");
    const host = await beneath('{"deps": {}}', set("$.deps.left", "1"), set("$.deps.right", "2"));
    await host.session.undo({ record: 2 });
    expect(await host.text()).toBe('{"deps": {, "right": 2}}');
  });
});
