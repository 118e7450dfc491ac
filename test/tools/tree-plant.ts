// Owns: two tools of a host for tests at size: one plants a large tree in a single call, one digests all that a tree shows.

import { createHash } from "node:crypto";
import { z } from "zod";
import { treeSlice } from "../../src/session/tree/tree-slice.ts";
import { Pacer } from "../../src/text/index.ts";
import { defineTool, type Tool } from "../../src/tools/index.ts";
import { createTree, BranchWalk, type NodeRow } from "../../src/tree/operations.ts";

const ROWS = 1_024;
const FAN_OUT = 10;

/** A tree of `nodes` nodes, each with up to ten children, or all of them children of the root. */
export const plantTool: Tool = defineTool({
  name: "plant",
  toolset: "test",
  access: "write",
  title: "Plant",
  description: "Makes a large tree.",
  input: z.object({ nodes: z.int(), wide: z.boolean().optional() }),
  output: z.object({ tree: z.string() }),
  targets: () => [],
  async run(ctx, { nodes, wide = false }) {
    const { ops, result } = createTree(ctx.slice(treeSlice).all(), { payloadProps: { name: "root" } });
    for (const op of ops) ctx.change(treeSlice, op);
    const pace = new Pacer(ctx.signal);
    for (let from = 1; from < nodes; from += ROWS) {
      const rows: NodeRow[] = [];
      for (let s = from; s < Math.min(nodes, from + ROWS); s++) {
        const u = wide ? 0 : Math.floor((s - 1) / FAN_OUT);
        const first = wide ? s === 1 : (s - 1) % FAN_OUT === 0;
        rows.push({
          s,
          u,
          ...(u < from ? { a: first ? -1 : s - 1 } : {}),
          t: "Item",
          p: { name: `item ${s}`, n: s % 97 },
        });
      }
      ctx.change(treeSlice, { slice: "tree", op: "insert", tree: result.tree, rows });
      await pace.step();
    }
    return { tree: result.tree };
  },
  text: ({ tree }) => tree,
});

/** Ids, types, payloads, tags and order of all trees, as one hash. */
export const digestTool: Tool = defineTool({
  name: "digest",
  toolset: "test",
  access: "read",
  title: "Digest",
  description: "Hashes all trees.",
  input: z.object({}),
  output: z.object({ digest: z.string(), nodes: z.int() }),
  targets: () => [],
  async run(ctx) {
    const hash = createHash("sha256");
    const pace = new Pacer(ctx.signal);
    let nodes = 0;
    for (const tree of ctx.slice(treeSlice).peek().trees)
      for (const walk = new BranchWalk(tree, 0); walk.next();) {
        const { slot, depth } = walk;
        const seen = [depth, tree.idOf(slot), tree.typeOf(slot), tree.payloadOf(slot), tree.tagsOf(slot)];
        hash.update(JSON.stringify(seen));
        if (++nodes % 512 === 0) await pace.step();
      }
    return { digest: hash.digest("hex"), nodes };
  },
  text: ({ digest }) => digest,
});
