// Owns: the other half of the conversation: what a model is told so that it answers in the form that is judged, and what
// it is told when it did not.

import { say } from "../errors.ts";
import { checkOptionNames, type OptionNames } from "../text/options.ts";
import type { Json, JsonObject } from "../value.ts";
import { asGateSet } from "./define.ts";
import type { Gate, GatesLike, GateSet } from "./gate-set.ts";
import type { GateError } from "./findings.ts";
import { inOrder, orderedJson } from "./ordered-json.ts";
import type { GateState } from "./state.ts";

const OPTIONS: OptionNames<GatePromptOptions> = { tool: true };

/**
 * A strict JSON Schema of an answer: every object closed, every key required, null where a value may be missing. Fits
 * the strict modes of function calling and structured output. Throws for a configuration that {@link checkGateConfig}
 * finds wrong. `required` is in gate order; `properties` is a plain object, in which keys that are digits come first.
 * Cost: linear in the configuration.
 *
 * @example const tool = { name: "answer", strict: true, parameters: gateSchema(gates) };
 */
export function gateSchema(config: GatesLike): JsonObject {
  const { set } = asGateSet(config);
  const properties = Object.create(null) as { [key: string]: JsonObject };
  for (const [key, schema] of gateProperties(set)) properties[key] = schema;
  return schemaWith(set, properties) as JsonObject;
}

/**
 * {@link gateSchema} as JSON text, its properties in gate order also where keys are digits. Throws for a configuration that
 * {@link checkGateConfig} finds wrong.
 *
 * @example const text = `Answer in this form:\n${gateSchemaJson(gates, 2)}`;
 */
export function gateSchemaJson(config: GatesLike, indent = 0): string {
  const { set } = asGateSet(config);
  return orderedJson(schemaWith(set, gateProperties(set)), indent);
}

/**
 * A state as JSON text with its gates in gate order, to show a model what is known so far. `JSON.stringify` puts keys
 * that are digits first. Throws for a configuration that {@link checkGateConfig} finds wrong. Cost: linear in the
 * gates.
 *
 * @example messages.push({ role: "user", content: `Known so far: ${gateStateJson(state, gates)}` });
 */
export function gateStateJson<const C extends GatesLike>(state: GateState<C>, config: C, indent = 0): string {
  const { set } = asGateSet(config);
  return orderedJson({ ...state, gates: inOrder(state.gates, set.gates.keys()) }, indent);
}

function gateProperties<C>(set: GateSet<C>): ReadonlyMap<string, JsonObject> {
  const properties = new Map<string, JsonObject>();
  for (const gate of set.gates.values() as Iterable<Gate>) {
    const classified = gate.categories.length > 0 ? { ...TEXT, enum: [...gate.categories, null] } : TEXT;
    properties.set(gate.key, { ...closed({ raw: TEXT, classified }), description: gate.question });
  }
  return properties;
}

/** The schema of an answer; `gates` are the properties of its gates. */
function schemaWith<C>(set: GateSet<C>, gates: object): object {
  const keys: string[] = [...set.gates.keys()];
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...closed({
      summary: { type: "string", description: `At most ${set.policy.summary_limit} characters.` },
      gates: { ...closed({}), properties: gates, required: keys } as JsonObject,
      status: closed({
        pass: { type: "boolean" },
        next_gate: { ...TEXT, enum: [...keys, null] },
        next_query: TEXT,
      }),
    }),
  };
}

const TEXT: JsonObject = { type: ["string", "null"] };

function closed(properties: { readonly [key: string]: JsonObject }): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** How the model is to hand in its answer. */
export interface GatePromptOptions {
  /** The name of the tool that takes the answer, for an agent that has one. Default: the answer is the model's text. */
  readonly tool?: string;
}

/**
 * The instructions that make a model answer in the judged form: its role, every gate in order, the rules, the schema.
 * Put it into the system prompt; answers to it go through {@link parseGates}. Throws for a configuration that {@link
 * checkGateConfig} finds wrong. Cost: linear in the configuration.
 *
 * @example const messages = [{ role: "system", content: gatePrompt(gates) }];
 */
export function gatePrompt(config: GatesLike, options: GatePromptOptions = {}): string {
  checkOptionNames(say`gatePrompt`, options, OPTIONS);
  const { set } = asGateSet(config);
  const { tool } = options;
  const lines: string[] = [];
  if (set.role !== undefined) lines.push(set.role, "");
  lines.push(
    tool === undefined
      ? "Collect the answers to the gates below from the conversation. Answer with one JSON object and nothing else."
      : `Collect the answers to the gates below from the conversation. Then call ${tool} with one JSON object as its answer.`,
    "",
    "Gates, in the order in which they are asked:",
  );
  let number = 0;
  for (const gate of set.gates.values() as Iterable<Gate>) {
    lines.push(
      `${++number}. ${JSON.stringify(gate.key)} (${gate.required ? "required" : "optional"}): ${gate.question}`,
    );
    lines.push(
      gate.categories.length > 0
        ? `   classified is exactly one of: ${gate.categories.map((name) => JSON.stringify(name)).join(", ")}; or null.`
        : "   Any answer is accepted: copy it into raw; classified may repeat it in short, or be null.",
    );
  }
  lines.push(
    "",
    "Rules:",
    "- raw is what the user said, word for word, or null if the user has not answered.",
    "- classified is what the answer amounts to, or null if that is not clear yet. Never guess.",
    "- Send every gate every time, answered or not. Use no other keys.",
    `- summary says in at most ${set.policy.summary_limit} characters what is known so far; it may be empty.`,
    "- status is your own view: pass is true if no required gate is open; next_gate and next_query name the first open required gate and its question, or null. It is checked and computed again.",
    `- No comments, no trailing commas${tool === undefined ? ", no text around the object" : ""}.`,
    "",
    "JSON Schema of the object:",
    gateSchemaJson(config, 2),
  );
  if (set.instructions !== undefined) lines.push("", set.instructions);
  return lines.join("\n");
}

const NAMED = 50;

/** A refusal of any judge: of {@link parseGates} or of {@link judge}. */
export interface RefusedAnswer {
  /** False: it was refused. */
  readonly ok: false;
  /** What is wrong with it, most important first. */
  readonly errors: readonly GateError[];
  /** It is there if the text broke off. */
  readonly partial?: Json;
}

/**
 * What to tell the model after an answer was refused: each error with its field, what was expected and what came. Empty
 * for an answer that was accepted. At most 50 errors are named, the rest is counted. Cost: linear in the errors named.
 * Never throws.
 *
 * @example if (!result.ok) messages.push({ role: "user", content: repairMessage(result) });
 */
export function repairMessage(result: { readonly ok: true } | RefusedAnswer): string {
  if (result.ok) return "";
  const lines = ["Your last answer could not be used:"];
  for (const error of result.errors.slice(0, NAMED)) {
    const where = error.field_path === undefined ? "" : `${error.field_path}: `;
    const message = error.message.startsWith(error.field_path ?? "\0")
      ? error.message
      : where + error.message;
    const expected = error.expected === undefined ? "" : ` Expected ${error.expected}.`;
    const actual = error.actual === undefined ? "" : ` You sent ${error.actual}.`;
    lines.push(`- ${/[.?]$/.test(message) ? message : `${message}.`}${expected}${actual}`);
  }
  if (result.errors.length > NAMED) lines.push(`- and ${result.errors.length - NAMED} more of this kind.`);
  lines.push(
    "",
    result.partial === undefined
      ? "Send the whole JSON object again, corrected, and nothing else."
      : "It ended in the middle. Send the whole JSON object again, shorter, and nothing else.",
  );
  return lines.join("\n");
}
