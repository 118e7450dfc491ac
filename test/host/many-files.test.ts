import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent, LandingPlan, Session } from "../../src/tools/index.ts";
import { counted } from "../session/counted-reads.ts";
import type { Hosted } from "../session/host-session.ts";
import { turnsDuring } from "../turns.ts";
import { folderOf, opened } from "./folder.ts";

interface Many extends Hosted {
  readonly folder: string;
  readonly reads: () => number;
}

/** A session with a mounted folder of so many small files. */
async function many(count: number): Promise<Many> {
  const files = Array.from({ length: count }, (_, i) => [`many/f${i}`, `word ${i}\nanother line\n`] as const);
  const folder = folderOf(Object.fromEntries(files));
  const { store, reads } = counted();
  const hosted = await opened({ store, mounts: [{ from: folder, to: "/workspace" }] });
  return { ...hosted, folder, reads };
}

async function done(call: ReturnType<Agent["call"]>): Promise<void> {
  const { ok, text } = await call;
  expect(ok, text).toBe(true);
}

const move = (agent: Agent): Promise<void> =>
  done(agent.call("move_file", { source: "many", destination: "moved" }));
const edit = (agent: Agent): Promise<void> =>
  done(agent.call("replace_in_files", { pattern: "word", replacement: "verb", include: ["**"] }));
const remove = (agent: Agent): Promise<void> => done(agent.call("delete_file", { path: "many" }));

test.each([
  ["moved", move, "rename"],
  ["edited", edit, "change"],
  ["deleted", remove, "delete"],
])(
  "[HOST-144] planning and landing very many files that were %s reads the history once",
  async (_, work, kind) => {
    const { session, as, reads } = await many(100);
    await work(as("ann"));
    let before = reads();
    const plan = await session.plan();
    expect(reads() - before).toBeLessThan(20);
    expect(plan.files).toHaveLength(100);
    expect(new Set(plan.files.map((file) => `${file.kind} ${file.agents.join()}`))).toEqual(
      new Set([`${kind} ann`]),
    );
    before = reads();
    const { landing } = await plan.land();
    await session.revertLanding(landing);
    expect(reads() - before).toBeLessThan(40);
    await session.close();
  },
);

test("[HOST-144] a refresh of very many files reads the history once", async () => {
  const { session, as, folder, reads } = await many(100);
  await edit(as("ann"));
  for (let i = 0; i < 100; i++) writeFileSync(join(folder, `many/f${i}`), `word ${i}\nanother line\nmore\n`);
  const before = reads();
  const { changed, conflicts } = await session.refresh();
  expect(reads() - before).toBeLessThan(20);
  expect([changed.length, conflicts.length]).toEqual([100, 0]);
  expect(changed[0]?.how).toBe("merged");
  await session.close();
});

/** What is shown of the first file and of one that is gone, whatever else there is. */
function firstOf({ files }: LandingPlan): unknown {
  return files
    .filter(({ path, from }) => /f[01]$/.test(from ?? path))
    .map(({ path, from, kind, agents, records, hunks }) => [path, from, kind, agents, records, hunks]);
}

test.each([["nothing"], ["a part"]])(
  "[HOST-144] a plan of very many files shows what one of few files shows, with %s of the history pruned",
  async (what) => {
    const shown: unknown[] = [];
    for (const count of [20, 60]) {
      const { session, as } = await many(count);
      await edit(as("ann"));
      const edited = session.at.seq;
      await move(as("bob"));
      await done(as("bob").call("delete_file", { path: "moved/f1" }));
      await done(as("ann").call("write_file", { path: "moved/f0", content: "other\n", mode: "overwrite" }));
      if (what === "a part") await session.prune({ before: edited + 1 });
      const plan = await session.plan({ agents: ["ann"] });
      shown.push([firstOf(plan), firstOf(await session.plan())]);
      expect(plan.files.length).toBeGreaterThanOrEqual(count - 1);
      await session.close();
    }
    expect(shown[1]).toEqual(shown[0]);
  },
);

const FILES = 150;

// The last is how often the work goes through all files, at least.
test.each([
  ["plan", async ({ session }) => session.plan(), 25],
  ["ndpatch", async ({ plan }) => plan.ndpatch(), 10],
  ["land", async ({ plan }) => plan.land(), 22],
  ["revertLanding", async ({ session, plan }) => session.revertLanding((await plan.land()).landing), 44],
] satisfies [string, (of: { session: Session; plan: LandingPlan }) => Promise<unknown>, number][])(
  "[HOST-145] other work goes on during %s of very many files",
  async (_name, work, passes) => {
    const { session, as } = await many(FILES);
    await move(as("ann"));
    const plan = await session.plan();
    const turns = await turnsDuring(() => work({ session, plan }));
    expect(turns).toBeGreaterThan((passes * FILES) / 10);
    await session.close();
  },
);
