// Owns: the part of a filter that a scanner can judge while it comes by the records: one member against a literal.
// Must never: let a prefilter leave out what the filter would select. It may decide less than the filter, never differently.

import type { Prefilter } from "../scan/rows.ts";
import { NONE, writeName } from "../scan/scanner.ts";
import type { ComparisonOp, Literal, LogicalExpr, ValueExpr } from "./ast.ts";

/** The operator that says the same with the sides exchanged. */
export const MIRRORED: Readonly<Record<ComparisonOp, ComparisonOp>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
};

/** Outcomes that pass, as in {@link Prefilter}: 1 less, 2 equal, 4 greater, 8 not comparable. */
const PASSING: Readonly<Record<ComparisonOp, number>> = {
  "==": 2,
  "!=": 1 | 4 | 8,
  "<": 1,
  "<=": 1 | 2,
  ">": 4,
  ">=": 4 | 2,
};

/** The prefilter for a test whose members are looked up as `names`: for a comparison, or for the first part of an `&&`. */
export function prefilterOf(test: LogicalExpr, names: readonly string[]): Prefilter | undefined {
  const [first] = test.kind === "and" ? test.parts : [test];
  if (first?.kind !== "compare") return undefined;
  const { op, left, right } = first;
  const final = first === test;
  return comparison(op, left, right, names, final) ?? comparison(MIRRORED[op], right, left, names, final);
}

function comparison(
  op: ComparisonOp,
  side: ValueExpr,
  other: ValueExpr,
  names: readonly string[],
  final: boolean,
): Prefilter | undefined {
  const name = side.kind === "single" ? memberName(side) : undefined;
  if (name === undefined || other.kind !== "literal") return undefined;
  const than = bytesOf(other.value);
  // Texts have an order too, but not one that can be told from their bytes.
  if (than === undefined || (typeof than !== "number" && op !== "==" && op !== "!=")) return undefined;
  return { key: names.indexOf(name), than, passing: PASSING[op], final };
}

function memberName({ query }: ValueExpr & { readonly kind: "single" }): string | undefined {
  const only =
    query.root === "@" && query.segments.length === 1 ? query.segments[0]?.selectors[0] : undefined;
  return only?.kind === "name" ? only.name : undefined;
}

/** What the literal looks like in a document; undefined when it can only be written with escapes. */
function bytesOf(literal: Literal): number | Uint8Array | undefined {
  if (typeof literal === "number") return literal;
  const isText = typeof literal === "string";
  const text = isText ? literal : String(literal);
  const bytes = new Uint8Array(3 * text.length + 2);
  const length = writeName(text, bytes, 1, bytes.length - 1);
  if (length === NONE) return undefined;
  bytes[0] = bytes[length + 1] = 0x22;
  return isText ? bytes.subarray(0, length + 2) : bytes.subarray(1, length + 1);
}
