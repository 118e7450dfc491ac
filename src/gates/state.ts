// Owns: the canonical state of a gate set: its shape, the empty one, and how any data becomes canonical.

import type { GateConfig } from "./config.ts";
import type { CategoryOf, GateSet, KeyOf } from "./gate-set.ts";

/** An answer to one gate: what was said, and what it was taken as. */
export interface GateValue<V extends string = string> {
  /** In the words of who answered; null if there is no answer. */
  readonly raw: string | null;
  /** One of the categories, or any text where the gate has none; null if that is not clear. */
  readonly classified: V | null;
}

/** The decision as part of the state. */
export interface GateStatus<K extends string = string> {
  /** Whether everything that is required is there. */
  readonly pass: boolean;
  /** The first required gate that is open; null when all are answered. */
  readonly next_gate: K | null;
  /** What to ask for it; null when there is none. */
  readonly next_query: string | null;
}

/** A canonical state: every gate of the order, strings trimmed, blanks null, `status` computed by the system. */
export interface GateState<C = GateConfig> {
  /** What the model says in a sentence or two. */
  readonly summary: string;
  /** The answer to each gate. */
  readonly gates: { readonly [K in KeyOf<C>]: GateValue<CategoryOf<C, K>> };
  /** PASS, or the next gate, as the model sees it. */
  readonly status: GateStatus<KeyOf<C>>;
}

/** Canonical values by gate key, before they are put into a state. */
export type GateValues = ReadonlyMap<string, GateValue>;

export const EMPTY_VALUE: GateValue = Object.freeze({ raw: null, classified: null });

/** A trimmed text; null for a blank one and for anything that is not text. */
export function canonicalText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" ? null : text;
}

/** A category of the gate, or null. A gate without categories takes any text. */
export function canonicalCategory(value: unknown, categories: readonly string[]): string | null {
  const text = canonicalText(value);
  return text === null || categories.length === 0 || categories.includes(text) ? text : null;
}

export function gateValue(raw: string | null, classified: string | null): GateValue {
  return raw === null && classified === null ? EMPTY_VALUE : Object.freeze({ raw, classified });
}

/** Frozen, gates in order, on an object without prototype: a gate may be called `constructor`. */
export function buildState<C>(
  set: GateSet<C>,
  summary: string,
  values: GateValues,
  status: GateStatus,
): GateState<C> {
  const gates = Object.create(null) as { [key: string]: GateValue };
  for (const key of set.gates.keys()) gates[key] = values.get(key) ?? EMPTY_VALUE;
  return Object.freeze({
    summary,
    gates: Object.freeze(gates),
    status: Object.freeze({ ...status }),
  }) as unknown as GateState<C>;
}

/** The answers of a state by key; safe for keys such as `constructor`. */
export function valuesOf(state: { readonly gates: { readonly [key: string]: GateValue } }): GateValues {
  return new Map(Object.entries(state.gates));
}
