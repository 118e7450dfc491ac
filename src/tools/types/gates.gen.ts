// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `gates`. */
export interface GatesTools {
  /** {@link GetGatesInput} to {@link GetGatesOutput}. */
  readonly get_gates: { readonly input: GetGatesInput; readonly output: GetGatesOutput };
  /** {@link SubmitGatesInput} to {@link SubmitGatesOutput}. */
  readonly submit_gates: { readonly input: SubmitGatesInput; readonly output: SubmitGatesOutput };
}

/** What `get_gates` takes. Shows the gates: answers so far, PASS or the next question. form: true shows how to answer. */
export interface GetGatesInput {
  /** Which gate set; all when left out */
  readonly set?: string | undefined;
  /** Only this gate, its answer whole */
  readonly gate?: string | undefined;
  /** Also show how an answer must look */
  readonly form?: boolean | undefined;
  /** Characters */
  readonly budget?: number | undefined;
}

/** What `get_gates` returns as `value`. */
export interface GetGatesOutput {
  /** The gate sets */
  readonly sets: readonly {
    /** The gate set */
    readonly set: string;
    /** Whether everything that is required is there */
    readonly pass: boolean;
    /** Why */
    readonly reason: string;
    /** The first required gate that is open; null when none is */
    readonly next_gate: string | null;
    /** What to ask for it */
    readonly next_question: string | null;
    readonly gate_order: readonly string[];
    readonly state: {
      /** What was done, in a line */
      readonly summary: string;
      readonly gates: Readonly<Record<string, {
          readonly raw: string | null;
          readonly classified: string | null;
        }>>;
      readonly status: {
        /** Whether everything that is required is there */
        readonly pass: boolean;
        /** The first required gate that is open; null when none is */
        readonly next_gate: string | null;
        readonly next_query: string | null;
      };
    };
    readonly form?: string | undefined;
    /** The version; send it as expectedVersion */
    readonly token?: string | undefined;
  }[];
}

/** What `submit_gates` takes. Submits answers to the gates. The system judges them itself: PASS, or the next question to ask. get_gates shows the form. */
export interface SubmitGatesInput extends CommonArguments {
  /** The JSON object that get_gates describes, or text that holds it */
  readonly answer: string | object;
  /** Which gate set, where there are several */
  readonly set?: string | undefined;
}

/** What `submit_gates` returns as `value`. */
export interface SubmitGatesOutput {
  /** The gate set */
  readonly set: string;
  /** Whether everything that is required is there */
  readonly pass: boolean;
  /** Why */
  readonly reason: string;
  /** The first required gate that is open; null when none is */
  readonly next_gate: string | null;
  /** What to ask for it */
  readonly next_question: string | null;
  /** What changed */
  readonly changed: readonly string[];
  /** What is odd but does no harm */
  readonly warnings: readonly string[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}
