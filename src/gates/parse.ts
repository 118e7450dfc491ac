// Owns: one answer from payload to verdict: extract, check, canonicalise, decide, diff.
// Must never: throw because of a payload, or believe what a payload says about itself.

import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { checkAnswer, type CheckContext } from "./check.ts";
import { SCHEMA_VERSION } from "./config.ts";
import { asGateSet } from "./define.ts";
import type { GatesLike, GateSet, KeyOf } from "./gate-set.ts";
import { computeDecision, type GateDecision } from "./decide.ts";
import { diffAnswers, type GateActor, type GateDiff, type GateAnswers } from "./diff.ts";
import { Findings, type GateError, type GateLog } from "./findings.ts";
import { readRecord, typeName } from "./_plain.ts";
import { withPolicy, type GatePolicy } from "./policy.ts";
import { readText } from "./_read-text.ts";
import {
  buildState,
  canonicalCategory,
  canonicalText,
  EMPTY_VALUE,
  gateValue,
  type GateState,
  type GateValue,
} from "./state.ts";
import { say, echo } from "../errors.ts";
import type { Json, JsonObject } from "../value.ts";

const OPTIONS: OptionNames<ParseGatesOptions<unknown>> = {
  previous: true,
  actor: ["assistant", "user"],
  policy: true,
  log: true,
  maxLength: true,
  maxDepth: true,
};
const POLICY: OptionNames<GatePolicy> = {
  allow_user_delete_gate_keys: true,
  allow_user_clear_values: true,
  strict_classified_validation: true,
  strict_status: true,
  accept_truncated: true,
  summary_limit: true,
};

/** How one answer is judged. */
export interface ParseGatesOptions<C> {
  /** The canonical state before: the diff is against it, and a user's absent parts come from it. */
  readonly previous?: GateState<C> | null | undefined;
  /** Who sent the payload. Only a host passes `user`. Default `assistant`. */
  readonly actor?: GateActor;
  /** Wins over the configuration's policy, field by field. */
  readonly policy?: Partial<GatePolicy>;
  /** Gets every error and warning that is listed. */
  readonly log?: GateLog;
  /** A longer text is `invalid_json`. Default 1,000,000 characters, at most 16,000,000. */
  readonly maxLength?: number;
  /** A text whose JSON nests deeper is `invalid_json`. Default and maximum 512. */
  readonly maxDepth?: number;
}

/** An answer that was accepted. Frozen. */
export interface GatesParsed<C> {
  /** True: the answer was understood. It need not pass. */
  readonly ok: true;
  /** The canonical state: hand it in as `previous` next time. */
  readonly state: GateState<C>;
  /** PASS, or what is missing. */
  readonly decision: GateDecision<KeyOf<C>>;
  /** What the answer changed. */
  readonly diff: GateDiff<KeyOf<C>>;
  /** None. */
  readonly errors: readonly [];
  /** What was repaired, dropped or taken otherwise than it was sent. */
  readonly warnings: readonly string[];
}

/** An answer that was refused: nothing of it counts. Hand it to {@link repairMessage}. Frozen. */
export interface GatesRefused {
  /** False: the answer cannot be used, and the state stays as it was. */
  readonly ok: false;
  /** Absent. */
  readonly state?: undefined;
  /** Absent: nothing was judged. */
  readonly decision?: undefined;
  /** Absent. */
  readonly diff?: undefined;
  /** All that is wrong, at most 1,000. */
  readonly errors: readonly GateError[];
  /** What was odd besides the errors. */
  readonly warnings: readonly string[];
  /** What could be recovered of a text that broke off. */
  readonly partial?: JsonObject;
}

/** What {@link parseGates} returns. */
export type GateResult<C> = GatesParsed<C> | GatesRefused;

/**
 * Judges one answer. A payload is a model's text or a plain object; whatever it is, nothing is thrown: what is wrong is
 * in `errors`, all of it. The decision is the system's own; `status` in the payload is checked and then overwritten.
 *
 * Throws only for a configuration that {@link checkGateConfig} finds wrong. Cost: linear in the payload.
 *
 * @example
 * const result = parseGates(answer, gates, { previous: state });
 * if (!result.ok) ask(repairMessage(result));
 * else if (!result.decision.pass) ask(result.decision.next_question);
 */
export function parseGates<const C extends GatesLike>(
  payload: unknown,
  config: C,
  options: ParseGatesOptions<C> = {},
): GateResult<C> {
  checkOptionNames(say`parseGates`, options, OPTIONS);
  checkOptionNames(say`policy`, options.policy, POLICY);
  const findings = new Findings(options.log);
  const { set, version } = asGateSet(config);
  const policy = withPolicy(set.policy, options.policy);
  const actor = options.actor === "user" ? "user" : "assistant";
  if (version !== undefined)
    findings.error(
      "schema_version_mismatch",
      `The configuration's schema_version ${version.message}.`,
      "schema_version",
      `"${SCHEMA_VERSION}"`,
    );
  const previous = readPrevious(options.previous, findings);
  const read = readPayload(payload, policy, options, findings);
  if (read.data === undefined) return findings.refusal(read.partial);
  const base = inherited(set, previous, findings, actor);
  const context: CheckContext = { set: set as GateSet<never>, actor, policy, base, findings };
  const checked = checkAnswer(read.data, context);
  if (findings.failed) return findings.refusal();
  const decision = computeDecision(set, checked.values);
  const status = { pass: decision.pass, next_gate: decision.next_gate, next_query: decision.next_question };
  return Object.freeze({
    ok: true,
    state: buildState(set, checked.summary, checked.values, status),
    decision: decision as GateDecision<KeyOf<C>>,
    diff: diffAnswers(set, previous, checked, actor, checked.deleted) as GateDiff<KeyOf<C>>,
    errors: Object.freeze([]) as readonly [],
    warnings: Object.freeze([...findings.warnings()]),
  });
}

/**
 * The state before anything was answered. Throws for a configuration that {@link checkGateConfig} finds wrong. Cost:
 * linear in the gates.
 *
 * @example emptyGates(gates).gates["1_data"]; // { raw: null, classified: null }
 */
export function emptyGates<const C extends GatesLike>(config: C): GateState<C> {
  const { set } = asGateSet(config);
  const decision = computeDecision(set, new Map());
  return buildState(set, "", new Map(), {
    pass: decision.pass,
    next_gate: decision.next_gate,
    next_query: decision.next_question,
  });
}

interface PayloadRead {
  readonly data?: ReadonlyMap<string, unknown>;
  readonly partial?: JsonObject;
}

function readPayload(
  payload: unknown,
  policy: GatePolicy,
  { maxLength, maxDepth }: Pick<ParseGatesOptions<unknown>, "maxLength" | "maxDepth">,
  findings: Findings,
): PayloadRead {
  if (typeof payload !== "string") {
    const data = readRecord(payload);
    if (data !== undefined) return { data: unwrapped(data, findings) };
    const actual = typeName(payload);
    findings.error(
      "invalid_json",
      `The payload must be text or a plain object, not ${actual}.`,
      undefined,
      "text or plain object",
      actual,
    );
    return {};
  }
  const read = readText(
    payload,
    {
      requireKeys: ANSWER_KEYS,
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(maxDepth === undefined ? {} : { maxDepth }),
    },
    policy.accept_truncated,
    findings,
  );
  if (read.value === undefined)
    return read.partial === undefined ? {} : { partial: read.partial as JsonObject };
  const data = readRecord(withoutHalf(read.value as JsonObject, read.halfString, findings));
  return data === undefined ? {} : { data: unwrapped(data, findings) };
}

/** A value that must be exactly one of a list is unknown where the text ended in its middle: it becomes null. */
function withoutHalf(
  value: JsonObject,
  path: readonly (string | number)[] | undefined,
  findings: Findings,
): Json {
  const field = path?.at(-1);
  if (path === undefined || (field !== "classified" && field !== "next_gate")) return value;
  findings.warn(`${echo(path.join("."))} was cut off in its middle; set to null.`);
  return replaceAt(value, path, null);
}

/** The value with another one at `path`. Copies what is on the way, and nothing else. */
function replaceAt(value: Json, path: readonly (string | number)[], put: Json): Json {
  const copies: [container: Json, key: string | number][] = [];
  let at: Json | undefined = value;
  for (const key of path) {
    copies.push([at as Json, key]);
    at = (at as { readonly [key: string | number]: Json })[key];
  }
  return copies.reduceRight<Json>((inner, [container, key]) => {
    if (Array.isArray(container)) return (container as readonly Json[]).with(key as number, inner);
    return { ...(container as JsonObject), [key]: inner };
  }, put);
}

const ANSWER_KEYS = ["summary", "gates", "status"];
const WRAPPERS = 3;

/** The answer inside, if an object around it holds it in one of its members: `{"state": {"summary": ...}}`. */
function unwrapped(data: ReadonlyMap<string, unknown>, findings: Findings): ReadonlyMap<string, unknown> {
  let answer = data;
  for (let depth = 0; depth < WRAPPERS; depth++) {
    if (ANSWER_KEYS.some((key) => answer.has(key))) return answer;
    const inside = [...answer].flatMap(([key, value]) => {
      const record = readRecord(value);
      return record === undefined ? [] : [{ key, record }];
    });
    const [only, ...others] = inside;
    if (only === undefined || others.length > 0) return data;
    answer = only.record;
    if (ANSWER_KEYS.some((key) => answer.has(key)))
      findings.warn(`The answer was wrapped in ${echo(only.key)}; send it without that.`);
  }
  return ANSWER_KEYS.some((key) => answer.has(key)) ? answer : data;
}

/** The previous state as it is, gate keys of another configuration included; undefined if it is none. */
function readPrevious(previous: unknown, findings: Findings): GateAnswers | undefined {
  if (previous === undefined || previous === null) return undefined;
  const data = readRecord(previous);
  const gates = readRecord(data?.get("gates"));
  const summary = data?.get("summary");
  if (gates === undefined || typeof summary !== "string") {
    findings.warn("The previous state is not a gate state; taken as none.");
    return undefined;
  }
  const values = new Map<string, GateValue>();
  for (const [key, value] of gates) {
    const fields = readRecord(value);
    values.set(key, gateValue(canonicalText(fields?.get("raw")), canonicalText(fields?.get("classified"))));
  }
  return { summary: summary.trim(), values };
}

/** What a user's absent parts come from: the previous answers, as far as the configuration still knows them. */
function inherited<C>(
  set: GateSet<C>,
  previous: GateAnswers | undefined,
  findings: Findings,
  actor: GateActor,
): GateAnswers {
  const values = new Map<string, GateValue>();
  for (const gate of set.gates.values()) {
    const before = previous?.values.get(gate.key) ?? EMPTY_VALUE;
    const classified = canonicalCategory(before.classified, gate.categories);
    if (classified !== before.classified && actor === "user")
      findings.warn(`The previous answer to ${gate.key} is no category any more; taken as null.`);
    values.set(gate.key, gateValue(before.raw, classified));
  }
  return { summary: previous?.summary ?? "", values };
}
