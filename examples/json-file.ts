// A JSON file on disk: what is wrong with it, one value changed in place, and a second look that costs microseconds.
// Run it: npx tsx examples/json-file.ts

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editJsonFile, openHostFile } from "holdfast/json/host";
import { getJson, memorySource, validateJson } from "holdfast/json";

const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
try {
  // A fault says where it is, what was expected, and how to mend it.
  const answer = validateJson(memorySource('{\n  "name": "app",\n  "port": 8080,\n}\n'));
  assert(!answer.valid);
  assert.equal(answer.fault.reason, "trailing_comma");
  assert.equal(`${answer.fault.line}:${answer.fault.column}`, "4:1");
  assert.equal(answer.fault.frame, "4 | }\n  | ^");

  // An edit replaces the file in one rename; every byte outside the value stays.
  const path = join(folder, "app.json");
  writeFileSync(path, '{ "rollout": { "percent": 50.0 },\t"ids": [12345678901234567890] }\r\n');
  const { reports } = editJsonFile(path, [{ op: "set", path: "$.rollout.percent", value: 25 }]);
  assert.equal(
    readFileSync(path, "utf8"),
    '{ "rollout": { "percent": 25 },\t"ids": [12345678901234567890] }\r\n',
  );
  assert.equal(reports[0]?.old, "50.0");

  // A large file is read through one window; what was learned is kept for the next look at the same content.
  writeFileSync(path, JSON.stringify({ items: Array.from({ length: 50_000 }, (_, id) => ({ id })) }));
  const file = openHostFile(path);
  try {
    const got = getJson(file, "$.items[-1].id");
    assert(got.kind !== "matches");
    assert.equal(got.value.text, "49999");
  } finally {
    file.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log("json-file: ok");
