// Owns: what a payload must look like. Reads it once, collects every error, and hands on canonical values.
// Must never: stop at the first error, or look at what the payload claims about passing.

import { echo } from "../errors.ts";
import { countChars } from "../text/budget.ts";
import { nearest } from "../text/nearest.ts";
import { gatePath, type Gate, type GateSet } from "./gate-set.ts";
import type { GateActor } from "./diff.ts";
import type { Findings } from "./findings.ts";
import { readRecord, typeName } from "./_plain.ts";
import type { GatePolicy } from "./policy.ts";
import { canonicalCategory, canonicalText, EMPTY_VALUE, gateValue, type GateValue } from "./state.ts";
import type { GateAnswers } from "./diff.ts";

type Data = ReadonlyMap<string, unknown>;

export interface CheckedAnswer extends GateAnswers {
  readonly deleted: ReadonlySet<string>;
}

/** What a check depends on beside the payload. */
export interface CheckContext {
  readonly set: GateSet<never>;
  readonly actor: GateActor;
  readonly policy: GatePolicy;
  /** What a user's absent parts come from. */
  readonly base: GateAnswers;
  readonly findings: Findings;
}

export function checkAnswer(data: Data, context: CheckContext): CheckedAnswer {
  dropUnknown(data, ["summary", "gates", "status"], "", context.findings);
  const summary = checkSummary(data, context);
  const { values, deleted } = checkGates(data, context);
  checkStatus(data, context);
  return { summary, values, deleted };
}

/** True if the key is there. For an assistant its absence is an error. */
function present(data: Data, key: string, path: string, expected: string, context: CheckContext): boolean {
  if (data.has(key)) return true;
  if (context.actor === "assistant")
    context.findings.error("missing_key", `"${path}" is missing: send it as ${expected}.`, path, expected);
  return false;
}

function wrongType(path: string, expected: string, value: unknown, { findings }: CheckContext): void {
  const actual = typeName(value);
  findings.error("invalid_type", `${path} must be ${expected}, not ${actual}.`, path, expected, actual);
}

function checkSummary(data: Data, context: CheckContext): string {
  if (!present(data, "summary", "summary", "string", context)) return context.base.summary;
  const value = data.get("summary");
  if (typeof value !== "string") {
    wrongType("summary", "string", value, context);
    return "";
  }
  const summary = value.trim();
  const limit = context.policy.summary_limit;
  const length = countChars(summary);
  if (length > limit)
    context.findings.error(
      "invalid_value",
      `summary has ${length} characters; shorten it to ${limit}.`,
      "summary",
      `string <= ${limit} chars`,
      `string with ${length} chars`,
    );
  return summary;
}

function checkGates(
  data: Data,
  context: CheckContext,
): { values: ReadonlyMap<string, GateValue>; deleted: ReadonlySet<string> } {
  const { set, actor, base, findings } = context;
  const values = new Map<string, GateValue>();
  const deleted = new Set<string>();
  const sent = present(data, "gates", "gates", "object", context);
  const gates = sent ? readRecord(data.get("gates")) : undefined;
  if (sent && gates === undefined) wrongType("gates", "object", data.get("gates"), context);
  for (const key of gates?.keys() ?? []) if (!set.gates.has(key as never)) unknownGate(key, context);
  for (const gate of set.gates.values() as Iterable<Gate>) {
    const path = gatePath(gate.key);
    const before = base.values.get(gate.key) ?? EMPTY_VALUE;
    if (gates === undefined || !gates.has(gate.key)) {
      values.set(gate.key, actor === "user" ? before : EMPTY_VALUE);
      if (actor === "assistant" && gate.required && gates !== undefined)
        findings.error(
          "missing_required_gate",
          `Required gate ${echo(gate.key)} is missing: send it with raw and classified, null if not known.`,
          path,
          "object with raw and classified",
        );
      continue;
    }
    const value = gates.get(gate.key);
    if (value === null && actor === "user") {
      if (context.policy.allow_user_delete_gate_keys) deleted.add(gate.key);
      else
        findings.error(
          "deletion_not_allowed",
          `Gate ${echo(gate.key)} cannot be deleted; to clear it, set raw and classified to null.`,
          path,
          "object",
          "null",
        );
      values.set(gate.key, EMPTY_VALUE);
      continue;
    }
    const fields = readRecord(value);
    if (fields === undefined) wrongType(path, "object", value, context);
    else values.set(gate.key, checkGate(fields, gate, path, before, context));
  }
  return { values, deleted };
}

function unknownGate(key: string, { set, actor, findings }: CheckContext): void {
  if (actor === "user") {
    findings.warn(`${gatePath(key)} is not a gate; dropped.`);
    return;
  }
  if (!findings.listsMore) {
    findings.error("invalid_key", "");
    return;
  }
  const near = nearest(key, set.gates.keys() as Iterable<string>);
  const hint = near === undefined ? "" : ` Did you mean ${echo(near)}?`;
  findings.error(
    "invalid_key",
    `Gate key ${echo(key)} is not in the configuration.${hint}`,
    gatePath(key),
    oneOf(set.gates.keys()),
    echo(key),
  );
}

function checkGate(
  fields: Data,
  gate: Gate,
  path: string,
  before: GateValue,
  context: CheckContext,
): GateValue {
  const { findings, policy } = context;
  dropUnknown(fields, ["raw", "classified"], `${path}.`, findings);
  const raw = readField(fields, "raw", path, before.raw, context);
  const text = readField(fields, "classified", path, before.classified, context);
  const classified = canonicalCategory(text, gate.categories);
  if (text !== null && classified === null) {
    const near = nearest(text, gate.categories);
    if (policy.strict_classified_validation)
      findings.error(
        "invalid_category",
        `${path}.classified is none of the categories.${near === undefined ? "" : ` Did you mean ${echo(near)}?`}`,
        `${path}.classified`,
        oneOf(gate.categories),
        echo(text),
      );
    else findings.warn(`${path}.classified ${echo(text)} is none of the categories; set to null.`);
  }
  return gateValue(raw, classified);
}

/** `raw` or `classified`, trimmed, blank as null. */
function readField(
  fields: Data,
  name: "raw" | "classified",
  path: string,
  before: string | null,
  context: CheckContext,
): string | null {
  if (!fields.has(name)) return context.actor === "user" ? before : null;
  const value = fields.get(name);
  const field = `${path}.${name}`;
  if (value !== null && typeof value !== "string") wrongType(field, "string or null", value, context);
  const text = canonicalText(value);
  const clears = context.actor === "user" && text === null && before !== null;
  if (clears && !context.policy.allow_user_clear_values)
    context.findings.error(
      "invalid_value",
      `${field} cannot be cleared: send another value or leave it out.`,
      field,
      "string that is not blank",
      value === null ? "null" : "blank string",
    );
  return text;
}

function checkStatus(data: Data, context: CheckContext): void {
  const { set, policy, findings } = context;
  if (!present(data, "status", "status", "object", context)) return;
  const status = readRecord(data.get("status"));
  if (status === undefined) {
    wrongType("status", "object", data.get("status"), context);
    return;
  }
  dropUnknown(status, ["pass", "next_gate", "next_query"], "status.", findings);
  if (present(status, "pass", "status.pass", "boolean", context) && typeof status.get("pass") !== "boolean")
    wrongType("status.pass", "boolean", status.get("pass"), context);
  for (const name of ["next_gate", "next_query"]) {
    const value = status.get(name) ?? null;
    if (value === null) continue;
    if (typeof value !== "string") wrongType(`status.${name}`, "string or null", value, context);
    else if (name === "next_gate" && !set.gates.has(value.trim() as never)) {
      const message = `status.next_gate ${echo(value)} names no gate.`;
      if (policy.strict_status)
        findings.error("invalid_gate_key", message, "status.next_gate", oneOf(set.gates.keys()), echo(value));
      else findings.warn(message);
    }
  }
}

function dropUnknown(data: Data, known: readonly string[], prefix: string, findings: Findings): void {
  for (const key of data.keys())
    if (!known.includes(key)) findings.warn(`${prefix}${echo(key)} is not known; dropped.`);
}

const NAMED = 20;

function oneOf(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : "";
  return `one of ${all
    .slice(0, NAMED)
    .map((name) => echo(name))
    .join(", ")}${more}`;
}
