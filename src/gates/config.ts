// Owns: the two forms in which a gate set is written.

import type { GatePolicy } from "./policy.ts";

/** One question. Without categories any answer completes it; with categories it needs one of them. */
export interface GateDefinition {
  /** What the user is asked while the gate is open. Trimmed; must not be empty. */
  readonly question: string;
  /** A required gate holds PASS back until it is complete. Default false: asked for, but never in the way. */
  readonly required?: boolean;
  /** The only values `classified` may take, compared exactly. Trimmed and distinct, or the configuration is refused. */
  readonly expected_categories?: readonly string[];
}

/** A gate set as a program writes it. Keys it does not know are refused with the nearest known one. */
export interface GateConfig {
  /** Only `1.0` is known; another one makes every answer a `schema_version_mismatch`. Default `1.0`. */
  readonly schema_version?: string;
  /** Every gate, once, in the order in which they are asked. */
  readonly gate_order: readonly string[];
  /** The gates by key: each key of `gate_order` and no other. */
  readonly gates: { readonly [key: string]: GateDefinition };
  /** How strictly answers are judged; what is left out is as in {@link DEFAULT_POLICY}. */
  readonly policy?: Partial<GatePolicy>;
  /** Repeated at the top of the prompt. */
  readonly role?: string;
  /** Repeated at the end of the prompt. */
  readonly instructions?: string;
}

/** The same as a prompt document: upper-case keys. Keys that no gate needs (`PATH`, `MODE`, ...) are ignored. */
export interface GateDocument {
  /** As `gate_order`. */
  readonly GATE_ORDER: readonly string[];
  /** As `gates`; other keys of a gate are ignored. */
  readonly GATES: { readonly [key: string]: GateDefinition & { readonly [other: string]: unknown } };
  /** As `schema_version`. */
  readonly SCHEMA_VERSION?: string;
  /** As `policy`. */
  readonly POLICY?: Partial<GatePolicy>;
  /** As `role`. */
  readonly LLM_ROLE?: string;
  /** As `instructions`. */
  readonly SYSTEM_INSTRUCTIONS?: string;
  /** Fields in capitals are passed over, so that documents may carry more. */
  readonly [other: Uppercase<string>]: unknown;
}

/** A gate set in either form. */
export type GateConfigInput = GateConfig | GateDocument;

/** One thing wrong with a configuration, and where. */
export interface GateConfigProblem {
  /** `gates.1_data.question`, `gate_order[2]`, `policy.summary_limit`, or `config` for the whole. */
  readonly path: string;
  /** What is wrong there, to be read after the path. */
  readonly message: string;
}

export const SCHEMA_VERSION = "1.0";
