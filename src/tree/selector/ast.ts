// Owns: what a selector means, as data. Holds types only.

import type { Json } from "../../value.ts";

/** " " below, ">" child, "+" next sibling, "~" later sibling. */
export type Combinator = " " | ">" | "+" | "~";

/**
 * How a selector compares a property: `~=` one word or list element, `^=`, `$=`, `*=` beginning, end, anywhere.
 */
export type AttributeOp = "=" | "!=" | "^=" | "$=" | "*=" | "~=" | "<" | "<=" | ">" | ">=";

/** One condition of a selector on a node. */
export type Simple =
  | { readonly kind: "any" }
  | { readonly kind: "type" | "id" | "tag"; readonly name: string }
  | { readonly kind: "has-attribute"; readonly path: readonly string[] }
  | {
      readonly kind: "attribute";
      readonly path: readonly string[];
      readonly op: AttributeOp;
      readonly value: Json;
      readonly ignoreCase: boolean;
    }
  | { readonly kind: "root" | "leaf" | "scope" | "first-child" | "last-child" }
  | { readonly kind: "nth-child"; readonly a: number; readonly b: number }
  | { readonly kind: "is" | "not" | "has"; readonly list: readonly Complex[] };

/** Simple selectors that one node must match together: `Task.urgent[prio>5]`. */
export type Compound = readonly Simple[];

/** `combinators[i]` comes before `parts[i]`. The first is " " unless the selector is relative, inside `:has()`. */
export interface Complex {
  /** Its parts, from the outermost inwards. */
  readonly parts: readonly Compound[];
  /** What joins a part with the next. */
  readonly combinators: readonly Combinator[];
}
