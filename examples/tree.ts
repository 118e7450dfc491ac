// A plan as a tree: built from plain data, read, selected, changed, compared, exported. Run it: npx tsx examples/tree.ts

import assert from "node:assert/strict";
import { buildTree, changeTree, diffText, diffTrees, markdownOf, outlineOf, selectFrom } from "holdfast/tree";

const plan = buildTree({
  PayloadType: "Plan",
  Payload: { name: "move house" },
  Children: [
    {
      PayloadType: "Area",
      Payload: { name: "packing" },
      Children: [
        { PayloadType: "Task", Payload: { name: "boxes", prio: 7, status: "open" } },
        { PayloadType: "Task", Payload: { name: "tax office", prio: 9, status: "open" } },
      ],
    },
    { PayloadType: "Area", Payload: { name: "papers" } },
  ],
});
console.log(outlineOf(plan), "\n");

const urgent = selectFrom(plan, 'Area > Task[status="open"][prio>=8]');
assert.deepEqual(
  urgent.map((node) => node.Path),
  ["move house/packing/tax office"],
);

// The tree before stays as it was: holding it is the undo.
const [tax] = urgent;
const [papers] = selectFrom(plan, 'Area[name="papers"]');
assert.ok(tax !== undefined && papers !== undefined);
const { tree: next } = changeTree(plan, [
  { op: "move", node: tax.NodeId, parent: papers.NodeId },
  { op: "set", node: tax.NodeId, patch: { status: "done" } },
]);
console.log(diffText(diffTrees(plan, next)), "\n");
console.log(markdownOf(next));
