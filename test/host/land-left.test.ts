import { expect, test } from "vitest";
import type { LandingPlan, LandingChoice } from "../../src/tools/index.ts";
import { LONG } from "../effort.ts";
import { contents, put, type Hosted } from "../session/host-session.ts";
import { below, pick, randomFrom } from "../session/random.ts";
import { filesIn, folderOf, opened } from "./folder.ts";

const THIRTY = Array.from({ length: 30 }, (_, i) => `${i}\n`);

/** What each hunk removes and inserts, and whose it is. */
function hunksIn({ files }: LandingPlan): string[] {
  return files.flatMap(({ hunks }) =>
    hunks.map(({ text, agents, records }) => {
      const lines = text.split("\n").filter((line) => /^[+-]/.test(line));
      return `${agents.join("+")} ${records.join("+")}: ${lines.join(" ")}`;
    }),
  );
}

function changed(lines: Readonly<Record<number, string>>): string {
  return THIRTY.map((line, i) => (lines[i] === undefined ? line : `${lines[i]}\n`)).join("");
}

async function leftByBob(
  write: Readonly<Record<number, string>>,
  leave: string,
): Promise<Hosted & { readonly from: string }> {
  const from = folderOf({ f: THIRTY.join("") });
  const hosted = await opened({ mounts: [{ from, to: "/workspace" }] });
  const { session, as } = hosted;
  await put(as("bob"), "f", changed(write));
  const { files } = await session.plan({ agents: ["bob"] });
  const left = files.flatMap(({ hunks }) => hunks).filter(({ text }) => text.includes(leave));
  await (await session.plan({ agents: ["bob"], leave: left.map(({ id }) => id) })).land();
  return { ...hosted, from };
}

test("[HOST-190] a hunk that was left is not landed with lines of another beside it, and stays its writer's", async () => {
  const { from, session, as } = await leftByBob({ 5: "BOB5", 15: "BOB15" }, "BOB5");
  expect(filesIn(from)["f"]).toBe(changed({ 15: "BOB15" }));
  await put(as("ann"), "f", changed({ 5: "BOB5", 6: "ANN6", 15: "BOB15" }));
  const ann = await session.plan({ agents: ["ann"] });
  expect(ann.added).toEqual([]);
  expect(hunksIn(ann)).toEqual(["ann 5: -6 +ANN6"]);
  await ann.land();
  expect(filesIn(from)["f"]).toBe(changed({ 6: "ANN6", 15: "BOB15" }));
  expect((await session.plan({ agents: ["ann"] })).isEmpty).toBe(true);
  expect(hunksIn(await session.plan())).toEqual(["bob 2: -5 +BOB5"]);
  await (await session.plan({ agents: ["bob"] })).land();
  expect(filesIn(from)).toEqual(await contents(session));
});

test("[HOST-190] [HOST-71] work on a hunk that was left brings its record along, and says so", async () => {
  const { from, session, as } = await leftByBob({ 5: "BOB5", 15: "BOB15", 25: "BOB25" }, "BOB5");
  await put(as("ann"), "f", changed({ 5: "ANN5", 15: "BOB15", 25: "BOB25" }));
  const ann = await session.plan({ agents: ["ann"] });
  expect(ann.added).toMatchObject([{ record: 2, agent: "bob", for: 5, because: "over" }]);
  expect(hunksIn(ann)).toEqual(["bob+ann 2+5: -5 +ANN5"]);
  await ann.land();
  expect(filesIn(from)).toEqual(await contents(session));
});

test("[HOST-190] what was undone and left so in part is taken out only with the record that undid it", async () => {
  const from = folderOf({ f: THIRTY.join("") });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await put(as("bob"), "f", changed({ 5: "BOB5", 15: "BOB15" }));
  await (await session.plan()).land();
  await session.undo({ record: 2 });
  const { files } = await session.plan();
  const left = files.flatMap(({ hunks }) => hunks).filter(({ text }) => text.includes("BOB5"));
  expect(left).toHaveLength(1);
  await (await session.plan({ leave: left.map(({ id }) => id) })).land();
  expect(filesIn(from)["f"]).toBe(changed({ 5: "BOB5" }));
  await put(as("ann"), "f", changed({ 6: "ANN6" }));
  const ann = await session.plan({ agents: ["ann"] });
  expect(hunksIn(ann).map((hunk) => hunk.split(": ")[1])).toEqual(["-6 +ANN6"]);
  await ann.land();
  expect(filesIn(from)["f"]).toBe(changed({ 5: "BOB5", 6: "ANN6" }));
  await (await session.plan()).land();
  expect(filesIn(from)["f"]).toBe(changed({ 6: "ANN6" }));
});

/** The lines that a record inserted and removed: each is written once and removed once at most. */
interface Wrote {
  readonly seq: number;
  readonly agent: string;
  readonly lines: ReadonlySet<string>;
}

test(
  "[HOST-190] [HOST-71] [HOST-72] [HOST-81] whatever was left before, a choice lands work of chosen records and of those listed with them",
  { timeout: 3_600_000 },
  async () => {
    let [partial, beside] = [0, 0];
    const first = LONG ? Math.floor(Math.random() * 2 ** 31) : 1;
    for (let seed = first; seed < first + (LONG ? 150 : 25); seed++) {
      const random = randomFrom(seed);
      const from = folderOf({ f: THIRTY.slice(0, 16).join("") });
      const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
      const wrote: Wrote[] = [];
      const linesIn = (text: string | undefined): string[] => (text ?? "").split("\n").slice(0, -1);
      for (let step = 0, next = 0; step < 14; step++) {
        if (random() < 0.5) {
          const agent = pick(random, ["ann", "bob"]);
          const before = linesIn((await contents(session))["f"]);
          const lines = [...before];
          for (let n = 1 + below(random, 3); n > 0; n--) {
            const insert = random() < 0.8 ? [`${agent}${++next}`] : [];
            lines.splice(below(random, lines.length), random() < 0.6 ? 1 : 0, ...insert);
          }
          if (lines.join() === before.join()) continue;
          await put(as(agent), "f", lines.map((line) => `${line}\n`).join(""));
          wrote.push({ seq: session.at.seq, agent, lines: new Set(differing(before, lines)) });
          continue;
        }
        const records = wrote.map(({ seq }) => seq).filter(() => random() < 0.3);
        const choice: LandingChoice = pick(random, [
          {},
          { agents: ["ann"] },
          { agents: ["bob"] },
          { records },
        ]);
        const all = await session.plan(choice);
        const hunks = all.files.flatMap((file) => file.hunks);
        const leave = random() < 0.6 ? hunks.filter(() => random() < 0.5).map(({ id }) => id) : [];
        const plan = await session.plan({ ...choice, leave });
        if (plan.isEmpty) continue;
        const isChosen = ({ seq, agent }: Wrote): boolean =>
          (choice.agents?.includes(agent) ?? true) && (choice.records?.includes(seq) ?? true);
        const allowed = new Set([
          ...wrote.filter(isChosen).map(({ seq }) => seq),
          ...plan.added.map(({ record }) => record),
        ]);
        const before = linesIn(filesIn(from)["f"]);
        await plan.land();
        const after = linesIn(filesIn(from)["f"]);
        const shown = new Set(plan.files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.records)));
        for (const line of differing(before, after)) {
          const by = wrote.filter(({ lines }) => lines.has(line)).map(({ seq }) => seq);
          const where = `seed ${seed}: ${line} of ${by.join()} with ${JSON.stringify(choice)}`;
          expect(
            by.some((seq) => allowed.has(seq) && shown.has(seq)),
            where,
          ).toBe(true);
        }
        if (leave.length > 0) partial++;
        if (choice.agents !== undefined || choice.records !== undefined) beside++;
      }
      const rest = await session.plan();
      if (!rest.isEmpty) await rest.land();
      expect(filesIn(from), `seed ${seed}`).toEqual(await contents(session));
      expect((await session.plan()).isEmpty).toBe(true);
      await session.close();
    }
    expect(partial).toBeGreaterThan(20);
    expect(beside).toBeGreaterThan(40);
  },
);

/** Lines that only one of two texts has. */
function differing(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((line) => !after.includes(line)),
    ...after.filter((line) => !before.includes(line)),
  ];
}
