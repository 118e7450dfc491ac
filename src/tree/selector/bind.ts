// Owns: turning the tests of a compound into one function over a tree's columns.
// Must never: look anywhere but at the node itself; what needs other nodes is a unit with a pass of its own.

import type { Json, JsonObject } from "../../value.ts";
import { FIELDS, MASK, NEXT, PREV, TYPE, type Page } from "../_page.ts";
import { sameValue, valueBelow } from "../payload.ts";
import type { Nodes } from "../tree.ts";
import type { Compound, Simple } from "./ast.ts";

/** `page` is the page that holds the slot; a pass has it at hand. */
export type SlotTest = (slot: number, page: Page) => boolean;

/** What tests need besides the node. */
export interface Scene {
  readonly nodes: Nodes;
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
  if (third === undefined) return (slot, page) => first(slot, page) && second(slot, page);
  return (slot, page) => {
    for (const test of tests) if (!test(slot, page)) return false;
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
      return type < 0 ? () => false : (slot, page) => page.links[(slot & MASK) * FIELDS + TYPE] === type;
    }
    case "id": {
      const wanted = nodes.slotOf(simple.name);
      return (slot) => slot === wanted;
    }
    case "tag":
      return (slot) => nodes.tagsOf(slot).includes(simple.name);
    case "root":
      return (slot) => slot === 0;
    case "scope":
      return (slot) => slot === scope;
    case "leaf":
      return (slot) => nodes.countOf(slot) === 0;
    case "first-child":
      return (slot) => slot === scope || nodes.field(slot, PREV) < 0;
    case "last-child":
      return (slot) => slot === scope || nodes.field(slot, NEXT) < 0;
    case "nth-child": {
      const { a, b } = simple;
      const places = scene.places as Int32Array;
      return (slot) => {
        const over = (places[slot] as number) - b;
        return a === 0 ? over === 0 : over % a === 0 && over / a >= 0;
      };
    }
    case "is":
    case "not":
    case "has":
      return bindNested(simple, scene);
    case "has-attribute":
      return (slot, page) => valueBelow(payloadIn(page, slot), simple.path) !== undefined;
    case "attribute": {
      const holds = bindOperator(simple);
      const { op, ignoreCase } = simple;
      const value = typeof simple.value === "string" ? interned(simple.value) : simple.value;
      const key = plainKey(simple.path);
      if (key === undefined) return (slot, page) => holds(valueBelow(payloadIn(page, slot), simple.path));
      // The commonest test of all, without a call.
      if (op === "=" && !ignoreCase) return (slot, page) => payloadIn(page, slot)[key] === value;
      return (slot, page) => holds(payloadIn(page, slot)[key]);
    }
  }
}

/** Nested selectors: by their unit's bit, or in place when they hold no combinator. */
function bindNested(simple: Extract<Simple, { kind: "is" | "not" | "has" }>, scene: Scene): SlotTest {
  const unit = scene.unitOf.get(simple);
  const wanted = simple.kind !== "not";
  if (unit !== undefined) {
    const bits = scene.bits as Uint32Array;
    return (slot) => (((bits[slot] as number) >>> unit) & 1) === (wanted ? 1 : 0);
  }
  const tests = simple.list.map((complex) => bindCompound(complex.parts[0] as Compound, scene));
  return (slot, page) => tests.some((test) => test(slot, page)) === wanted;
}

function payloadIn(page: Page, slot: number): JsonObject {
  return page.payloads[slot & MASK] as JsonObject;
}

/** The same text as engines keep names: equal texts of that kind are compared by address. */
function interned(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}

/** The one step of a path that can simply be read: no name that every object inherits. */
function plainKey(path: readonly string[]): string | undefined {
  const [only] = path;
  return path.length === 1 && only !== undefined && !(only in Object.prototype) ? interned(only) : undefined;
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
