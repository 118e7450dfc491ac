// Owns: the conditions of search, search_advanced and update_nodes: checked once, then run per node without recursion.
// Must never: match a node that lacks the property, or a null, with a comparison.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { showValue } from "../text/show.ts";
import type { Json } from "../value.ts";
import { isObject } from "./payload.ts";
import { propertyReader, type ReadProperty } from "./property.ts";
import type { NodeRecords } from "./tree.ts";

/** How a filter compares: text without case, numbers as numbers; `between` includes both ends. */
export type PredicateOp = "eq" | "contains" | "gt" | "lt" | "between";

const PREDICATE_OPS: readonly PredicateOp[] = ["eq", "contains", "gt", "lt", "between"];

/** One condition. `between` includes both ends: value and value2. */
export interface Predicate {
  /** The property. */
  readonly path: string;
  /** How to compare. */
  readonly op: PredicateOp;
  /** What to compare with. */
  readonly value?: Json;
  /** The other end of a range. */
  readonly value2?: Json;
}

/** Conditions joined by `and` (the default) or `or`; groups may hold groups. An empty group holds for every node. */
export interface PredicateGroup {
  /** Whether all must hold or one; all when left out. */
  readonly op?: "and" | "or";
  /** Comparisons. */
  readonly predicates?: readonly Predicate[];
  /** Groups inside the group. */
  readonly groups?: readonly PredicateGroup[];
}

/** What a search takes: a list (all must hold) or a group. */
export type NodeFilter = readonly Predicate[] | PredicateGroup;

/** True when the node meets the filter. */
export type NodeTest = (nodes: NodeRecords, slot: number) => boolean;

/** Groups inside groups. */
const NESTING = 32;

type Instruction =
  | { readonly do: "test"; readonly test: NodeTest }
  | { readonly do: "join"; readonly count: number; readonly any: boolean };

/**
 * A filter as a test. Throws `invalid_argument` / `bad_filter` with every problem and where it is.
 *
 * Text is compared without case; text that reads as a number is compared as one where the property is a number.
 * O(filter).
 *
 * @example const isHot = compileNodeFilter([{ path: "prio", op: "gt", value: 5 }]);
 */
export function compileNodeFilter(filter: unknown, limits: Limits = DEFAULT_LIMITS): NodeTest {
  const problems: Shown[] = [];
  const program: Instruction[] = [];
  const rootGroup: unknown = Array.isArray(filter) ? { predicates: filter } : filter;
  let count = 0;
  // Post-order without recursion: a group is met twice, first to queue its parts, then to join them.
  const stack: { group: unknown; where: Shown; depth: number; parts: number }[] = [
    { group: rootGroup, where: say`filter`, depth: 0, parts: -1 },
  ];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1] as (typeof stack)[number];
    if (frame.parts >= 0) {
      stack.pop();
      program.push({ do: "join", count: frame.parts, any: (frame.group as PredicateGroup).op === "or" });
      continue;
    }
    if (!isObject(frame.group)) {
      problems.push(say`${frame.where} must be a group { op, predicates, groups } or a list of predicates`);
      break;
    }
    const { op, predicates = [], groups = [], ...rest } = frame.group as { [key: string]: unknown };
    for (const key of Object.keys(rest)) problems.push(say`${frame.where}: unknown key ${echo(key)}`);
    if (op !== undefined && op !== null && op !== "and" && op !== "or")
      problems.push(say`${frame.where}.op must be "and" or "or"`);
    if (!Array.isArray(predicates) || !Array.isArray(groups)) {
      problems.push(say`${frame.where}: predicates and groups must be lists`);
      break;
    }
    if (frame.depth > NESTING) {
      problems.push(say`groups are nested deeper than ${NESTING}`);
      break;
    }
    count += predicates.length + groups.length;
    if (count > limits.batchItems) {
      problems.push(say`more than ${limits.batchItems} conditions`);
      break;
    }
    for (const [i, predicate] of (predicates as readonly unknown[]).entries()) {
      const test = compilePredicate(predicate, say`${frame.where}[${i}]`, problems);
      program.push({ do: "test", test });
    }
    frame.parts = predicates.length + groups.length;
    for (let i = groups.length - 1; i >= 0; i--)
      stack.push({
        group: (groups as readonly unknown[])[i],
        where: say`${frame.where}.groups[${i}]`,
        depth: frame.depth + 1,
        parts: -1,
      });
  }
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_filter",
      say`Filter refused: ${sayAll(problems.slice(0, 20), "; ")}. A predicate is { path, op: ${sayAll(
        PREDICATE_OPS.map((name) => name as unknown as Shown),
        " | ",
      )}, value, value2 for between }.`,
    );
  return run(program);
}

function run(program: readonly Instruction[]): NodeTest {
  const only = program[0];
  if (program.length === 2 && only?.do === "test") return only.test;
  return (nodes, slot) => {
    const stack: boolean[] = [];
    for (const step of program) {
      if (step.do === "test") {
        stack.push(step.test(nodes, slot));
        continue;
      }
      const parts = step.count === 0 ? [] : stack.splice(-step.count);
      stack.push(step.any && parts.length > 0 ? parts.includes(true) : !parts.includes(false));
    }
    return stack[0] as boolean;
  };
}

function compilePredicate(predicate: unknown, where: Shown, problems: Shown[]): NodeTest {
  const never: NodeTest = () => false;
  if (!isObject(predicate)) {
    problems.push(say`${where} must be an object`);
    return never;
  }
  const { path, op, value, value2, ...rest } = predicate as { [key: string]: unknown };
  for (const key of Object.keys(rest)) problems.push(say`${where}: unknown key ${echo(key)}`);
  if (typeof path !== "string" || path === "") problems.push(say`${where}.path must be text`);
  if (!PREDICATE_OPS.includes(op as PredicateOp)) {
    problems.push(
      say`${where}.op must be one of ${sayAll(PREDICATE_OPS.map((name) => name as unknown as Shown))}${op === undefined ? say`` : say`, not ${showValue(op as Json)}`}`,
    );
    return never;
  }
  if (value === undefined) problems.push(say`${where}.value is missing`);
  if (op === "between" && value2 === undefined) problems.push(say`${where}.value2 is missing`);
  const read = propertyReader(String(path));
  switch (op as PredicateOp) {
    case "eq":
      return compileEq(read, value as Json);
    case "contains":
      return compileContains(read, value as Json);
    case "gt":
      return compileCompare(read, value as Json, (sign) => sign > 0);
    case "lt":
      return compileCompare(read, value as Json, (sign) => sign < 0);
    case "between": {
      const low = compileCompare(read, value as Json, (sign) => sign >= 0);
      const high = compileCompare(read, value2 as Json, (sign) => sign <= 0);
      return (nodes, slot) => low(nodes, slot) && high(nodes, slot);
    }
  }
}

/** The number a text reads as; NaN for any other text. */
function numberIn(value: Json | undefined): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}

/** Equality as search means it, prepared for one wanted value. */
function equals(wanted: Json): (value: Json) => boolean {
  const text = typeof wanted === "string" ? wanted.toLowerCase() : undefined;
  const number = numberIn(wanted);
  return (value) => {
    if (typeof value === "string") return text !== undefined && value.toLowerCase() === text;
    if (typeof value === "number") return value === number;
    if (typeof value === "boolean") return value === wanted || String(value) === text;
    return value === null && wanted === null;
  };
}

function compileEq(read: ReadProperty, wanted: Json): NodeTest {
  const equal = equals(wanted);
  return (nodes, slot) => {
    const value = read(nodes, slot);
    return value !== undefined && value !== null && equal(value);
  };
}

function compileContains(read: ReadProperty, wanted: Json): NodeTest {
  const text = (typeof wanted === "string" ? wanted : JSON.stringify(wanted)).toLowerCase();
  const equal = equals(wanted);
  return (nodes, slot) => {
    const value = read(nodes, slot);
    if (typeof value === "string") return value.toLowerCase().includes(text);
    if (typeof value === "number" || typeof value === "boolean") return String(value).includes(text);
    return Array.isArray(value) && (value as readonly Json[]).some(equal);
  };
}

function compileCompare(read: ReadProperty, wanted: Json, holds: (sign: number) => boolean): NodeTest {
  const text = typeof wanted === "string" ? wanted.toLowerCase() : undefined;
  const number = numberIn(wanted);
  return (nodes, slot) => {
    const value = read(nodes, slot);
    if (typeof value === "number") return !Number.isNaN(number) && holds(value - number);
    if (typeof value !== "string" || text === undefined) return false;
    const own = value.toLowerCase();
    return holds(own < text ? -1 : own > text ? 1 : 0);
  };
}
