// Owns: the row for a session with a large tree whose process was killed: how soon the next one has it, and how long
// opening it holds the thread at once.

import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore, type Store } from "../src/store/index.ts";
import { openSession, type Session } from "../src/tools/index.ts";
import { watchHeld, type Held } from "../test/store/children/held.ts";
import { growAndKill, type Grown } from "../test/tools/grow-and-kill.ts";
import { digestTool, plantTool } from "../test/tools/tree-plant.ts";
import { EXTENSION, HERE } from "./_root.ts";
import { defineCase, type AnyCase } from "./harness.ts";

const NODES = 1_000_000;
const EDITS = 60;

const GROW = [join(HERE, `../test/tools/children/grow-tree${EXTENSION}`)];

export const reopenTree: AnyCase = defineCase<{ readonly dir: string; readonly grown: Grown }>({
  name: "reopen 1M-node tree",
  rounds: 7,
  warmups: 2,
  setup: async (context) => {
    const { dir } = context;
    context.log(`growing a tree of ${NODES} nodes`);
    return { dir, grown: await growAndKill(GROW, join(dir, "killed"), NODES, EDITS) };
  },
  ours: {
    name: "holdfast",
    start: ({ dir, grown }) => {
      const [killed, directory] = [join(dir, "killed"), join(dir, "store")];
      const held: number[] = [];
      let store: Store | undefined;
      let session: Session | undefined;
      let most: (() => Promise<Held>) | undefined;
      return {
        // Closing saves a checkpoint: every round opens what the killed process left.
        before: () => {
          rmSync(directory, { recursive: true, force: true });
          cpSync(killed, directory, { recursive: true });
          store = sqliteStore({ directory });
        },
        run: async () => {
          most = watchHeld();
          session = await openSession({
            store: store as Store,
            id: "large",
            toolsets: ["all"],
            tools: [plantTool, digestTool],
          });
          if (session.at.seq !== grown.at.seq) throw new Error("not what was written");
        },
        after: async () => {
          if (most !== undefined) held.push((await most()).used);
          await session?.close();
          await store?.close();
        },
        values: () => ({
          "longest use of the thread": held.toSorted((a, b) => a - b)[held.length >> 1] ?? 0,
          "bytes on disk per edit": grown.growth,
        }),
      };
    },
  },
});
