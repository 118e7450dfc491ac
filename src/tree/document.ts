// Owns: reading documents from outside as a flat list of nodes: tree JSON, view JSON, any JSON value, a directory listing.
// Must never: recurse, trust a shape, or go on past a limit.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Json, JsonObject } from "../value.ts";
import { takeTexts } from "./_target.ts";
import { setOwn } from "../text/plain-json.ts";
import { isObject, takePayload } from "./payload.ts";
import { NODES_PER_STEP, type Steps } from "./steps.ts";

/** A node of a document; `up` is its parent's place in the list, -1 for the first. Parents come first. */
export interface DocumentNode {
  readonly up: number;
  readonly id?: string;
  readonly type?: string;
  readonly payload: JsonObject;
  readonly tags?: readonly string[];
  readonly expanded?: boolean;
}

const NODE_FIELDS = new Set([
  "NodeId",
  "PayloadType",
  "Children",
  "IsExpanded",
  "ChildrenCount",
  "@tags",
  "@continued",
]);

/** Text as JSON, or the value itself. */
export function parseDocument(json: unknown, what: Shown): unknown {
  if (typeof json !== "string") return json;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new HoldfastError(
      "invalid_argument",
      "bad_json",
      say`${what} is text that is not JSON. Send the object itself, or JSON text with every quote, comma and bracket.`,
    );
  }
}

/** The node in a view document (`View`) or in a saved tree (`Tree` beside its `PayloadTypes`); else the document. */
export function unwrapped(document: unknown): unknown {
  if (!isObject(document)) return document;
  if (isObject(document["View"])) return document["View"];
  return isSavedTree(document) ? document["Tree"] : document;
}

/** A tree as it is saved in a file. */
export interface SavedTree {
  /** Its root with everything below. */
  readonly Tree: Json;
  /** The types that payloads may have. */
  readonly PayloadTypes: Json;
  /** Its name. */
  readonly Name?: unknown;
}

/**
 * A tree with declared types is saved with them: `{ Name, PayloadTypes, Tree }`. O(1). Never throws.
 *
 * @example if (isSavedTree(document)) document.PayloadTypes;
 */
export function isSavedTree(document: unknown): document is SavedTree {
  return isObject(document) && isObject(document["Tree"]) && isObject(document["PayloadTypes"]);
}

interface Open {
  readonly source: object;
  readonly children: readonly unknown[];
  readonly place: number;
  at: number;
}

/** A walk over nested sources that notices cycles, depth and number. */
class Descent {
  readonly #limits: Limits;
  readonly #open = new Set<object>();
  readonly stack: Open[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  enter(source: object, children: readonly unknown[], place: number): void {
    if (this.#open.has(source))
      throw new HoldfastError(
        "invalid_argument",
        "cycle",
        say`The document contains itself. Send plain JSON.`,
      );
    if (this.stack.length >= this.#limits.treeDepth)
      throw new HoldfastError(
        "invalid_argument",
        "too_deep",
        say`The document is nested deeper than ${this.#limits.treeDepth} levels, the most a tree has. Split it, or import a part.`,
        { data: { limit: this.#limits.treeDepth } },
      );
    this.#open.add(source);
    this.stack.push({ source, children, place, at: 0 });
  }

  leave(): void {
    const done = this.stack.pop();
    if (done !== undefined) this.#open.delete(done.source);
  }

  refuseNumber(nodes: number): void {
    if (nodes >= this.#limits.treeNodes)
      throw new HoldfastError(
        "invalid_argument",
        "too_many_nodes",
        say`The document has more than ${this.#limits.treeNodes} nodes, the most a tree holds.`,
      );
  }
}

/** Nodes of tree JSON or view JSON, in document order. */
export function* readNodes(json: unknown, limits: Limits = DEFAULT_LIMITS): Steps<DocumentNode[]> {
  const nodes: DocumentNode[] = [];
  const descent = new Descent(limits);
  const take = (source: unknown, up: number): void => {
    const where = say`Node ${nodes.length + 1} of the document`;
    if (!isNode(source))
      throw new HoldfastError(
        "invalid_argument",
        "not_a_node",
        say`${where} is no node: an object with at least one of NodeId, PayloadType, Payload and Children. create_tree makes a tree of any JSON file, buildTreeFromJson of any JSON value.`,
      );
    descent.refuseNumber(nodes.length);
    const children = source["Children"] ?? [];
    if (!Array.isArray(children))
      throw new HoldfastError("invalid_argument", "not_a_node", say`${where}: Children must be a list.`);
    const place = nodes.length;
    nodes.push(takeNode(source, up, where, limits));
    descent.enter(source, children as readonly unknown[], place);
  };
  take(json, -1);
  while (descent.stack.length > 0) {
    const open = descent.stack[descent.stack.length - 1] as Open;
    if (open.at >= open.children.length) descent.leave();
    else take(open.children[open.at++], open.place);
    if (nodes.length % NODES_PER_STEP === 0) yield;
  }
  return nodes;
}

/** Any one of a node's own fields makes it one; an object of properties alone could be anything. */
function isNode(source: unknown): source is JsonObject {
  return isObject(source) && SIGNS.some((field) => Object.hasOwn(source, field));
}

const SIGNS: readonly string[] = ["NodeId", "PayloadType", "Payload", "Children"];

function takeNode(source: JsonObject, up: number, where: Shown, limits: Limits): DocumentNode {
  const id = source["NodeId"];
  const type = source["PayloadType"];
  if (id !== undefined && id !== null && typeof id !== "string")
    throw new HoldfastError("invalid_argument", "not_a_node", say`${where}: NodeId must be text.`);
  if (
    type !== undefined &&
    type !== null &&
    (typeof type !== "string" || type === "" || type.length > limits.treeTagLength)
  )
    throw new HoldfastError(
      "invalid_argument",
      "not_a_node",
      say`${where}: PayloadType must be text of at most ${limits.treeTagLength} characters.`,
    );
  // A view has its properties inline and always IsExpanded, so that a property called Payload is not mistaken.
  const outside = source["IsExpanded"] === undefined && isObject(source["Payload"]);
  const tags = takeTexts(source["@tags"], say`${where}: @tags`, limits.treeTagLength, limits.treeTags);
  const expanded = source["IsExpanded"];
  return {
    up,
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof type === "string" ? { type } : {}),
    payload: takePayload(outside ? source["Payload"] : inline(source), where, limits),
    ...(tags.length === 0 ? {} : { tags: Object.freeze(tags.sort()) }),
    ...(typeof expanded === "boolean" ? { expanded } : {}),
  };
}

function inline(source: JsonObject): JsonObject {
  const payload: Record<string, Json> = {};
  for (const [key, value] of Object.entries(source)) if (!NODE_FIELDS.has(key)) setOwn(payload, key, value);
  return payload;
}

/**
 * One node for each value of any JSON document. Objects and lists are nodes with children, in order; a key or index is
 * the payload's `name`, a scalar its `value`.
 */
export function* readJsonValue(
  json: unknown,
  name: string,
  limits: Limits = DEFAULT_LIMITS,
): Steps<DocumentNode[]> {
  const nodes: DocumentNode[] = [];
  const descent = new Descent(limits);
  const take = (key: string | number, value: unknown, up: number): void => {
    descent.refuseNumber(nodes.length);
    const place = nodes.length;
    const where = say`Value ${place + 1} of the document`;
    if (typeof value === "object" && value !== null) {
      const list = Array.isArray(value);
      nodes.push({ up, type: list ? "Array" : "Object", payload: Object.freeze({ name: key }) });
      const parts = list ? [...(value as readonly unknown[]).entries()] : Object.entries(value);
      descent.enter(value, parts, place);
      return;
    }
    const type = value === null ? "Null" : (KIND_NAMES[typeof value] ?? "");
    nodes.push({ up, type, payload: takePayload({ name: key, value }, where, limits) });
  };
  take(name, json, -1);
  while (descent.stack.length > 0) {
    const open = descent.stack[descent.stack.length - 1] as Open;
    if (open.at >= open.children.length) descent.leave();
    else {
      const [key, value] = open.children[open.at++] as [string | number, unknown];
      take(key, value, open.place);
    }
    if (nodes.length % NODES_PER_STEP === 0) yield;
  }
  return nodes;
}

const KIND_NAMES: { readonly [kind: string]: string } = {
  string: "String",
  number: "Number",
  boolean: "Boolean",
};

/** An entry of a directory listing. More properties (size, version) go into the payload. */
export interface ListedFile {
  /** Where it is; its folders become nodes. */
  readonly path: string;
  /** What it is; a file when left out. */
  readonly kind?: "file" | "directory";
  /** What else is known of it becomes properties of its node. */
  readonly [property: string]: Json | undefined;
}

/** One node for each directory and file, in the order of first mention. */
export function* readListing(
  entries: readonly ListedFile[],
  name: string,
  limits: Limits = DEFAULT_LIMITS,
): Steps<DocumentNode[]> {
  const nodes: DocumentNode[] = [{ up: -1, type: "Directory", payload: Object.freeze({ name, path: "" }) }];
  const known = new Map<string, number>([["", 0]]);
  for (const entry of entries) {
    const segments = entry.path.split("/").filter((segment) => segment !== "");
    let path = "";
    let up = 0;
    for (const [i, segment] of segments.entries()) {
      path = path === "" ? segment : `${path}/${segment}`;
      const is = known.get(path);
      if (is !== undefined) {
        up = is;
        continue;
      }
      const file = i === segments.length - 1 && entry.kind !== "directory";
      const { path: _path, kind: _kind, ...rest } = entry;
      const payload = takePayload(
        { name: segment, path, ...(i === segments.length - 1 ? rest : {}) },
        say`Entry ${echo(entry.path)}`,
        limits,
      );
      nodes.push({ up, type: file ? "File" : "Directory", payload });
      up = nodes.length - 1;
      known.set(path, up);
      if (nodes.length % NODES_PER_STEP === 0) yield;
    }
  }
  return nodes;
}
