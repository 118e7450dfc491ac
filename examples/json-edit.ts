// Edits a configuration file with comments: only the bytes that were asked for change.
// Run: npx tsx examples/json-edit.ts

import assert from "node:assert/strict";
import { editJson, type JsonEditResult, memorySource } from "holdfast/json";

const before = `{
  // who may see the new page
  "rollout": { "enabled": true, "percent": 5.0 }, // ask Ana before 50
  "regions": ["us-east-1"],
  "build": 12345678901234567890
}
`;

const result = editJson(memorySource(before), [
  { op: "set", path: "$.rollout.percent", value: 25 },
  { op: "append", path: "$.regions", value: "eu-west-1" },
  { op: "set", path: "$.owner", json: '{"team": "growth", "weight": 1.0}' },
]);

assert.equal(
  applied(before, result),
  `{
  // who may see the new page
  "rollout": { "enabled": true, "percent": 25 }, // ask Ana before 50
  "regions": ["us-east-1", "eu-west-1"],
  "build": 12345678901234567890,
  "owner": { "team": "growth", "weight": 1.0 }
}
`,
);
assert.deepEqual(
  result.reports.map(({ path, line, old }) => [path, line, old]),
  [
    ["$['rollout']['percent']", 3, "5.0"],
    ["$['regions'][1]", 4, undefined],
    ["$['owner']", 6, undefined],
  ],
);

// A path that can name several places is never written to.
assert.throws(() => editJson(memorySource(before), [{ op: "delete", path: "$.regions[*]" }]), {
  reason: "wildcard_write",
});

/** The splices, applied to text. */
function applied(text: string, { splices }: JsonEditResult): string {
  const bytes = new TextEncoder().encode(text);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(bytes.subarray(at, splice.at), splice.insert);
    at = splice.at + splice.remove;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]).toString();
}

console.log(applied(before, result));
