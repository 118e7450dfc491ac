// A model sends a line patch that was made from memory. It does not fit, so nothing is written; the answer says what to
// send instead, and the second try applies. Run with: npx tsx examples/patch-repair.ts

import assert from "node:assert/strict";
import {
  applyPatch,
  createPatch,
  describeReport,
  formatPatch,
  patchedFiles,
  previewPatch,
} from "holdfast/patch";

const files = new Map([
  ["config.yaml", "name: app\r\nport: 8080\r\nlogs: on\r\n"],
  ["notes.txt", "alpha\nbeta\ngamma\ndelta"],
]);

const patch = [
  { file: "config.yaml", line: 2, op: "replace", old: "port: 8080 ", new: "port: 9090" },
  { file: "notes.txt", line: 1, op: "replace", old: "gamma", new: "GAMMA" },
  { file: "notes.txt", line: 5, op: "insert", new: "epsilon" },
];

const refused = applyPatch(files, patch);
assert.equal(refused.ok, false);
assert.deepEqual(refused.statuses, ["old_mismatch", "old_mismatch", "fits"]);
console.log(describeReport(refused));

// Every conflict whose correction is certain carries the fields to send instead.
const corrected = patch.map((operation, i) => ({
  ...operation,
  ...refused.conflicts.find(({ index }) => index === i)?.resend,
}));
assert.equal(corrected[0]?.old, "port: 8080");
assert.equal(corrected[1]?.line, 3);

const report = applyPatch(files, corrected);
assert.equal(report.ok, true);
console.log(`\n${previewPatch(files, corrected, { color: process.stdout.isTTY })}`);

const after = new Map(
  [...patchedFiles(files, report)].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
);
// CRLF stays CRLF, and a file without a final newline still has none.
assert.equal(after.get("config.yaml"), "name: app\r\nport: 9090\r\nlogs: on\r\n");
assert.equal(after.get("notes.txt"), "alpha\nbeta\nGAMMA\ndelta\nepsilon");

// Sending the replacements once more changes nothing, and the way back is a patch like any other.
assert.equal(
  applyPatch(after, corrected.slice(0, 2)).files.every(({ status }) => status === "already_applied"),
  true,
);
const back = createPatch(after, files);
console.log(formatPatch(back));
const undone = applyPatch(after, back);
assert.equal(new TextDecoder().decode(patchedFiles(after, undone).get("notes.txt")), files.get("notes.txt"));
