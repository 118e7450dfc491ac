import { chmodSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Session } from "../../src/tools/index.ts";
import type { Hosted } from "../session/host-session.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

type As = Hosted["as"];

const A = "one\ntwo\nthree\nfour\n";
const PERSONS = `zero\n${A}`;

/** What happens to a.txt before bob's work on it and on x.txt is chosen. */
interface Before {
  readonly what: string;
  readonly act: (as: As, session: Session) => Promise<unknown>;
  /** What the folder holds once bob's work is landed, and what is left then. */
  readonly landed: Readonly<Record<string, string>>;
  readonly left: readonly string[];
}

const move = (as: As): Promise<unknown> =>
  as("ann").call("move_file", { source: "a.txt", destination: "b.txt" });
const undo = (as: As): Promise<unknown> => as("ann").call("undo_changes", {});

const BEFORE: readonly Before[] = [
  {
    what: "a deletion was undone",
    act: async (as) => {
      await as("ann").call("delete_file", { path: "a.txt" });
      await undo(as);
    },
    landed: { "a.txt": PERSONS },
    left: [],
  },
  {
    what: "a rename was undone",
    act: async (as) => {
      await move(as);
      await undo(as);
    },
    landed: { "a.txt": PERSONS },
    left: [],
  },
  { what: "a rename has not landed", act: move, landed: { "a.txt": PERSONS }, left: ["rename b.txt by ann"] },
  {
    what: "a mode was given and taken back",
    act: async (_as, session) => {
      await session.workspace.write("a.txt", A, { executable: true });
      await session.undo({ last: true });
    },
    landed: { "a.txt": PERSONS },
    left: [],
  },
];

async function prepared(
  act: Before["act"],
): Promise<Pick<Hosted, "session" | "as"> & { readonly from: string }> {
  const from = folderOf({ "a.txt": A, "x.txt": "x\n" });
  chmodSync(join(from, "a.txt"), 0o644);
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await act(as, session);
  return { from, session, as };
}

async function offered(session: Session, choice: object): Promise<string[]> {
  return (await session.plan(choice)).files.map(
    ({ path, kind, agents }) =>
      `${kind} ${path.slice("/workspace/".length)}${agents.length === 0 ? "" : ` by ${agents.join("+")}`}`,
  );
}

for (const { what, act, landed, left } of BEFORE) {
  test(`[HOST-199] where ${what} when a person's change came in, work of others lands without it`, async () => {
    const { from, session, as } = await prepared(act);
    writeFileSync(join(from, "a.txt"), PERSONS);
    expect((await session.refresh()).changed.map(({ how }) => how)).toEqual(["changed"]);
    await as("bob").call("write_file", { path: "x.txt", content: "x\ny\n", mode: "overwrite" });
    expect(await offered(session, { agents: ["bob"] })).toEqual(["change x.txt by bob"]);
    await (await session.plan({ agents: ["bob"] })).land();
    expect(filesIn(from)).toEqual({ ...landed, "x.txt": "x\ny\n" });
    expect(await offered(session, {})).toEqual(left);
    // Nor does it come with their work on the same file.
    const { path } = session.files()[0] ?? { path: "" };
    await as("bob").call("edit_file", { path, edits: [{ old_text: "four\n", new_text: "FOUR\n" }] });
    const plan = await session.plan({ agents: ["bob"] });
    expect(plan.added).toEqual([]);
    expect(plan.files.map(({ kind, hunks }) => [kind, hunks.length])).toEqual([["change", 1]]);
    await plan.land();
    expect(filesIn(from)["a.txt"]).toBe(PERSONS.replace("four", "FOUR"));
    expect(await offered(session, {})).toEqual(left);
    await (await session.plan()).land().catch(() => undefined);
    expect(await offered(session, {})).toEqual([]);
    expect(Object.keys(filesIn(from))).toEqual(
      session.files().map((file) => file.path.slice("/workspace/".length)),
    );
  });
}

test("[HOST-199] what a person deleted and the session kept comes back only with the work that is in it", async () => {
  const { from, session, as } = await prepared((agent) =>
    agent("ann").call("edit_file", { path: "a.txt", edits: [{ old_text: "two", new_text: "TWO" }] }),
  );
  await as("bob").call("write_file", { path: "x.txt", content: "x\ny\n", mode: "overwrite" });
  unlinkSync(join(from, "a.txt"));
  await session.refresh({ take: { "a.txt": "session" } });
  expect(await offered(session, { agents: ["bob"] })).toEqual(["change x.txt by bob"]);
  expect(await offered(session, { agents: ["ann"] })).toEqual(["create a.txt by ann"]);
  expect(await offered(session, {})).toEqual(["create a.txt by host+ann", "change x.txt by bob"]);
});

test("[HOST-200] of a text that the session kept no part lands without the others being listed", async () => {
  const from = folderOf({ "x.txt": "x\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await as("ann").call("write_file", { path: "a.txt", content: A });
  const under = { old_text: "two\n", new_text: "two\nbob's line\n" };
  await as("bob").call("edit_file", { path: "a.txt", edits: [under] });
  writeFileSync(join(from, "a.txt"), "one\na person's line\nfour\n");
  await session.refresh({ take: { "a.txt": "session" } });
  const [anns, bobs] = (await session.log({})).slice(-4).map(({ seq }) => seq);
  const alongOf = async (choice: object): Promise<unknown> => {
    const plan = await session.plan(choice);
    const shown = plan.files.flatMap(({ hunks }) => hunks.flatMap(({ agents }) => agents));
    return [plan.added.map(({ record, for: of, because }) => [record, of, because]), [...new Set(shown)]];
  };
  expect(await alongOf({ agents: ["ann"] })).toEqual([[[bobs, anns, "kept"]], ["ann", "bob"]]);
  expect(await alongOf({ agents: ["bob"] })).toEqual([[[anns, bobs, "kept"]], ["ann", "bob"]]);
  expect(await alongOf({ records: [session.at.seq] })).toEqual([[], ["host"]]);
  await (await session.plan({ agents: ["ann"] })).land();
  expect(filesIn(from)["a.txt"]).toBe(A.replace("two\n", "two\nbob's line\n"));
  expect((await session.plan()).isEmpty).toBe(true);
  // Once the folder has it, each one's work is its own again.
  await as("ann").call("edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "ONE" }] });
  expect(await alongOf({ agents: ["ann"] })).toEqual([[], ["ann"]]);
});

test("[HOST-71] what a program made in the work directory lands where it is chosen, or needed", async () => {
  const from = folderOf({ "a.txt": A, "gone.txt": "gone\n", "mode.sh": "run\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  const work = await session.directory();
  writeFileSync(join(work, "a.txt"), A.replace("two\n", "two\nprogram's line\n"));
  unlinkSync(join(work, "gone.txt"));
  chmodSync(join(work, "mode.sh"), 0o755);
  writeFileSync(join(work, "made.o"), "made\n");
  await session.sync();
  const made = ["change a.txt", "delete gone.txt", "create made.o", "mode mode.sh"].map(
    (what) => `${what} by external`,
  );
  await as("bob").call("write_file", { path: "y.txt", content: "y\n" });
  await as("bob").call("edit_file", { path: "a.txt", edits: [{ old_text: "four", new_text: "FOUR" }] });
  expect(await offered(session, { agents: ["external"] })).toEqual(made);
  const bobs = await session.plan({ agents: ["bob"] });
  expect([bobs.added, bobs.files.map(({ path }) => path)]).toEqual([
    [],
    ["/workspace/a.txt", "/workspace/y.txt"],
  ]);
  await bobs.land();
  expect(readFileSync(join(from, "a.txt"), "utf8")).toBe(A.replace("four", "FOUR"));
  expect(Object.keys(filesIn(from)).toSorted()).toEqual(["a.txt", "gone.txt", "mode.sh", "y.txt"]);
  await (await session.plan()).land();
  expect(readFileSync(join(from, "a.txt"), "utf8")).toContain("program's line\n");
  // On what the program wrote an edit cannot land without it.
  writeFileSync(join(work, "z.txt"), "one line of the program\n");
  await session.sync();
  await as("bob").call("edit_file", { path: "z.txt", edits: [{ old_text: "line of", new_text: "LINE of" }] });
  expect((await session.plan({ agents: ["bob"] })).added.map(({ agent }) => agent)).toEqual(["external"]);
});
