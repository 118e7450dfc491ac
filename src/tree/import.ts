// Owns: trees built from documents: tree JSON, view JSON, any JSON value, a directory listing.

import { HoldfastError, say } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import { ForestEdit, RowBatch, type Caller, type Changed } from "./_forest-edit.ts";
import { IdChooser, type Renamed } from "./_id-chooser.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { takeText } from "./_target.ts";
import {
  isSavedTree,
  parseDocument,
  readJsonValue,
  readListing,
  readNodes,
  unwrapped,
  type DocumentNode,
  type ListedFile,
} from "./document.ts";
import type { Forest } from "./forest.ts";
import { readMarkdownSteps } from "./markdown.ts";
import { parseNodeId, treeIdOf } from "./node-id.ts";
import { checkNodePayload, takePayloadTypes } from "./payload-types.ts";
import { nodeName } from "./payload.ts";
import { NODES_PER_STEP, STEP, type Steps } from "./steps.ts";

/** A tree that was made from a document; `renamed` lists ids that could not be given. */
export interface Created {
  /** Its id. */
  readonly tree: string;
  /** Its root. */
  readonly rootNodeId: string;
  /** How many nodes it has. */
  readonly nodes: number;
  /** Ids that were taken and were given anew. */
  readonly renamed: readonly Renamed[];
}

const DEFAULT_TYPE = "Node";

/** A new tree from a list of nodes. */
export function* createFromNodes(
  forest: Forest,
  nodes: readonly DocumentNode[],
  input: { readonly name?: string; readonly payloadTypes?: unknown },
  caller: Caller = {},
): Steps<Changed<Created>> {
  const edit = new ForestEdit(forest, caller);
  const { limits } = edit;
  const types = takePayloadTypes(input.payloadTypes, limits);
  if (forest.trees.length >= limits.treeCount)
    throw new HoldfastError("invalid_argument", "too_many_trees", say`At most ${limits.treeCount} trees.`);
  for (const [i, node] of nodes.entries()) {
    checkNodePayload(types, node.type ?? DEFAULT_TYPE, node.payload);
    if (i % NODES_PER_STEP === 0) yield;
  }
  yield* refuseTypesSteps(nodes, limits.treeTypes);
  const ordinal = forest.nextOrdinal;
  const tree = treeIdOf(ordinal);
  const first = nodes[0] as DocumentNode;
  const name = takeText(
    input.name ?? nodeName(first.payload)?.slice(0, limits.treeTagLength) ?? tree,
    say`name`,
    limits.treeTagLength,
  );
  // The root has slot 0 whatever its id was; a foreign id stays, `n0` needs none.
  const rootId = first.id;
  const keepRoot =
    rootId !== undefined &&
    parseNodeId(rootId) === undefined &&
    rootId.length <= limits.treeIdLength &&
    isFree(forest, rootId);
  edit.do({
    slice: "tree",
    op: "create",
    tree,
    ordinal,
    name,
    ...(types === undefined ? {} : { types }),
    root: {
      s: ROOT_SLOT,
      u: NO_SLOT,
      t: first.type ?? DEFAULT_TYPE,
      p: first.payload,
      ...(keepRoot ? { id: rootId } : {}),
      ...(first.tags === undefined ? {} : { g: first.tags }),
    },
  });
  const draft = edit.draft(edit.base.tree(tree));
  const chooser = yield* IdChooser.forSteps(edit.base, draft, nodes, 1);
  const rootNodeId = draft.idOf(ROOT_SLOT);
  if (rootId !== undefined && rootId !== rootNodeId) chooser.renamed.push({ from: rootId, to: rootNodeId });
  const batch = new RowBatch(edit, draft);
  const slots: number[] = [ROOT_SLOT];
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i] as DocumentNode;
    const { slot, alias } = chooser.choose(node.id, limits.treeIdLength);
    batch.add(
      slots[node.up] as number,
      {
        t: node.type ?? DEFAULT_TYPE,
        p: node.payload,
        ...(alias === undefined ? {} : { id: alias }),
        ...(node.tags === undefined ? {} : { g: node.tags }),
      },
      slot,
    );
    slots.push(slot);
    if (i % NODES_PER_STEP === 0) yield;
  }
  batch.flush();
  return edit.done({ tree, rootNodeId, nodes: nodes.length, renamed: chooser.renamed });
}

function isFree(forest: Forest, id: string): boolean {
  return ![...forest.all.values()].some((tree) => tree.slotOf(id) !== NO_SLOT);
}

export function* refuseTypesSteps(
  nodes: readonly DocumentNode[],
  max: number,
  known: readonly string[] = [],
): Steps<void> {
  const types = new Set(known);
  for (const [i, node] of nodes.entries()) {
    types.add(node.type ?? DEFAULT_TYPE);
    if (i % STEP === 0) yield;
  }
  if (types.size > max)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_types",
      say`A tree has at most ${max} payload types.`,
    );
}

/**
 * A new tree from tree JSON, view JSON or a saved tree, whose payload types it keeps unless others are given.
 * O(document). Throws `bad_json`, `not_a_node`, `cycle`, `too_deep`, `too_many_nodes`, `too_many_types`,
 * `too_many_trees`, `guarded_property`, and what the payload types refuse; then there is no new tree.
 *
 * @example const { result } = await runPaced(importTreeSteps(forest, { json: JSON.parse(text) }));
 */
export function* importTreeSteps(
  forest: Forest,
  input: { readonly json: unknown; readonly name?: string; readonly payloadTypes?: unknown },
  caller: Caller = {},
): Steps<Changed<Created>> {
  checkFieldNames(say`importTree`, input, { json: true, name: true, payloadTypes: true });
  const document = parseDocument(input.json, say`json`);
  const nodes = yield* readNodes(unwrapped(document), caller.limits);
  const saved = isSavedTree(document)
    ? {
        payloadTypes: document.PayloadTypes,
        ...(typeof document.Name === "string" ? { name: document.Name } : {}),
      }
    : {};
  return yield* createFromNodes(forest, nodes, { ...saved, ...input }, caller);
}

/**
 * A new tree with one node for each value of a JSON document that was read. O(values). Throws `cycle`, `too_deep`,
 * `too_many_nodes`, `too_many_trees`.
 *
 * @example const { forest: next } = await runPaced(importJsonSteps(forest, { json: { a: [1, 2] }, name: "data" }));
 */
export function* importJsonSteps(
  forest: Forest,
  input: { readonly json: unknown; readonly name: string },
  caller: Caller = {},
): Steps<Changed<Created>> {
  checkFieldNames(say`importJson`, input, { json: true, name: true });
  const nodes = yield* readJsonValue(input.json, input.name, caller.limits);
  return yield* createFromNodes(forest, nodes, { name: input.name }, caller);
}

/**
 * A new tree from a Markdown outline. O(text). Any text can be read: throws only `too_deep`, `too_many_nodes`,
 * `too_many_trees` and `payload_too_large`.
 *
 * @example await runPaced(importMarkdownSteps(forest, { text: "# Plan\n- boxes", name: "plan" }))
 */
export function* importMarkdownSteps(
  forest: Forest,
  input: { readonly text: string; readonly name: string },
  caller: Caller = {},
): Steps<Changed<Created>> {
  checkFieldNames(say`importMarkdown`, input, { text: true, name: true });
  const nodes = yield* readMarkdownSteps(input.text, input.name, caller.limits);
  return yield* createFromNodes(forest, nodes, { name: input.name }, caller);
}

/**
 * A new tree from a directory listing. O(entries). Throws `too_deep`, `too_many_nodes`, `too_many_trees`.
 *
 * @example await runPaced(importListingSteps(forest, { entries: [{ path: "src/a.ts", size: 120 }], name: "files" }))
 */
export function* importListingSteps(
  forest: Forest,
  input: { readonly entries: readonly ListedFile[]; readonly name: string },
  caller: Caller = {},
): Steps<Changed<Created>> {
  checkFieldNames(say`importListing`, input, { entries: true, name: true });
  const nodes = yield* readListing(input.entries, input.name, caller.limits);
  return yield* createFromNodes(forest, nodes, { name: input.name }, caller);
}
