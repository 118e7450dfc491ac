// Owns: a filter as code: which paths of an element it needs, and a test over what they gave.
// Must never: step through the document. It asks for what it lacks, the caller fetches it and asks again.
//
// A test returns NEED when a path it came to is not resolved yet, with that path in `wanted`. So only what decides the
// test is fetched, and the test itself never has to pause. Members directly below the element (`@.name`, also the first
// step of a longer path) are looked up beforehand, all in one pass over the element.

import { countChars } from "../../text/budget.ts";
import type { Prefilter } from "../scan/rows.ts";
import { Keys, NONE, type Scanner } from "../scan/scanner.ts";
import { readsAs } from "../scan/reads-as.ts";
import { isBefore, numberAt, type Scalar, scalarAt } from "../scan/value.ts";
import type { ComparisonOp, LogicalExpr, Query, RegexpCall, ValueExpr } from "./ast.ts";
import { compilePattern, type CompiledRegexp } from "./iregexp.ts";
import { MIRRORED, prefilterOf } from "./prefilter.ts";

export const NEED: unique symbol = Symbol("need");
/** The special result Nothing of RFC 9535. */
const NOTHING: unique symbol = Symbol("nothing");

/** A path inside a filter and what it gave for the element under test. */
export interface Slot {
  readonly query: Query;
  /**
   * `single`, `value`: start of the only node, or NONE. `exists`: 1 or 0. `count`: how many.
   */
  readonly mode: "single" | "value" | "exists" | "count";
  /** Index of the first step's name in `QueryFilter.keys`; NONE when the path does not start with a name below `@`. */
  readonly key: number;
  result: number | undefined;
}

/** Two containers whose equality a comparison hangs on, or a container whose length is asked for. */
export interface Asked {
  readonly kind: "equal" | "size";
  a: number;
  b: number;
  result: number | undefined;
}

export interface QueryFilter {
  /** What to look up in an element that is an object, before `test`. */
  readonly keys: Keys | undefined;
  /** What a scanner may judge by itself; the test says the same. */
  readonly prefilter: Prefilter | undefined;
  readonly slots: readonly Slot[];
  /** Forgets the last element. */
  start(at: number): void;
  /** What the test lacks, after it returned NEED. */
  readonly wanted: Slot | Asked | undefined;
  test(): boolean | typeof NEED;
}

type Verdict = boolean | typeof NEED;
type Test = () => Verdict;
/** A container is the place it starts at. */
interface Container {
  readonly at: number;
}
type Value = Scalar | Container | typeof NOTHING | typeof NEED;

export function compileQueryFilter(scanner: Scanner, expr: LogicalExpr, alsoFetch?: string): QueryFilter {
  return new CompiledFilter(scanner, expr, alsoFetch);
}

const encoder = new TextEncoder();

class CompiledFilter implements QueryFilter {
  readonly keys: Keys | undefined;
  readonly prefilter: Prefilter | undefined;
  readonly slots: Slot[] = [];
  readonly test: Test;
  wanted: Slot | Asked | undefined;
  readonly #scanner: Scanner;
  readonly #names: string[] = [];
  readonly #asked: Asked[] = [];
  #at = NONE;

  constructor(scanner: Scanner, expr: LogicalExpr, alsoFetch: string | undefined) {
    this.#scanner = scanner;
    this.test = this.#logical(expr);
    if (alsoFetch !== undefined && this.#names.length > 0 && !this.#names.includes(alsoFetch))
      this.#names.push(alsoFetch);
    this.keys = this.#names.length === 0 ? undefined : new Keys(...this.#names);
    this.prefilter = prefilterOf(expr, this.#names);
  }

  start(at: number): void {
    this.#at = at;
    // Only what was wanted has been fetched.
    if (this.wanted === undefined) return;
    this.wanted = undefined;
    for (const slot of this.slots) if (slot.query.root === "@") slot.result = undefined;
    for (const asked of this.#asked) asked.result = undefined;
  }

  #slot(query: Query, mode: Slot["mode"]): Slot {
    const first = query.root === "@" && query.singular ? query.segments[0]?.selectors[0] : undefined;
    let key: number = NONE;
    if (first?.kind === "name") {
      key = this.#names.indexOf(first.name);
      if (key === -1) key = this.#names.push(first.name) - 1;
    }
    const slot: Slot = { query, mode, key, result: undefined };
    this.slots.push(slot);
    return slot;
  }

  /** The slot's result; undefined, with `wanted` set, when it has to be fetched. */
  #read(slot: Slot): number | undefined {
    if (slot.result !== undefined) return slot.result;
    if (slot.query.segments.length === 0 && slot.query.root === "@")
      return slot.mode === "exists" || slot.mode === "count" ? 1 : this.#at;
    if (slot.key !== NONE && this.keys !== undefined) {
      const found = this.keys.values[slot.key] ?? NONE;
      if (found === NONE) return slot.mode === "single" || slot.mode === "value" ? NONE : 0;
      if (slot.query.segments.length === 1)
        return slot.mode === "single" || slot.mode === "value" ? found : 1;
    }
    this.wanted = slot;
    return undefined;
  }

  #logical(expr: LogicalExpr): Test {
    switch (expr.kind) {
      case "or":
      case "and":
        return chain(
          expr.parts.map((part) => this.#logical(part)),
          expr.kind === "or",
        );
      case "not": {
        const part = this.#logical(expr.part);
        return () => {
          const outcome = part();
          return outcome === NEED ? NEED : !outcome;
        };
      }
      case "exists": {
        const slot = this.#slot(expr.query, "exists");
        return () => {
          const found = this.#read(slot);
          return found === undefined ? NEED : found > 0;
        };
      }
      case "test":
        return this.#regexp(expr.call);
      case "compare":
        return this.#compare(expr.op, expr.left, expr.right);
    }
  }

  #compare(op: ComparisonOp, left: ValueExpr, right: ValueExpr): Test {
    if (op === "==" || op === "!=") {
      const quick = this.#textTest(left, right) ?? this.#textTest(right, left);
      if (quick !== undefined) return op === "==" ? quick : negated(quick);
    }
    const quick = this.#numberTest(op, left, right) ?? this.#numberTest(MIRRORED[op], right, left);
    if (quick !== undefined) return quick;
    const a = this.#value(left);
    const b = this.#value(right);
    const asked: Asked = { kind: "equal", a: NONE, b: NONE, result: undefined };
    this.#asked.push(asked);
    return () => {
      const x = a();
      if (x === NEED) return NEED;
      const y = b();
      if (y === NEED) return NEED;
      switch (op) {
        case "==":
          return this.#equal(x, y, asked);
        case "!=": {
          const equal = this.#equal(x, y, asked);
          return equal === NEED ? NEED : !equal;
        }
        case "<":
          return less(x, y);
        case ">":
          return less(y, x);
        case "<=":
          return less(x, y) || this.#equal(x, y, asked);
        case ">=":
          return less(y, x) || this.#equal(x, y, asked);
      }
    };
  }

  // A member against a string literal is compared byte by byte: the most common test of all.
  #textTest(side: ValueExpr, other: ValueExpr): Test | undefined {
    if (side.kind !== "single" || other.kind !== "literal" || typeof other.value !== "string")
      return undefined;
    const text = other.value;
    const raw = encoder.encode(text);
    const slot = this.#slot(side.query, "single");
    return () => {
      const at = this.#read(slot);
      if (at === undefined) return NEED;
      return at !== NONE && readsAs(this.#scanner, at, text, raw);
    };
  }

  // A member against a number literal: what is no number is neither less, equal nor greater.
  #numberTest(op: ComparisonOp, side: ValueExpr, other: ValueExpr): Test | undefined {
    if (side.kind !== "single" || other.kind !== "literal" || typeof other.value !== "number")
      return undefined;
    const bound = other.value;
    const slot = this.#slot(side.query, "single");
    const scanner = this.#scanner;
    return () => {
      const at = this.#read(slot);
      if (at === undefined) return NEED;
      const value = at === NONE ? undefined : numberAt(scanner, at);
      return value === undefined ? op === "!=" : compares(op, value, bound);
    };
  }

  #equal(x: Value, y: Value, asked: Asked): Verdict {
    if (!isContainer(x) || !isContainer(y)) return x === y;
    if (asked.result !== undefined) return asked.result === 1;
    asked.a = x.at;
    asked.b = y.at;
    this.wanted = asked;
    return NEED;
  }

  #value(expr: ValueExpr): () => Value {
    switch (expr.kind) {
      case "literal":
        return () => expr.value;
      case "single":
      case "value": {
        const slot = this.#slot(expr.query, expr.kind);
        return () => {
          const at = this.#read(slot);
          if (at === undefined) return NEED;
          if (at === NONE) return NOTHING;
          const scalar = scalarAt(this.#scanner, at);
          return scalar === undefined ? { at } : scalar;
        };
      }
      case "count": {
        const slot = this.#slot(expr.query, "count");
        return () => this.#read(slot) ?? NEED;
      }
      case "length":
        return this.#length(this.#value(expr.of));
    }
  }

  #length(of: () => Value): () => Value {
    const asked: Asked = { kind: "size", a: NONE, b: NONE, result: undefined };
    this.#asked.push(asked);
    return () => {
      const value = of();
      if (value === NEED) return NEED;
      if (typeof value === "string") return countChars(value);
      if (!isContainer(value)) return NOTHING;
      if (asked.result !== undefined) return asked.result;
      asked.a = value.at;
      this.wanted = asked;
      return NEED;
    };
  }

  #regexp(call: RegexpCall): Test {
    const text = this.#value(call.text);
    const pattern = this.#value(call.pattern);
    const whole = call.kind === "match";
    return () => {
      const subject = text();
      if (subject === NEED) return NEED;
      const source = pattern();
      if (source === NEED) return NEED;
      if (typeof subject !== "string" || typeof source !== "string") return false;
      const compiled: CompiledRegexp | string = compilePattern(source, call.maxPatternLength);
      if (typeof compiled === "string") return false;
      return whole ? compiled.matches(subject) : compiled.searches(subject);
    };
  }
}

function compares(op: ComparisonOp, a: number, b: number): boolean {
  switch (op) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
  }
}

/** `or` stops at the first true, `and` at the first false. */
function chain(parts: readonly Test[], stopAt: boolean): Test {
  return () => {
    for (const part of parts) {
      const outcome = part();
      if (outcome === NEED || outcome === stopAt) return outcome;
    }
    return !stopAt;
  };
}

function negated(test: Test): Test {
  return () => {
    const outcome = test();
    return outcome === NEED ? NEED : !outcome;
  };
}

function isContainer(value: Value): value is Container {
  return typeof value === "object" && value !== null;
}

function less(x: Value, y: Value): boolean {
  if (typeof x === "number" && typeof y === "number") return x < y;
  return typeof x === "string" && typeof y === "string" && isBefore(x, y);
}
