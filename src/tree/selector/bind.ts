// Owns: turning the tests of a compound into one function over a tree's columns.
// Must never: look anywhere but at the node itself; what needs other nodes is a unit with a pass of its own.

import type { Json } from "../../value.ts";
import { ABSENT, type Columns } from "../_columns.ts";
import { NEXT, PREV, TYPE } from "../_page.ts";
import { sameValue } from "../payload.ts";
import type { Nodes } from "../tree.ts";
import type { Compound, Simple } from "./ast.ts";

/** `at` is the node's place in document order. */
export type SlotTest = (at: number, slot: number) => boolean;

/** What tests need besides the node. */
export interface Scene {
  readonly nodes: Nodes;
  readonly columns: Columns;
  readonly scope: number;
  /** Results of nested units: bit u of `bits[slot]`. */
  readonly bits: Uint32Array | undefined;
  /** Place among siblings, from 1; filled when a selector counts. */
  readonly places: Int32Array | undefined;
  /** Which unit answers for a nested selector. */
  readonly unitOf: ReadonlyMap<Simple, number>;
}

export function bindCompound(compound: Compound, scene: Scene): SlotTest {
  const tests = compound.map((simple) => bindSimple(simple, scene));
  const [first, second, third] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (third === undefined) return (at, slot) => first(at, slot) && second(at, slot);
  return (at, slot) => {
    for (const test of tests) if (!test(at, slot)) return false;
    return true;
  };
}

function bindSimple(simple: Simple, scene: Scene): SlotTest {
  const { nodes, scope } = scene;
  switch (simple.kind) {
    case "any":
      return () => true;
    case "type": {
      const type = nodes.typeNames.indexOf(simple.name);
      return type < 0 ? () => false : (_, slot) => nodes.field(slot, TYPE) === type;
    }
    case "id": {
      const wanted = nodes.slotOf(simple.name);
      return (_, slot) => slot === wanted;
    }
    case "tag":
      return (_, slot) => nodes.tagsOf(slot).includes(simple.name);
    case "root":
      return (_, slot) => slot === 0;
    case "scope":
      return (_, slot) => slot === scope;
    case "leaf":
      return (_, slot) => nodes.countOf(slot) === 0;
    case "first-child":
      return (_, slot) => slot === scope || nodes.field(slot, PREV) < 0;
    case "last-child":
      return (_, slot) => slot === scope || nodes.field(slot, NEXT) < 0;
    case "nth-child": {
      const { a, b } = simple;
      const places = scene.places as Int32Array;
      return (_, slot) => {
        const over = (places[slot] as number) - b;
        return a === 0 ? over === 0 : over % a === 0 && over / a >= 0;
      };
    }
    case "is":
    case "not":
    case "has":
      return bindNested(simple, scene);
    case "has-attribute": {
      const { cells, read } = scene.columns.column(simple.path);
      return (at) => (cells[at] ?? read(at)) !== ABSENT;
    }
    case "attribute":
      return bindAttribute(simple, scene);
  }
}

/** Tests of a property's value. The commonest, with text as it is, go without a further call. */
function bindAttribute(simple: Extract<Simple, { kind: "attribute" }>, scene: Scene): SlotTest {
  const { cells, read } = scene.columns.column(simple.path);
  const { op, value, ignoreCase } = simple;
  if (typeof value === "string" && value !== "" && !ignoreCase) {
    const text = interned(value);
    if (op === "=") return (at) => (cells[at] ?? read(at)) === text;
    if (op === "*=")
      return (at) => {
        const found = cells[at] ?? read(at);
        return typeof found === "string" && found.includes(text);
      };
  }
  const holds = bindOperator(simple);
  return (at) => {
    const found = cells[at] ?? read(at);
    return holds(found === ABSENT ? undefined : found);
  };
}

/** Nested selectors: by their unit's bit, or in place when they hold no combinator. */
function bindNested(simple: Extract<Simple, { kind: "is" | "not" | "has" }>, scene: Scene): SlotTest {
  const unit = scene.unitOf.get(simple);
  const wanted = simple.kind !== "not";
  if (unit !== undefined) {
    const bits = scene.bits as Uint32Array;
    return (_, slot) => (((bits[slot] as number) >>> unit) & 1) === (wanted ? 1 : 0);
  }
  const tests = simple.list.map((complex) => bindCompound(complex.parts[0] as Compound, scene));
  return (at, slot) => tests.some((test) => test(at, slot)) === wanted;
}

/** The same text as engines keep names: equal texts of that kind are compared by address. */
function interned(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}

type Holds = (value: Json | undefined) => boolean;

function bindOperator({ op, value, ignoreCase }: Extract<Simple, { kind: "attribute" }>): Holds {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const wanted = typeof value === "string" ? fold(value) : value;
  const equal: Holds =
    typeof wanted === "string"
      ? ignoreCase
        ? (found) => typeof found === "string" && found.toLowerCase() === wanted
        : (found) => found === wanted
      : (found) => found === wanted;
  const text = typeof wanted === "string" ? wanted : "";
  const inText =
    (test: (found: string) => boolean): Holds =>
    (found) =>
      text !== "" && typeof found === "string" && test(fold(found));
  const compare =
    (test: (sign: number) => boolean): Holds =>
    (found) => {
      if (typeof found === "number" && typeof wanted === "number") return test(found - wanted);
      if (typeof found !== "string" || typeof wanted !== "string") return false;
      const own = fold(found);
      return test(own < wanted ? -1 : own > wanted ? 1 : 0);
    };
  switch (op) {
    case "=":
      return equal;
    case "!=":
      return (found) => !equal(found);
    case "^=":
      return inText((found) => found.startsWith(text));
    case "$=":
      return inText((found) => found.endsWith(text));
    case "*=":
      return inText((found) => found.includes(text));
    case "~=":
      return (found) => {
        if (wanted === "" || found === undefined) return false;
        if (Array.isArray(found)) return (found as readonly Json[]).some((item) => equal(item));
        return (
          typeof found === "string" &&
          fold(found)
            .split(/[ \t\n\r\f]+/)
            .some((word) => sameValue(word, wanted))
        );
      };
    case "<":
      return compare((sign) => sign < 0);
    case "<=":
      return compare((sign) => sign <= 0);
    case ">":
      return compare((sign) => sign > 0);
    case ">=":
      return compare((sign) => sign >= 0);
  }
}
