import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../src/errors.ts";
import { extractJson, extractor, gatePrompt, judge, judgeAsync, parseGates } from "../src/gates/index.ts";
import { editJsonFile } from "../src/host/json/index.ts";
import {
  describeJson,
  editJson,
  editJsonText,
  getJson,
  listKeys,
  memorySource,
  previewJson,
  queryJson,
  validateJson,
} from "../src/json/index.ts";
import {
  applyPatch,
  applyPatchText,
  createPatch,
  fromUnifiedDiff,
  parseEdits,
  parsePatch,
  placeEdits,
  previewPatch,
  toUnifiedDiff,
} from "../src/patch/index.ts";
import { parsePath } from "../src/path/index.ts";
import { diffLines, hunksOf } from "../src/text/index.ts";
import { buildTree } from "../src/tree/index.ts";

const source = memorySource('{"a":[1,2,3]}');
const bytes = new Uint8Array(2);
const patch = [{ file: "a", line: 1, op: "delete", old: "1" }];
const gates = { gate_order: ["a"], gates: { a: { question: "q", required: true } } };
const edits = parseEdits("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n");

/** A call with an option that is not known, and the name that is meant. */
const CALLS: readonly [name: string, meant: string, call: (options: never) => unknown, wrong: object][] = [
  ["queryJson", "limit", (o) => queryJson(source, "$.a[*]", o), { limt: 1 }],
  ["getJson", "budget", (o) => getJson(source, "$.a", o), { budgt: 1 }],
  ["listKeys", "offset", (o) => listKeys(source, "$", o), { ofset: 1 }],
  ["previewJson", "maxDepth", (o) => previewJson(source, o), { maxdepth: 0 }],
  ["describeJson", "sample", (o) => describeJson(source, "$", o), { sampl: 1 }],
  ["validateJson", "mode", (o) => validateJson(source, o), { mod: "jsonc" }],
  ["editJson", "mode", (o) => editJson(source, [], o), { mod: "json" }],
  ["editJsonText", "mode", (o) => editJsonText("{}", [], o), { mod: "json" }],
  ["applyPatch", "numbering", (o) => applyPatch({ a: "1\n" }, patch, o), { numberng: "offset" }],
  ["applyPatch", "offset", (o) => applyPatch({ a: "1\n" }, patch, o), { numbering: "ofset" }],
  ["applyPatchText", "names", (o) => applyPatchText("1\n", patch, o), { nams: "ascii" }],
  ["parsePatch", "limits", (o) => parsePatch(patch, o), { limit: {} }],
  ["createPatch", "file", (o) => createPatch("a\n", "b\n", o), { fil: "x" }],
  ["previewPatch", "color", (o) => previewPatch({ a: "1\n" }, patch, o), { colour: true }],
  ["toUnifiedDiff", "context", (o) => toUnifiedDiff({ a: "1\n" }, patch, o), { contxt: 1 }],
  ["fromUnifiedDiff", "check", (o) => fromUnifiedDiff("--- a\n", o), { context: "chek" }],
  ["placeEdits", "names", (o) => placeEdits(edits, { "a.txt": "one\n" }, o), { name: "ascii" }],
  ["extractJson", "want", (o) => extractJson("[1]", o), { wnt: "any" }],
  ["extractJson", "any", (o) => extractJson("[1]", o), { want: "an" }],
  ["extractor", "want", (o) => extractor(o), { wnt: 1 }],
  ["judge", "want", (o) => judge("{}", {}, o), { wan: 1 }],
  ["gatePrompt", "tool", (o) => gatePrompt(gates, o), { tol: "x" }],
  ["parseGates", "policy", (o) => parseGates({}, gates, o), { polcy: {} }],
  ["parseGates", "user", (o) => parseGates({}, gates, o), { actor: "usr" }],
  ["parseGates", "accept_truncated", (o) => parseGates({}, gates, o), { policy: { accept_truncate: true } }],
  ["buildTree", "payloadTypes", (o) => buildTree({ Payload: { a: 1 } }, o), { payloadType: {} }],
  ["hunksOf", "context", (o) => hunksOf(bytes, [], o), { contxt: 1 }],
  ["diffLines", "maxWork", (o) => diffLines(bytes, bytes, o), { maxwork: 1 }],
];

function refusal(call: () => unknown): HoldfastError {
  try {
    call();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

test.each(CALLS)("[TEXT-45] %s refuses a misspelt option and means %s", (_name, meant, call, wrong) => {
  const error = refusal(() => call(wrong as never));
  expect([error.code, error.reason]).toEqual(["invalid_argument", "unknown_option"]);
  expect(error.message).toContain(`Did you mean ${meant}?`);
  for (const none of [null, "x", []]) expect(() => call(none as never)).toThrow(HoldfastError);
});

test("[TEXT-45] judgeAsync refuses a misspelt option", async () => {
  await expect(judgeAsync("{}", {}, { wan: 1 } as never)).rejects.toThrow("Did you mean want?");
});

test("[TEXT-45] a misspelt field of a JSON edit is refused", () => {
  const edit = { op: "merge", path: "$.a", value: { b: 1 }, deeep: true } as never;
  expect(refusal(() => editJsonText('{"a":{}}', [edit])).message).toContain("Did you mean deep?");
  const set = { op: "set", path: "$.a", value: 1, jsn: "1" } as never;
  expect(refusal(() => editJsonText('{"a":{}}', [set])).reason).toBe("unknown_option");
});

test("[TEXT-45] a misspelt option never edits the source file", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-options-"));
  try {
    const file = join(folder, "x.json");
    writeFileSync(file, '{"a":1}');
    const edit = (options: object): HoldfastError =>
      refusal(() => editJsonFile(file, [{ op: "set", path: "$.a", value: 2 }], options));
    expect(edit({ too: join(folder, "y.json") }).message).toContain("Did you mean to?");
    expect(edit({ hardLinks: "brek" }).message).toContain("Did you mean break?");
    expect(readFileSync(file, "utf8")).toBe('{"a":1}');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[TEXT-45] a word that parsePath does not know is refused", () => {
  expect(refusal(() => parsePath("a", { kind: "fle" } as never)).reason).toBe("unknown_option");
});
