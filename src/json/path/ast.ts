// Owns: the shape of a parsed JSONPath query (RFC 9535). Holds types only.

import type { Shown } from "../../errors.ts";

/** One step of a location: a member name, or an index (negative counts from the end). */
/** A path as callers give it: text, parsed before, or its steps: `"$.users[0]"`, `["users", 0]`. */
export type GivenPath = string | JsonPath | readonly JsonPathStep[];

/** One step of a path to one place: a key, or an index. */
export type JsonPathStep = string | number;

/** What one selector of a JSONPath picks. */
export type PathSelector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "slice";
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly step: number;
    }
  | { readonly kind: "filter"; readonly test: LogicalExpr };

/** One segment of a JSONPath: of children, or of all descendants. */
export interface Segment {
  /** `child` looks at the children of a node, `descendant` at the children of the node and of all below it. */
  readonly kind: "child" | "descendant";
  /** What it picks, in order. */
  readonly selectors: readonly PathSelector[];
  /** Where the segment starts in the query text, in UTF-16 units. */
  readonly at: number;
}

/** A path as it is evaluated. */
export interface Query {
  /** `$` starts at the document, `@` at the node a filter looks at. */
  readonly root: "$" | "@";
  /** Its segments, in order. */
  readonly segments: readonly Segment[];
  /** True when the query can select at most one node: names and single indexes only. */
  readonly singular: boolean;
}

/** How a filter of a JSONPath compares two values. */
export type ComparisonOp = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** What a filter of a JSONPath asks, as a tree. */
export type LogicalExpr =
  | { readonly kind: "or"; readonly parts: readonly LogicalExpr[] }
  | { readonly kind: "and"; readonly parts: readonly LogicalExpr[] }
  | { readonly kind: "not"; readonly part: LogicalExpr }
  | { readonly kind: "exists"; readonly query: Query }
  | { readonly kind: "test"; readonly call: RegexpCall }
  | {
      readonly kind: "compare";
      readonly op: ComparisonOp;
      readonly left: ValueExpr;
      readonly right: ValueExpr;
    };

/** What stands for one value, or for Nothing. */
export type ValueExpr =
  | { readonly kind: "literal"; readonly value: Literal }
  | { readonly kind: "single"; readonly query: Query }
  | { readonly kind: "length"; readonly of: ValueExpr }
  | { readonly kind: "count"; readonly query: Query }
  | { readonly kind: "value"; readonly query: Query };

/** A value written in a filter. */
export type Literal = null | boolean | number | string;

/** `match` covers the whole text, `search` any part of it. */
export interface RegexpCall {
  /** The whole text, or any part of it. */
  readonly kind: "match" | "search";
  /** The text. */
  readonly text: ValueExpr;
  /** The pattern. */
  readonly pattern: ValueExpr;
  /** A pattern of more characters never matches. */
  readonly maxPatternLength: number;
}

/** A parsed query. Plain frozen data: parse once, evaluate on any number of documents. */
export interface JsonPath extends Query {
  /** What paths begin with. */
  readonly root: "$";
  /** The query as it was given. */
  readonly text: string;
  /** What is legal but surely not meant, such as a pattern that can never match. */
  readonly warnings: readonly Shown[];
}
