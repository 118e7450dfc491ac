// What trees are made of: every change is a list of operations that a journal can hold and take back. Run it: npx tsx examples/tree-operations.ts

import assert from "node:assert/strict";
import {
  addChild,
  applyAll,
  createTree,
  diff,
  diffText,
  EMPTY_FOREST,
  getView,
  invert,
  moveNode,
  Pins,
  selectNodes,
  updatePayload,
  type Forest,
} from "holdfast/tree/operations";

let forest: Forest = createTree(EMPTY_FOREST, {
  payloadType: "Plan",
  payloadProps: { name: "move house" },
}).forest;
const add = (parentNodeId: string, payloadType: string, payloadProps: object): string => {
  const made = addChild(forest, { parentNodeId, payloadType, payloadProps });
  forest = made.forest;
  return made.result.nodeId;
};
const packing = add("n0", "Area", { name: "packing" });
add(packing, "Task", { name: "boxes", prio: 7, status: "open" });
add(packing, "Task", { name: "books", prio: 3, status: "done" });
const papers = add("n0", "Area", { name: "papers" });
const tax = add(packing, "Task", { name: "tax office", prio: 9, status: "open" });

const reading = { forest, pins: new Pins(), agent: "planner", now: Date.now() };
console.log(getView(reading, { rootNodeId: "n0" }).outline, "\n");

const urgent = selectNodes(reading, { queryDsl: 'Area > Task[status="open"][prio>=5]' });
assert.deepEqual(
  urgent.items.map((item) => item["Path"]),
  ["move house/packing/boxes", "move house/packing/tax office"],
);

// Every change answers with operations: what a journal keeps. The forest before stays as it was.
const before = forest;
const moved = moveNode(forest, { nodeId: tax, newParentId: papers });
const updated = updatePayload(moved.forest, { nodeId: tax, patch: { status: "done" } });
console.log(diffText(diff(before.tree(), updated.forest.tree())), "\n");

const undo = [...moved.ops, ...updated.ops].reverse().map(invert);
const back = applyAll(updated.forest, undo);
assert.equal(diffText(diff(before.tree(), back.tree())), "No difference.");
console.log("taken back:", undo.map((op) => op.op).join(", "));
