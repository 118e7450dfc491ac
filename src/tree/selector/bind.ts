// Owns: the tests of a compound with their names looked up in one tree: columns for properties, slots for ids.
// Must never: look at nodes. `match` does.

import type { Json } from "../../value.ts";
import type { PropertyColumn, PropertyColumns } from "../_property-columns.ts";
import type { DocumentOrder } from "../_order.ts";
import type { SlotSet } from "../_slot-set.ts";
import type { NodeRecords } from "../tree.ts";
import type { AttributeOp, Compound, Simple } from "./ast.ts";

/** What tests need besides the node. */
export interface Scene {
  readonly nodes: NodeRecords;
  readonly order: DocumentOrder;
  /** The places of the branch that is looked at; its top is `:scope`. */
  readonly from: number;
  readonly to: number;
  readonly columns: PropertyColumns;
  /** What nested selectors match that look at other nodes. */
  readonly units: ReadonlyMap<Simple, SlotSet>;
  /** Number among siblings, from 1, by place; there when a selector counts. */
  readonly counts: Int32Array | undefined;
  /** Room for the places at work. */
  readonly block: Int32Array;
}

/** A test of a node by itself, as data: a pass over many places is one loop for each kind of test. */
export type SelectorTest =
  | { readonly kind: "any" | "root" | "scope" | "leaf" | "first-child" | "last-child" }
  | { readonly kind: "type"; readonly type: number }
  | { readonly kind: "slot"; readonly slot: number }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "nth-child"; readonly a: number; readonly b: number; readonly counts: Int32Array }
  | { readonly kind: "member"; readonly set: SlotSet; readonly wanted: boolean }
  | { readonly kind: "some"; readonly list: readonly (readonly SelectorTest[])[]; readonly wanted: boolean }
  | { readonly kind: "present"; readonly column: PropertyColumn }
  /** Text as it is, and not empty: the two commonest. */
  | { readonly kind: "equal" | "contains"; readonly column: PropertyColumn; readonly text: string }
  | ValueTest;

export interface ValueTest {
  readonly kind: "value";
  readonly column: PropertyColumn;
  readonly op: AttributeOp;
  /** Text in lower case when case is ignored. */
  readonly wanted: Json;
  readonly ignoreCase: boolean;
}

export function bindCompound(compound: Compound, scene: Scene): SelectorTest[] {
  return compound.map((simple) => bindSimple(simple, scene));
}

function bindSimple(simple: Simple, scene: Scene): SelectorTest {
  const { nodes } = scene;
  switch (simple.kind) {
    case "type":
      // An unknown type is -1, which no node has.
      return { kind: "type", type: nodes.typeNames.indexOf(simple.name) };
    case "id":
      return { kind: "slot", slot: nodes.slotOf(simple.name) };
    case "tag":
      return { kind: "tag", name: simple.name };
    case "nth-child":
      return { kind: "nth-child", a: simple.a, b: simple.b, counts: scene.counts as Int32Array };
    case "is":
    case "not":
    case "has":
      return bindNested(simple, scene);
    case "has-attribute":
      return { kind: "present", column: scene.columns.column(simple.path) };
    case "attribute":
      return bindAttribute(simple, scene);
    default:
      return { kind: simple.kind };
  }
}

function bindAttribute(
  { path, op, value, ignoreCase }: Extract<Simple, { kind: "attribute" }>,
  scene: Scene,
): SelectorTest {
  const column = scene.columns.column(path);
  if (typeof value === "string" && value !== "" && !ignoreCase) {
    if (op === "=") return { kind: "equal", column, text: interned(value) };
    if (op === "*=") return { kind: "contains", column, text: value };
  }
  const wanted = ignoreCase && typeof value === "string" ? value.toLowerCase() : value;
  return { kind: "value", column, op, wanted, ignoreCase };
}

/** Nested selectors: by what their unit found, or in place when they hold no combinator. */
function bindNested(simple: Extract<Simple, { kind: "is" | "not" | "has" }>, scene: Scene): SelectorTest {
  const wanted = simple.kind !== "not";
  const set = scene.units.get(simple);
  if (set !== undefined) return { kind: "member", set, wanted };
  const list = simple.list.map((complex) => bindCompound(complex.parts[0] as Compound, scene));
  return { kind: "some", list, wanted };
}

/** The same text as engines keep names: equal texts of that kind are compared by address. */
function interned(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}
