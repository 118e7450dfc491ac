// Owns: a checked gate set, and the types that a configuration written in code gives to its gates and answers.

import { echo } from "../errors.ts";
import type { GateConfig, GateConfigInput } from "./config.ts";
import type { GatePolicy } from "./policy.ts";

/** What completes a gate: one of its categories, or where it has none any answer. */
export type GateMode = "classified_required" | "raw_required";

/** One gate of a checked configuration. */
export interface Gate<K extends string = string> {
  /** What names the gate. */
  readonly key: K;
  /** Trimmed, never empty. */
  readonly question: string;
  /** Whether the set passes without it. */
  readonly required: boolean;
  /** What `classified` may be; empty if it may be any text. */
  readonly categories: readonly string[];
  /** How its answer is judged: one of its categories, or free text. */
  readonly mode: GateMode;
}

declare const from: unique symbol;

/** A checked configuration. Made by {@link defineGates}; using it costs no further check. Frozen. */
export interface GateSet<C = GateConfig> {
  /** In gate order. */
  readonly gates: ReadonlyMap<KeyOf<C>, Gate<KeyOf<C>>>;
  /** Every field set: the configuration's choices over the defaults. */
  readonly policy: GatePolicy;
  /** What is odd about the configuration without being wrong, in words: tell the person who wrote it. */
  readonly warnings: readonly string[];
  /** Who the model is, as configured. */
  readonly role: string | undefined;
  /** What the prompt says before the gates, as configured. */
  readonly instructions: string | undefined;
  /** Carries the type of the configuration; has no value. */
  readonly [from]?: C;
}

/** What every function here takes: a configuration as it was written, or a checked one. */
export type GatesLike = GateConfigInput | GateSet<GateConfigInput>;

/** The gate keys of a configuration. */
export type KeyOf<C> =
  C extends GateSet<infer D>
    ? KeyOf<D>
    : C extends { readonly gate_order: readonly (infer K extends string)[] }
      ? K
      : C extends { readonly GATE_ORDER: readonly (infer K extends string)[] }
        ? K
        : string;

/** The categories of one gate of a configuration; string where it has none. */
export type CategoryOf<C, K extends string> =
  C extends GateSet<infer D>
    ? CategoryOf<D, K>
    : C extends { readonly gates: infer G } | { readonly GATES: infer G }
      ? K extends keyof G
        ? G[K] extends { readonly expected_categories: readonly (infer V extends string)[] }
          ? [V] extends [never]
            ? string
            : V
          : string
        : string
      : string;

/** `gates.KEY`, or with the key quoted if a dot or bracket in it would mislead. */
export function gatePath(key: string): string {
  return /^[\w-]{1,80}$/.test(key) ? `gates.${key}` : `gates[${echo(key)}]`;
}
