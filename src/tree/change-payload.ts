// Owns: changes of payloads and tags: one property, several, many nodes at once.
// Must never: write a guarded or read-only property, or report success for what was not done.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { checkFieldNames } from "../text/options.ts";
import type { Limits } from "../limits.ts";
import type { Json, JsonObject } from "../value.ts";
import { ForestEdit, type Caller, type Changed } from "./_forest-edit.ts";
import { NO_SLOT, ROOT_SLOT } from "./_page.ts";
import { sharers, takeTexts } from "./_target.ts";
import type { Forest, Found } from "./forest.ts";
import type { PropertyEdit } from "./tree-op.ts";
import { checkProperty, checkWritable, typeNamed } from "./payload-types.ts";
import {
  isGuarded,
  isObject,
  refuseGuarded,
  sameValue,
  takeValue,
  valueBelow,
  withValue,
} from "./payload.ts";
import { compileNodeFilter, type NodeFilter } from "./predicate.ts";
import { runNow, STEP, type Steps } from "./steps.ts";
import type { NodeRecords, Tree } from "./tree.ts";
import { isWithin, BranchWalk } from "./walk.ts";

const slice = "tree";

/** What an update changed. */
export interface Updated {
  /** The node. */
  readonly nodeId: string;
  /** Properties that have another value now. */
  readonly changed: readonly string[];
  /** Other nodes that show the change, because they share the payload. */
  readonly shared?: readonly string[];
}

/**
 * Sets one property. `propertyName` may be a path into objects and lists (`meta.owner`, `items.0`); what lies on the
 * way must exist. O(payload). Throws `not_found`, `no_such_path`, `guarded_property`, `payload_too_large`, what the
 * tree's types refuse (`unknown_property`, `wrong_kind`), and `forbidden` for a property that the caller may not write.
 *
 * @example updatePayloadProperty(forest, { nodeId: "n1", propertyName: "meta.owner", newValue: "ann" }).forest
 */
export function updatePayloadProperty(
  forest: Forest,
  input: { readonly nodeId: string; readonly propertyName: string; readonly newValue: unknown },
  caller: Caller = {},
): Changed<Updated> {
  checkFieldNames(say`updatePayloadProperty`, input, { nodeId: true, propertyName: true, newValue: true });
  if (typeof input.propertyName !== "string" || input.propertyName === "")
    throw new HoldfastError("invalid_argument", "bad_property", say`propertyName must be text.`);
  if (input.newValue === undefined)
    throw new HoldfastError("invalid_argument", "missing_value", say`newValue is missing; null is a value.`);
  return update(forest, input.nodeId, [[input.propertyName, input.newValue]], caller);
}

/**
 * Sets several properties of one node, all or none. O(payload). Throws `bad_patch`, and what {@link
 * updatePayloadProperty} throws.
 *
 * @example updatePayload(forest, { nodeId: "n1", patch: { status: "done", prio: 1 } }).forest
 */
export function updatePayload(
  forest: Forest,
  input: { readonly nodeId: string; readonly patch: unknown },
  caller: Caller = {},
): Changed<Updated> {
  checkFieldNames(say`updatePayload`, input, { nodeId: true, patch: true });
  return update(forest, input.nodeId, takePatch(input.patch), caller);
}

/** What a call wants set: names or paths with their values. */
type Patch = readonly (readonly [name: string, value: unknown])[];

function takePatch(patch: unknown): Patch {
  if (!isObject(patch) || Object.keys(patch).length === 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_patch",
      say`patch must be an object with at least one property.`,
    );
  return Object.entries(patch);
}

function update(forest: Forest, nodeId: string, patch: Patch, caller: Caller): Changed<Updated> {
  const edit = new ForestEdit(forest, caller);
  const found = forest.node(nodeId);
  const { edits, payload } = planEdits(found.tree, found.slot, patch, edit);
  if (edits.length > 0) edit.set(found, edits, payload);
  const shared = sharers(found.tree, found.slot);
  return edit.done({
    nodeId,
    changed: edits.map((one) => one.path.join(".")),
    ...(shared.length === 0 ? {} : { shared }),
  });
}

/** Checks a whole patch and returns the edits that change something, and the payload they lead to. */
function planEdits(
  nodes: NodeRecords,
  slot: number,
  patch: Patch,
  edit: ForestEdit,
): { readonly edits: readonly PropertyEdit[]; readonly payload: JsonObject } {
  const { types } = nodes.facts;
  // The type's name lies in another column of the page: far memory, which is not touched for nothing.
  const typeName = types === undefined ? "" : nodes.typeOf(slot);
  const type = types === undefined ? undefined : typeNamed(types, typeName);
  let payload = nodes.payloadOf(slot);
  const edits: PropertyEdit[] = [];
  for (const [name, given] of patch) {
    const value = takeProperty(name, given, edit.limits);
    const path = stepsTo(payload, name);
    const top = path[0] as string;
    checkWritable(type, top, edit.role);
    if (path.length === 1) checkProperty(type, typeName, top, value);
    const was = valueBelow(payload, path);
    if (was !== undefined && sameValue(was, value)) continue;
    const next = withValue(payload, path, value);
    if (next === undefined) throw noWay(name, payload, path);
    payload = next;
    edits.push({ path, ...(was === undefined ? {} : { was }), now: value });
  }
  if (edits.length > 0) refuseSize(payload, edit.limits);
  return { edits, payload };
}

/** Words for an error are made only when there is one: an edit is a matter of microseconds. */
function takeProperty(name: string, given: unknown, limits: Limits): Json {
  const top = name.split(".", 1)[0] as string;
  if (isGuarded(name) || isGuarded(top))
    refuseGuarded(isGuarded(name) ? name : top, say`Property ${echo(name)}`);
  if (given === null || typeof given === "boolean") return given;
  if (typeof given === "string" && given.length < limits.treePayloadChars) return given;
  return takeValue(given, say`Property ${echo(name)}`, limits);
}

function stepsTo(payload: JsonObject, name: string): readonly string[] {
  return !name.includes(".") || Object.hasOwn(payload, name) ? [name] : name.split(".");
}

function noWay(name: string, payload: JsonObject, path: readonly string[]): HoldfastError {
  let reached = 0;
  while (reached < path.length - 1 && valueBelow(payload, path.slice(0, reached + 1)) !== undefined)
    reached++;
  const stop = path.slice(0, Math.max(1, reached)).join(".");
  return new HoldfastError(
    "invalid_argument",
    "no_such_path",
    say`${echo(name)} cannot be set: ${echo(stop)} is missing, not a container, or too short a list. Set ${echo(path[0] as string)} as a whole.`,
    { data: { property: echo(name) } },
  );
}

/** Refuses a payload that has grown beyond the limit, without writing it out. */
function refuseSize(payload: JsonObject, limits: Limits): void {
  let left = limits.treePayloadChars;
  const stack: (JsonObject | readonly Json[])[] = [payload];
  for (let at = stack.pop(); at !== undefined && left >= 0; at = stack.pop())
    for (const key of Object.keys(at)) {
      const value = (at as JsonObject)[key] as Json;
      left -= key.length + 4;
      if (typeof value === "string") left -= value.length + 2;
      else if (typeof value !== "object" || value === null) left -= 4;
      else stack.push(value);
    }
  if (left < 0)
    throw new HoldfastError(
      "invalid_argument",
      "payload_too_large",
      say`The payload would exceed ${limits.treePayloadChars} characters. Keep large text in a workspace file and its path in the node.`,
      { data: { limit: limits.treePayloadChars } },
    );
}

/** Nodes that a bulk update changes between two pauses. */
const EDITS_A_STEP = 256;

/** One node of a bulk update; `error` says why it failed. */
export interface NodeOutcome {
  /** The node. */
  readonly nodeId: string;
  /** How it went. */
  readonly status: "updated" | "unchanged" | "failed";
  /** Why it was refused. */
  readonly error?: { readonly code: string; readonly reason: string; readonly message: string };
}

/** What became of each node that a filter matched. Failed nodes keep what they had; the others are one change. */
export interface BulkUpdate {
  /** How many nodes met the filter, from where the call began. */
  readonly matched: number;
  /** How many nodes changed. */
  readonly updated: number;
  /** How many nodes were refused. */
  readonly failed: number;
  /** How it went, node by node. */
  readonly nodes: readonly NodeOutcome[];
  /** The last node that was looked at: send it as `pageToken` to update the matches after it. */
  readonly pageToken?: string;
}

/**
 * Applies a patch to every node that meets a filter. One that cannot be updated is reported and the others are
 * updated, all in one commit. At most the batch limit of 500 at once, in document order: beyond it the result has a
 * `pageToken`, with which the next call goes on after the last node. O(nodes). Throws `bad_filter`, `bad_patch`.
 *
 * @example await runPaced(updateNodesSteps(forest, { filter: [{ path: "prio", op: "gt", value: 5 }], patch: { hot: true } }))
 */
export function* updateNodesSteps(
  forest: Forest,
  input: {
    readonly filter: NodeFilter;
    readonly patch: unknown;
    readonly rootNodeId?: string;
    readonly tree?: string;
    readonly pageToken?: string;
  },
  caller: Caller = {},
): Steps<Changed<BulkUpdate>> {
  checkFieldNames(say`updateNodes`, input, {
    filter: true,
    patch: true,
    rootNodeId: true,
    tree: true,
    pageToken: true,
  });
  const edit = new ForestEdit(forest, caller);
  const test = compileNodeFilter(input.filter, edit.limits);
  const patch = takePatch(input.patch);
  const { tree, slot: root }: Found =
    input.rootNodeId === undefined
      ? { tree: forest.tree(input.tree), slot: ROOT_SLOT }
      : forest.node(input.rootNodeId);
  const walk = new BranchWalk(tree, root);
  if (input.pageToken !== undefined) walk.resumeAfter(placeAfter(tree, root, input.pageToken));
  const matches: Found[] = [];
  const max = edit.limits.batchItems;
  let matched = 0;
  for (let seen = 1; walk.next(); seen++) {
    if (test(tree, walk.slot) && ++matched <= max) matches.push({ tree, slot: walk.slot });
    if (seen % STEP === 0) yield;
  }
  const nodes: NodeOutcome[] = [];
  for (const found of matches) {
    const nodeId = found.tree.idOf(found.slot);
    try {
      const { edits, payload } = planEdits(edit.draft(found.tree), found.slot, patch, edit);
      if (edits.length > 0) edit.set(found, edits, payload);
      nodes.push({ nodeId, status: edits.length === 0 ? "unchanged" : "updated" });
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      const { code, reason, message } = error;
      nodes.push({ nodeId, status: "failed", error: { code, reason, message } });
    }
    if (nodes.length % EDITS_A_STEP === 0) yield;
  }
  const count = (status: NodeOutcome["status"]): number =>
    nodes.filter((node) => node.status === status).length;
  const last = nodes.at(-1)?.nodeId;
  return edit.done({
    matched,
    updated: count("updated"),
    failed: count("failed"),
    nodes,
    ...(matched > nodes.length && last !== undefined ? { pageToken: last } : {}),
  });
}

/**
 * As {@link updateNodesSteps}, at once.
 *
 * @example updateNodes(forest, { filter: [{ path: "status", op: "eq", value: "open" }], patch: { status: "done" } })
 */
export function updateNodes(
  forest: Forest,
  input: Parameters<typeof updateNodesSteps>[1],
  caller?: Caller,
): Changed<BulkUpdate> {
  return runNow(updateNodesSteps(forest, input, caller));
}

/** A bulk update goes on after a node by its id: what it changes may change what the filter matches. */
function placeAfter(tree: Tree, root: number, pageToken: string): number {
  const slot = tree.find(pageToken);
  if (slot !== NO_SLOT && isWithin(tree, slot, root)) return slot;
  throw new HoldfastError(
    "invalid_argument",
    "bad_page_token",
    say`${echo(pageToken)} is no node of the branch any more. Start again without a pageToken: nodes that hold the values already are left as they are.`,
  );
}

/**
 * Adds tags to a node, and takes away those in `remove`. Returns the tags it has then. O(tags). Throws `not_found`,
 * `no_tags`, `tag_twice`, `too_many_tags`, `bad_list`, `bad_text`.
 *
 * @example tagNode(forest, { nodeId: "n1", tags: ["urgent"], remove: ["later"] }).result.tags
 */
export function tagNode(
  forest: Forest,
  input: { readonly nodeId: string; readonly tags?: unknown; readonly remove?: unknown },
  caller: Caller = {},
): Changed<{ nodeId: string; tags: readonly string[] }> {
  checkFieldNames(say`tagNode`, input, { nodeId: true, tags: true, remove: true });
  const edit = new ForestEdit(forest, caller);
  const { limits } = edit;
  const found = forest.node(input.nodeId);
  const take = (tags: unknown, what: Shown): string[] =>
    takeTexts(tags, what, limits.treeTagLength, limits.treeTags);
  const wanted = take(input.tags, say`tags`);
  const remove = take(input.remove, say`remove`);
  if (wanted.length + remove.length === 0)
    throw new HoldfastError("invalid_argument", "no_tags", say`Give tags to add, or remove.`);
  const both = wanted.find((tag) => remove.includes(tag));
  if (both !== undefined)
    throw new HoldfastError("invalid_argument", "tag_twice", say`${echo(both)} is in tags and in remove.`);
  const { tree, slot } = found;
  const had = tree.tagsOf(slot);
  const add = wanted.filter((tag) => !had.includes(tag));
  const gone = remove.filter((tag) => had.includes(tag));
  if (had.length + add.length - gone.length > limits.treeTags)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_tags",
      say`A node has at most ${limits.treeTags} tags.`,
    );
  const node = tree.idOf(slot);
  if (add.length + gone.length > 0) edit.do({ slice, op: "tag", tree: tree.id, node, add, remove: gone });
  return edit.done({ nodeId: node, tags: edit.draft(tree).tagsOf(slot) });
}
