// Reads a document by path: one value, pages of matches, its shape, a view that fits a budget.
// Run: npx tsx examples/json-query.ts

import assert from "node:assert/strict";
import {
  describeJson,
  describeText,
  editJson,
  getJson,
  getText,
  keysText,
  listKeys,
  memorySource,
  parseJsonPath,
  previewJson,
  previewText,
  queryJson,
} from "holdfast/json";

const users = Array.from({ length: 250 }, (_, i) => ({ id: i, name: `user ${i}`, age: 10 + (i % 60) }));
const source = memorySource(JSON.stringify({ version: 2, users }));

assert.equal(getText(getJson(source, "$.users[-1].name"), "$.users[-1].name"), '"user 249"');
assert.equal(keysText(listKeys(source), "$"), "Keys at $: version (number), users (array)");

// A query answers pages. Each match has a normalized path, which can be given to an edit.
const adults = parseJsonPath("$.users[?@.age >= 18 && search(@.name, '7$')].name");
const page = queryJson(source, adults, { limit: 3 });
assert.deepEqual(
  page.matches.map((match) => match.path),
  ["$['users'][17]['name']", "$['users'][27]['name']", "$['users'][37]['name']"],
);
assert.equal(
  queryJson(source, adults, { limit: 3, offset: page.next ?? 0 }).matches[0]?.path,
  "$['users'][47]['name']",
);
const edits = page.matches.map(({ path }) => ({ op: "set", path, value: "hidden" }) as const);
assert.equal(editJson(source, edits).splices.length, 3);

// A view that never exceeds its budget and says what it left out.
const view = previewText(previewJson(source, { maxItems: 2 }), 1_000);
assert.ok(view.length <= 1_000 && view.includes('"... [248 more items]"'));
assert.ok(view.includes("[Truncation info: 1 array truncated]"));

assert.equal(describeText(describeJson(source)).split("\n")[2], "  users: array of 250 (object)");

// A mistake in a path is answered with its place and a hint.
assert.throws(() => parseJsonPath("$.users[?@.age = 18]"), /column 16[^]*written ==/);

console.log(view);
