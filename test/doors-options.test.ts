import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../src/errors.ts";
import { resolveLimits } from "../src/limits.ts";
import { extractJson, extractor, gatePrompt, judge, judgeAsync, parseGates } from "../src/gates/index.ts";
import { editJsonFile } from "../src/host/json/index.ts";
import {
  describeJson,
  editJson,
  editJsonText,
  getJson,
  listKeys,
  getValue,
  memorySource,
  parseJsonPath,
  previewJson,
  queryJson,
  validateJson,
  writablePath,
} from "../src/json/index.ts";
import {
  applyPatch,
  applyPatchText,
  conflictError,
  createPatch,
  describeReport,
  editFormatOf,
  fromUnifiedDiff,
  isUnifiedDiff,
  parseEdits,
  parsePatch,
  placeEdits,
  previewPatch,
  toUnifiedDiff,
} from "../src/patch/index.ts";
import { compileGlob, joinPath, parsePath, pathFromSegments, ROOT } from "../src/path/index.ts";
import {
  applySplices,
  bytesSource,
  countChars,
  countLines,
  cutText,
  decodeBase64,
  decodeText,
  diffLines,
  encodeBase64,
  encodeText,
  firstBadUtf8,
  hunksOf,
  readAll,
  readBytes,
  windowsOf,
} from "../src/text/index.ts";
import { defineTool, openSession } from "../src/tools/index.ts";
import { buildTree, buildTreeFromMarkdown, changeTree, selectFrom } from "../src/tree/index.ts";
import {
  addChild,
  bookmark,
  collapseAll,
  collapseNode,
  copySubtree,
  copySubtreeSteps,
  createTree,
  decodeSync,
  diffSubtree,
  EMPTY_FOREST,
  encode,
  expandAll,
  expandNode,
  exportSubtree,
  exportView,
  getCommonAncestor,
  getNode,
  getPath,
  importJsonSteps,
  importListingSteps,
  importMarkdownSteps,
  importMerge,
  importTreeSteps,
  importView,
  lintPayload,
  listChildren,
  moveNode,
  moveNodeSteps,
  NO_VIEWS,
  queryByTag,
  queryByTagSteps,
  removeBookmark,
  removeNode,
  removeNodeSteps,
  runNow,
  sameForest,
  search,
  searchAdvanced,
  searchAdvancedSteps,
  searchSteps,
  selectNodes,
  selectNodesSteps,
  setExpansionRecursive,
  setFilters,
  sortChildren,
  sortChildrenSteps,
  takeRuleset,
  toggleNode,
  updateNodes,
  updateNodesSteps,
  validateTree,
} from "../src/tree/operations.ts";

const source = memorySource('{"a":[1,2,3]}');
const bytes = new Uint8Array(2);
const patch = [{ file: "a", line: 1, op: "delete", old: "1" }];
const gates = { gate_order: ["a"], gates: { a: { question: "q", required: true } } };
const edits = parseEdits("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n");

const report = applyPatch({ a: "2\n" }, patch);
const tree = buildTree({ PayloadType: "P", Children: [{ Payload: { n: 1 } }] });
const { forest } = createTree(EMPTY_FOREST);
const ruleset = takeRuleset({ id: "r", rules: [] });

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
  ["parsePath", "names", (o) => parsePath("a", o), { nams: "ascii" }],
  ["parsePath", "ascii", (o) => parsePath("é", o), { names: "asci" }],
  ["pathFromSegments", "names", (o) => pathFromSegments(["a"], o), { name: "ascii" }],
  ["joinPath", "limits", (o) => joinPath(ROOT, "a", o), { limit: {} }],
  ["compileGlob", "limits", (o) => compileGlob("*", o), { limit: {} }],
  ["parseJsonPath", "maxLength", (o) => parseJsonPath("$", o), { maxLenght: 1 }],
  ["writablePath", "maxNesting", (o) => writablePath("$.a", o), { maxnest: 1 }],
  ["writablePath of steps", "maxLength", (o) => writablePath(parseJsonPath("$.a"), o), { maxlength: 1 }],
  ["describeReport", "budget", (o) => describeReport(report, o), { budgt: 1 }],
  ["conflictError", "budget", (o) => conflictError(report, o), { budgt: 1 }],
  ["changeTree", "payload", (o) => changeTree(tree, [o]), { op: "add", parent: "n0", paylod: {} }],
  [
    "changeTree",
    "direction",
    (o) => changeTree(tree, [o]),
    { op: "sort", parent: "n0", by: "n", directon: "asc" },
  ],
  [
    "changeTree",
    "desc",
    (o) => changeTree(tree, [o]),
    { op: "sort", parent: "n0", by: "n", direction: "descc" },
  ],
  ["createTree", "name", (o) => createTree(EMPTY_FOREST, o), { nam: "p" }],
  [
    "addChild",
    "payloadProps",
    (o) => addChild(forest, o),
    { parentNodeId: "n0", payloadType: "T", payloadProp: {} },
  ],
  ["expandNode", "nodeId", (o) => expandNode(NO_VIEWS, forest, o), { nodeid: "n0" }],
  ["collapseNode", "nodeId", (o) => collapseNode(NO_VIEWS, forest, o), { nodeid: "n0" }],
  ["toggleNode", "nodeId", (o) => toggleNode(NO_VIEWS, forest, o), { nodeid: "n0" }],
  ["expandAll", "rootNodeId", (o) => expandAll(NO_VIEWS, forest, o), { rootnodeId: "n0" }],
  ["collapseAll", "rootNodeId", (o) => collapseAll(NO_VIEWS, forest, o), { rootnodeId: "n0" }],
  [
    "setExpansionRecursive",
    "maxDepth",
    (o) => setExpansionRecursive(NO_VIEWS, forest, o),
    { nodeId: "n0", expanded: true, maxdepth: 1 },
  ],
  ["setFilters", "included", (o) => setFilters(NO_VIEWS, o), { include: ["a"] }],
  ["bookmark", "label", (o) => bookmark(NO_VIEWS, forest, o), { nodeId: "n0", lable: "x" }],
  ["removeBookmark", "label", (o) => removeBookmark(NO_VIEWS, o), { lable: "x" }],
  ["getPath", "nodeId", (o) => getPath(forest, o), { nodeid: "n0" }],
  ["getCommonAncestor", "nodeIds", (o) => getCommonAncestor(forest, o), { nodeids: ["n0"] }],
  [
    "exportView",
    "includeViewRoot",
    (o) => exportView({ forest }, o),
    { rootNodeId: "n0", includeViewroot: true },
  ],
  [
    "exportSubtree",
    "includeViewRoot",
    (o) => exportSubtree({ forest }, o),
    { nodeId: "n0", includeviewroot: true },
  ],
  ["importView", "viewJson", (o) => importView(forest, NO_VIEWS, o), { viewjson: {} }],
  ["importMerge", "matchBy", (o) => importMerge(forest, o), { json: {}, matchby: "path" }],
  [
    "importTreeSteps",
    "payloadTypes",
    (o) => runNow(importTreeSteps(forest, o)),
    { json: {}, payloadType: {} },
  ],
  ["importJsonSteps", "name", (o) => runNow(importJsonSteps(forest, o)), { json: {}, nam: "p" }],
  ["importMarkdownSteps", "name", (o) => runNow(importMarkdownSteps(forest, o)), { text: "", nam: "p" }],
  ["importListingSteps", "entries", (o) => runNow(importListingSteps(forest, o)), { entrys: [], name: "p" }],
  ["validateTree", "rootNodeId", (o) => validateTree(forest, ruleset, o), { rootNode: "n0" }],
  ["lintPayload", "nodeId", (o) => lintPayload(forest, ruleset, o), { nodeid: "n0" }],
  ["diffSubtree", "aId", (o) => diffSubtree(forest, o), { aID: "n0", bId: "n0" }],
  ["selectNodes", "limit", (o) => selectNodes({ forest }, o), { queryDsl: "*", limt: 1 }],
  ["getNode", "nodeId", (o) => getNode({ forest }, o), { nodeid: "n0" }],
  ["moveNode", "newParentId", (o) => moveNode(forest, o), { nodeId: "n1", newParent: "n0" }],
  [
    "sortChildren",
    "direction",
    (o) => sortChildren(forest, o),
    { parentId: "n0", byProp: "n", directin: "desc" },
  ],
  ["search", "limit", (o) => search({ forest }, o), { filters: [], limt: 1 }],
  ["searchAdvanced", "sortBy", (o) => searchAdvanced({ forest }, o), { predicates: [], sortby: "n" }],
  ["queryByTag", "tree", (o) => queryByTag({ forest }, o), { tag: "x", tre: "t1" }],
  ["removeNode", "nodeId", (o) => removeNode(forest, o), { nodeid: "n0" }],
  [
    "copySubtree",
    "mode",
    (o) => copySubtree(forest, o),
    { sourceId: "n0", targetParentId: "n0", mod: "reference" },
  ],
  [
    "updateNodes",
    "rootNodeId",
    (o) => updateNodes(forest, o),
    { filter: [], patch: { n: 1 }, rootnodeId: "n0" },
  ],
  // The twins: another field is wrong too, so that the name is refused before anything else is read.
  ["searchSteps", "limit", (o) => runNow(searchSteps({ forest }, o)), { filters: 5, limt: 1 }],
  [
    "searchAdvancedSteps",
    "sortBy",
    (o) => runNow(searchAdvancedSteps({ forest }, o)),
    { predicates: 5, sortby: "n" },
  ],
  ["selectNodesSteps", "limit", (o) => runNow(selectNodesSteps({ forest }, o)), { queryDsl: 5, limt: 1 }],
  ["queryByTagSteps", "tree", (o) => runNow(queryByTagSteps({ forest }, o)), { tag: 5, tre: "t1" }],
  ["removeNodeSteps", "nodeId", (o) => runNow(removeNodeSteps(forest, o)), { nodeId: "n9", nodeid: "n0" }],
  [
    "moveNodeSteps",
    "newParentId",
    (o) => runNow(moveNodeSteps(forest, o)),
    { nodeId: "n9", newParent: "n0" },
  ],
  [
    "sortChildrenSteps",
    "direction",
    (o) => runNow(sortChildrenSteps(forest, o)),
    { parentId: "n9", byProp: "n", directin: "desc" },
  ],
  [
    "copySubtreeSteps",
    "mode",
    (o) => runNow(copySubtreeSteps(forest, o)),
    { sourceId: "n9", targetParentId: "n0", mod: "reference" },
  ],
  [
    "updateNodesSteps",
    "rootNodeId",
    (o) => runNow(updateNodesSteps(forest, o)),
    { filter: 5, patch: { n: 1 }, rootnodeId: "n0" },
  ],
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
  const inherited: unknown[] = [Object.create(wrong), new Date()];
  for (const none of [null, "x", [], ...inherited]) expect(() => call(none as never)).toThrow(HoldfastError);
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

test("[TEXT-50] an argument of the wrong kind is refused in words", () => {
  const calls: readonly ((none: never) => unknown)[] = [
    (none) => editJsonText(none, []),
    (none) => getValue(none, "$"),
    (none) => getJson(none, "$"),
    (none) => validateJson(none),
    (none) => parseJsonPath(none),
    (none) => compileGlob(none),
    (none) => selectFrom(tree, none),
    (none) => changeTree(tree, none),
    (none) => diffLines(none, bytes),
    (none) => diffLines(bytes, none),
  ];
  for (const call of calls)
    for (const none of [5, null, {}, { length: 1 }])
      expect(refusal(() => call(none as never)).code, String(call)).toBe("invalid_argument");
  expect(refusal(() => getJson('{"a":1}' as never, "$")).message).toContain("memorySource");
  expect(refusal(() => getValue(Buffer.from("{}") as never, "$")).message).toContain("memorySource");
  expect(refusal(() => diffLines("a" as never, "b" as never)).code).toBe("invalid_argument");
});

test("[TEXT-50] text, files and patches of the wrong kind are refused in words", () => {
  const text: readonly ((none: never) => unknown)[] = [
    fromUnifiedDiff,
    parseEdits,
    decodeBase64,
    countLines,
    (none) => cutText(none, 3),
    (none) => hunksOf(bytes, none),
    (none) => createPatch(none, {}),
    (none) => placeEdits({ format: "whole_file", files: [], sources: [] } as never, none),
    describeReport,
    buildTreeFromMarkdown,
    resolveLimits,
  ];
  for (const call of text)
    for (const none of [5, null, 10n, Symbol("x"), [null]])
      expect(refusal(() => call(none as never)).code, String(call)).toBe("invalid_argument");
  expect(refusal(() => parsePatch(10n)).code).toBe("invalid_argument");
  expect(refusal(() => createPatch({ a: 5 } as never, {})).message).toContain(
    'neither text nor bytes for "a"',
  );
  expect(refusal(() => getNode(undefined as never, { nodeId: "n0" })).code).toBe("invalid_argument");
});

test("[TEXT-50] bytes, sources and splices of the wrong kind are refused in words", () => {
  const calls: readonly ((none: never) => unknown)[] = [
    (none) => applySplices(none, []),
    (none) => applySplices("abc", none),
    (none) => bytesSource(none),
    (none) => readAll(none, 9),
    (none) => readBytes(none, 0, 2),
    (none) => [...windowsOf(none)],
    decodeText,
    firstBadUtf8,
    encodeBase64,
    countChars,
    encodeText,
    isUnifiedDiff,
    editFormatOf,
  ];
  for (const call of calls)
    for (const none of [5, null, undefined, {}, Symbol("x"), new ArrayBuffer(1)])
      expect(refusal(() => call(none as never)).code, String(call)).toBe("invalid_argument");
  for (const call of calls.slice(2, 6))
    expect(refusal(() => call("abc" as never)).code).toBe("invalid_argument");
  expect(refusal(() => readAll(bytes as never, 9)).message).toContain("bytesSource");
});

test("[CALL-29] options that throw when they are read are refused", async () => {
  const thrower = new Proxy(
    {},
    {
      get() {
        throw new Error("trap");
      },
    },
  );
  expect(refusal(() => defineTool(thrower as never)).reason).toBe("bad_options");
  await expect(openSession(thrower as never)).rejects.toMatchObject({ reason: "bad_options" });
});

test("[TEXT-50] what tree/operations are given is refused in words where it is of the wrong kind, or not there", () => {
  const calls: Record<string, readonly [call: (input: never) => unknown, input: object]> = {
    addChild: [(input) => addChild(forest, input), { parentNodeId: "n0", payloadProps: { a: 1 } }],
    removeNode: [(input) => removeNode(forest, input), { nodeId: "n1" }],
    moveNode: [(input) => moveNode(forest, input), { nodeId: "n1", newParentId: "n0" }],
    sortChildren: [(input) => sortChildren(forest, input), { parentId: "n0", byProp: "prio" }],
    copySubtree: [(input) => copySubtree(forest, input), { sourceId: "n1", targetParentId: "n0" }],
    updateNodes: [(input) => updateNodes(forest, input), { filter: [], patch: { a: 1 } }],
    search: [(input) => search({ forest }, input), { filters: [], rootNodeId: "n0", tree: "t1", limit: 5 }],
    searchAdvanced: [
      (input) => searchAdvanced({ forest }, input),
      { predicates: [], rootId: "n0", limit: 5 },
    ],
    selectNodes: [(input) => selectNodes({ forest }, input), { queryDsl: "*", rootNodeId: "n0", limit: 5 }],
    queryByTag: [(input) => queryByTag({ forest }, input), { tag: "x", rootNodeId: "n0", tree: "t1" }],
    getNode: [(input) => getNode({ forest }, input), { nodeId: "n0" }],
    listChildren: [(input) => listChildren({ forest }, input), { nodeId: "n0", limit: 5 }],
  };
  for (const [name, [call, input]] of Object.entries(calls)) {
    for (const none of [undefined, null, 5, "n0", []])
      expect(refusal(() => call(none as never)).code, `${name} of ${String(none)}`).toBe("invalid_argument");
    for (const field of Object.keys(input))
      for (const none of [5, 10n, {}, Symbol("n0")])
        try {
          call({ ...input, [field]: none } as never);
        } catch (error) {
          expect(HoldfastError.is(error), `${name} with ${field} ${typeof none}: ${String(error)}`).toBe(
            true,
          );
        }
  }
});

test("[TREE-98] a change is of one kind, with the fields of that kind", () => {
  const wrong = [
    { op: "grow" },
    {},
    { op: "move", node: "n1", parent: "n0", before: "n1" },
    { op: "move", node: "n1" },
  ];
  for (const change of wrong)
    expect(refusal(() => changeTree(tree, [change as never])).reason).toBe("bad_change");
});

test("[TREE-99] -0 in a payload is 0, before and after it was written", () => {
  const made = createTree(EMPTY_FOREST, { payloadProps: { z: -0, list: [-0, 1] } }).forest;
  const read = decodeSync(encode(made));
  for (const one of [made, read])
    expect(getNode({ forest: one }, { nodeId: "n0" })["Payload"]).toStrictEqual({ z: 0, list: [0, 1] });
  expect(sameForest(made, read)).toBe(true);
});
