// Owns: the operations of OpenAI's apply_patch tool, carried out by the agent's own tool of that name.
// Must never: let a diff reach another file than the one that its operation names.

import { echo, say, type Shown } from "../errors.ts";
import type { CallError, CallResult } from "../tools/index.ts";
import {
  callOptions,
  explained,
  refusal,
  requireTools,
  requireWriter,
  type BridgeCall,
  type ToolSource,
} from "./bridge.ts";
import { orderOf } from "./ordered-calls.ts";

/** One file to create, change or delete. */
export interface OpenaiPatchOperation {
  /** `create_file`, `update_file` or `delete_file`. */
  readonly type: string;
  /** The file. */
  readonly path: string;
  /** V4A: the lines of this file only. */
  readonly diff?: string | undefined;
  /** Another name that the file gets. */
  readonly moveTo?: string | undefined;
}

/** How one operation of a patch ended. */
export interface OpenaiPatchResult {
  /** `failed` for a refusal: nothing was changed. */
  status: "completed" | "failed";
  /** What the model reads. */
  output: string;
}

/** Carries operations out after the earlier writes of the agent. Never throws once it is made. */
export class PatchOperations {
  readonly #agent: ToolSource;
  readonly #idempotent: boolean;

  /** Throws `TypeError` for an agent without `apply_patch`. */
  constructor(agent: ToolSource, idempotent = true) {
    requireWriter(agent, "apply_patch");
    requireTools(agent.tools(), ["apply_patch"]);
    this.#agent = agent;
    this.#idempotent = idempotent;
  }

  call(operation: OpenaiPatchOperation, call: BridgeCall): Promise<CallResult> {
    const patch = patchOf(operation);
    if (typeof patch !== "string") return Promise.resolve(patch);
    return orderOf(this.#agent).run("write", async () => {
      const result = await this.#patch(patch, operation, call);
      // Lines cannot express the removal of what is no text.
      const isText = !["binary", "too_large"].includes(result.error?.reason ?? "");
      if (operation.type === "delete_file" && !isText)
        return explained(await this.#call("delete_file", { path: operation.path }, call), call);
      return explained(withLineNote(result, operation), call);
    });
  }

  /** The lines of an update say what they were made for: where a rule of the host wants a version too, the present one is named. */
  async #patch(patch: string, { type }: OpenaiPatchOperation, call: BridgeCall): Promise<CallResult> {
    const result = await this.#call("apply_patch", { patch }, call);
    if (result.error?.reason !== "version_required") return result;
    if (type === "delete_file")
      return refusal(
        "conflict",
        "version_required",
        say`A rule of the host wants the version of a file to be named before it is deleted, and this operation has no place for it. Use another tool that takes expectedVersion, or ask the host.`,
      );
    return this.#call("apply_patch", { patch, expectedVersion: presentVersions(result.error) }, call);
  }

  #call(tool: string, input: unknown, call: BridgeCall): Promise<CallResult> {
    return this.#agent.call(tool, input, callOptions(call, this.#idempotent));
  }
}

function presentVersions({ data }: CallError): unknown {
  const { target, token, tokens } = (data ?? {}) as Readonly<Record<string, unknown>>;
  return tokens ?? { [String(target)]: token };
}

/** The result of an operation as both the Agents SDK and the API take it. */
export function patchResult({ ok, text }: CallResult): OpenaiPatchResult {
  return { status: ok ? "completed" : "failed", output: text };
}

const HEADS: ReadonlyMap<string, string> = new Map([
  ["create_file", "Add"],
  ["update_file", "Update"],
  ["delete_file", "Delete"],
]);
const LINES_ABOVE = 2;

/** The operation as a whole patch, or why it is none. */
function patchOf(operation: OpenaiPatchOperation): string | CallResult {
  // What a model sends may lack anything.
  const { type = "", path = "", diff = "", moveTo } = (operation ?? {}) as Partial<OpenaiPatchOperation>;
  const head = HEADS.get(type);
  if (head === undefined)
    return bad(
      say`the type must be "create_file", "update_file" or "delete_file", not ${typeof type === "string" ? echo(type) : say`something else`}`,
    );
  for (const [name, value] of [
    ["path", path],
    ["diff", diff],
    ["moveTo", moveTo ?? ""],
  ] as const)
    if (typeof value !== "string") return bad(say`${name as Shown} must be a string`);
  for (const name of [path, moveTo ?? ""])
    if (/[\r\n\u2028\u2029]/.test(name)) return bad(say`${echo(name)} is no path: it has a line break`);
  const lines = [
    "*** Begin Patch",
    `*** ${head} File: ${path}`,
    ...(moveTo === undefined || moveTo === "" ? [] : [`*** Move to: ${moveTo}`]),
  ];
  if (type === "delete_file") return [...lines, "*** End Patch\n"].join("\n");
  // A diff is about its own file: a head inside it would lead to another.
  const stray = diff
    .split("\n")
    .find((line) => line.startsWith("*** ") && line.trimEnd() !== "*** End of File");
  if (stray !== undefined)
    return bad(
      say`${echo(stray)} does not belong into a diff, which holds the lines of its file alone. Send an operation for each file`,
    );
  return [...lines, diff.replace(/\r?\n$/, ""), "*** End Patch\n"].join("\n");
}

function bad(message: Shown): CallResult {
  return refusal("invalid_argument", "bad_operation", say`apply_patch was not run: ${message}.`);
}

/** Messages count lines of the whole patch; the model has sent only what is below its first ones. */
function withLineNote(result: CallResult, { type, moveTo }: OpenaiPatchOperation): CallResult {
  if (result.ok || type === "delete_file" || !/ine \d+ of the patch/.test(result.text)) return result;
  const above = LINES_ABOVE + (moveTo === undefined || moveTo === "" ? 0 : 1);
  const note = `\n[Line ${above + 1} of the patch is line 1 of the diff.]`;
  const message = `${result.error.message}${note}`;
  return { ...result, text: `${result.text}${note}`, error: { ...result.error, message } };
}
