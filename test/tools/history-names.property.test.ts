// Few names and many moves, deletions, undos and restores: files change names with one another all the time. What was noted of the session
// after each record is the model: a restore leads there, and undoing the newest record leads to what was before it.

import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/index.ts";
import { openSession, type Session } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { below, pick, randomFrom, type Random } from "../session/random.ts";

const NAMES = ["a", "b", "c", "d/e"];
const AGENTS = ["ann", "bob"];
/** Histories in which a file died where another died later, or in which two files meet at a name. */
const KNOWN = [55, 218, 281, 422, 476];
const LIMITS = { callsPerMinute: 1e6, callBurst: 1e6 };

const decoder = new TextDecoder();

/** What the files are, in one text. */
async function shown(session: Session): Promise<string> {
  const lines: string[] = [];
  for (const { path } of session.files())
    lines.push(`${path} ${JSON.stringify(decoder.decode(await session.workspace.read(path)))}`);
  return lines.join("\n");
}

async function change(session: Session, random: Random): Promise<void> {
  const agent = session.as({ id: pick(random, AGENTS), role: "editor" });
  const files = session.files().map(({ path }) => path);
  const kind = files.length === 0 ? 0 : below(random, 6);
  const content = `${below(random, 100)}\nx${below(random, 10)}\n`;
  const file = files.length === 0 ? "a" : pick(random, files);
  const name = pick(random, NAMES);
  const result =
    kind < 2
      ? await agent.call("write_file", { path: name, mode: "upsert", content })
      : kind === 2
        ? await agent.call("delete_file", { path: file })
        : kind === 3
          ? await agent.call("write_file", { path: file, mode: "append", content })
          : await agent.call(kind === 4 ? "move_file" : "copy_file", { source: file, destination: name });
  if (!result.ok && result.error.code === "internal") throw new Error(result.text);
}

type Undo = Parameters<Session["undo"]>[0];

function undoOf(head: number, random: Random): Undo {
  const record = 1 + below(random, head);
  const path = below(random, 4) === 0 ? { path: pick(random, NAMES) } : {};
  switch (below(random, 5)) {
    case 0:
      return { last: true, ...path };
    case 1:
      return { lastCallOf: pick(random, AGENTS), ...path };
    case 2:
      return { agent: pick(random, AGENTS), since: below(random, head), ...path };
    case 3:
      return { record: [record, 1 + below(random, head)], ...path };
    default:
      return { record, ...path };
  }
}

/** Does it, or returns why not. Every advice in the refusal is followed, without doing it. */
async function undone(session: Session, request: Undo): Promise<string | undefined> {
  try {
    await session.undo(request);
    return undefined;
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    expect(["undo_refused", "nothing_to_undo"], error.message).toContain(error.reason);
    const { together } = (error.data ?? {}) as { readonly together?: readonly number[] };
    const named = "record" in request ? [request.record ?? []].flat() : [];
    if (together !== undefined) {
      const path = request.path === undefined ? {} : { path: request.path };
      await session.undo({ record: [...new Set([...together, ...named])], ...path, dryRun: true });
    }
    if (error.message.includes("set partial"))
      expect((await session.undo({ ...request, partial: true, dryRun: true })).undone).not.toEqual([]);
    return error.message;
  }
}

test("[HIST-32] [HIST-44] [HIST-45] what files change names with each other is restored and undone as it was", async () => {
  const seeds = [...KNOWN, ...Array.from({ length: runs(12).numRuns }, (_, i) => i)];
  for (const seed of seeds) {
    const random = randomFrom(seed);
    const session = await openSession({ store: memoryStore(), limits: LIMITS, toolsets: ["all"] });
    const states = new Map<number, string>();
    for (let step = 0; step < 40; step++) {
      const head = session.at.seq;
      const before = await shown(session);
      states.set(head, before);
      const kind = below(random, 4);
      if (kind < 2) await change(session, random);
      else if (kind === 2) {
        const to = pick(random, [...states.keys()]);
        await session.restore({ to });
        expect(await shown(session), `seed ${seed}, restore to ${to} after ${head}`).toBe(states.get(to));
      } else if (head > 0) await undone(session, undoOf(head, random));
      if (session.at.seq === head || kind < 2 || below(random, 2) === 0) continue;
      const told = await undone(session, { record: session.at.seq });
      expect(told, `seed ${seed}, undo of record ${head + 1}`).toBeUndefined();
      expect(await shown(session), `seed ${seed}, undo of record ${head + 1}`).toBe(before);
    }
    await session.close();
  }
});
