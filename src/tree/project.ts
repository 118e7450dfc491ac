// Owns: a node as JSON: which properties show, in tree form and in view form, and cutting what fits no page.
// Must never: let a payload property and a field of the node collide; guarded names keep them apart.

import { wholeCharacters } from "../text/surrogate.ts";
import type { Json, JsonObject } from "../value.ts";
import { setOwn } from "../text/plain-json.ts";
import { isObject } from "./payload.ts";
import type { NodeRecords } from "./tree.ts";
import type { PropertyFilter } from "./view.ts";

/** Paths as a trie: a step leads on, `whole` ends one. */
interface PathTrie {
  whole: boolean;
  readonly next: Map<string, PathTrie>;
}

function trie(paths: readonly string[]): PathTrie {
  const root: PathTrie = { whole: false, next: new Map() };
  for (const path of paths) {
    let at = root;
    for (const step of path.split(".")) {
      let next = at.next.get(step);
      if (next === undefined) {
        next = { whole: false, next: new Map() };
        at.next.set(step, next);
      }
      at = next;
    }
    at.whole = true;
  }
  return root;
}

export type Project = (payload: JsonObject) => JsonObject;

/**
 * A projection: what is equal to or under an included path, without what is equal to or under an excluded one. A step
 * that is no index goes into every element of a list. A property called like a whole path, dots included, counts too.
 */
export function projection(filter: PropertyFilter): Project {
  if (filter.included.length + filter.excluded.length === 0) return (payload) => payload;
  const included = trie(filter.included);
  const excluded = trie(filter.excluded);
  const exactIn = new Set(filter.included.filter((path) => path.includes(".")));
  const exactOut = new Set(filter.excluded.filter((path) => path.includes(".")));
  return (payload) => {
    let shown: JsonObject = payload;
    if (filter.included.length > 0) {
      const part = (partOf(payload, included) ?? {}) as Record<string, Json>;
      for (const key of exactIn) if (Object.hasOwn(payload, key)) setOwn(part, key, payload[key] as Json);
      shown = part;
    }
    if (filter.excluded.length === 0) return shown;
    const left = drop(shown, excluded) as JsonObject;
    if (![...exactOut].some((key) => Object.hasOwn(left, key))) return left;
    return Object.fromEntries(Object.entries(left).filter(([key]) => !exactOut.has(key)));
  };
}

/** What of a value lies on the paths. As deep as the filter's own paths, never as deep as the value. */
function partOf(value: Json, steps: PathTrie): Json | undefined {
  if (steps.whole) return value;
  if (steps.next.size === 0) return undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    (value as readonly Json[]).forEach((item, i) => {
      const part = partOf(item, steps.next.get(String(i)) ?? steps);
      if (part !== undefined && !isEmptyContainer(part, item)) items.push(part);
    });
    return items;
  }
  if (!isObject(value)) return undefined;
  const part: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const next = steps.next.get(key);
    const inner = next === undefined ? undefined : partOf(item, next);
    if (inner !== undefined) setOwn(part, key, inner);
  }
  return part;
}

function isEmptyContainer(part: Json, from: Json): boolean {
  return part !== from && isObject(part) && Object.keys(part).length === 0;
}

function drop(value: Json, steps: PathTrie): Json {
  if (steps.next.size === 0) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    (value as readonly Json[]).forEach((item, i) => {
      const own = steps.next.get(String(i));
      if (own?.whole !== true) items.push(drop(item, own ?? steps));
    });
    return items;
  }
  if (!isObject(value)) return value;
  const left: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value)) {
    const next = steps.next.get(key);
    if (next?.whole !== true) setOwn(left, key, next === undefined ? part : drop(part, next));
  }
  return left;
}

/** A node under construction: fields of the node, then whatever the caller adds. */
export type NodeJson = { [key: string]: Json };

/** NodeId, PayloadType, `Payload` (or the properties inline for a self-payload type), `@tags` when there are any. */
export function treeNode(nodes: NodeRecords, slot: number, project: Project): NodeJson {
  const json: NodeJson = { NodeId: nodes.idOf(slot), PayloadType: nodes.typeOf(slot) };
  const payload = project(nodes.payloadOf(slot));
  if (isSelf(nodes, slot)) for (const [key, value] of Object.entries(payload)) setOwn(json, key, value);
  else json["Payload"] = payload;
  return withTags(json, nodes, slot);
}

/** Whether a node is its own payload. */
function isSelf(nodes: NodeRecords, slot: number): boolean {
  const { types } = nodes.facts;
  const name = nodes.typeOf(slot);
  return types !== undefined && Object.hasOwn(types, name) && types[name]?.self === true;
}

/** NodeId, PayloadType, the properties inline, `@tags`, IsExpanded, ChildrenCount. */
export function viewNode(nodes: NodeRecords, slot: number, project: Project, expanded: boolean): NodeJson {
  const json: NodeJson = { NodeId: nodes.idOf(slot), PayloadType: nodes.typeOf(slot) };
  for (const [key, value] of Object.entries(project(nodes.payloadOf(slot)))) setOwn(json, key, value);
  withTags(json, nodes, slot);
  json["IsExpanded"] = expanded;
  json["ChildrenCount"] = nodes.countOf(slot);
  return json;
}

function withTags(json: NodeJson, nodes: NodeRecords, slot: number): NodeJson {
  const tags = nodes.tagsOf(slot);
  if (tags.length > 0) json["@tags"] = tags;
  return json;
}

/** A value that was cut because no page can hold it. */
export interface CutValue {
  /** The node. */
  readonly nodeId: string;
  /** The property that is shown cut. */
  readonly path: string;
  /** Characters of the whole value; one that is no string is its JSON text. */
  readonly characters: number;
  /** Where the rest begins: `valueOffset` of getSubtree. */
  readonly next: number;
}

/** Fields of a node that are never cut. */
const FIXED: ReadonlySet<string> = new Set([
  "NodeId",
  "PayloadType",
  "IsExpanded",
  "ChildrenCount",
  "Children",
]);

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Shows of each value its text from `offset` on: the rest of what {@link cutToFit} cut. */
export function fromOffset(project: Project, offset: number): Project {
  if (offset === 0) return project;
  return (payload) => {
    const rest: Record<string, Json> = {};
    for (const [key, value] of Object.entries(project(payload)))
      setOwn(rest, key, textOf(value).slice(offset));
    return rest;
  };
}

/** The longest beginning of a text, about, that takes at most `room` characters as JSON. */
function headWithin(text: string, room: number): string {
  let head = wholeCharacters(text, room);
  for (;;) {
    const size = JSON.stringify(head).length - 2;
    if (size <= room) return head;
    head = wholeCharacters(head, Math.floor((head.length * room) / size));
  }
}

/**
 * Cuts the largest values of a node until it fits; each cut is said in the value and listed. The values begin at
 * `offset` of the whole ones. O(characters of the node). Never throws.
 *
 * @example cutToFit(json, "n1", 2_000).cut  // what was cut, and by how much
 */
export function cutToFit(
  json: NodeJson,
  nodeId: string,
  budget: number,
  offset = 0,
): { json: NodeJson; cut: CutValue[] } {
  const cut = new Map<string, CutValue>();
  const note = (path: string, text: string, shown: number): void => {
    cut.set(path, { nodeId, path, characters: offset + text.length, next: offset + shown });
  };
  const inner = isObject(json["Payload"]) ? json["Payload"] : json;
  const sizes = Object.entries(inner)
    .map(([key, value]) => ({ key, value, size: JSON.stringify(value).length }))
    .sort((a, b) => b.size - a.size);
  let over = JSON.stringify(json).length - budget;
  const copy: NodeJson = { ...inner };
  for (const { key, value, size } of sizes) {
    if (over <= 0 || size < 120) break;
    const room = Math.max(40, size - over - 60);
    const text = textOf(value);
    const head = headWithin(text, room);
    setOwn(copy, key, `${head}... [${text.length - head.length} more characters]`);
    note(key, text, head.length);
    over -= size - room - 60;
  }
  // Very many small values: the last ones go, each listed.
  for (const key of Object.keys(copy).reverse()) {
    if (over <= 0) break;
    if (inner === json && FIXED.has(key)) continue;
    const size = JSON.stringify(copy[key]).length;
    delete copy[key];
    note(key, textOf(inner[key] as Json), 0);
    over -= size + key.length + 4;
  }
  return { json: inner === json ? copy : { ...json, Payload: copy }, cut: [...cut.values()] };
}
