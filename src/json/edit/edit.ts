// Owns: edits of a JSON document: what can be asked, one pass over all requests, and what is returned.
// Must never: reprint anything. The result is splices; every byte outside them stays as it is.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { echo, HoldfastError, say } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { Splice } from "../../text/splice.ts";
import type { GivenValue } from "./given-value.ts";
import { runEdit } from "./run.ts";
import { WorkingDocument, type WorkingOptions } from "./working-document.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import type { GivenPath } from "../path/ast.ts";
import { type DocumentMode, writableDocument } from "./document-mode.ts";

export const EDIT_OPTIONS: OptionNames<JsonEditOptions> = {
  mode: true,
  validated: ["json", "jsonc"],
  maxEdits: true,
  maxDepth: true,
  pauseEvery: true,
  indexes: true,
};

/** One request. `path` names one place: names and single indexes only. */
export type JsonEdit =
  /** Replaces the value, or creates the last key of the path. */
  | ({ readonly op: "set"; readonly path: GivenPath } & GivenValue)
  /** Removes a member (every duplicate of it) or an item, with the comments that belong to it. */
  | { readonly op: "delete"; readonly path: GivenPath }
  /** Adds an item after the last of the array at `path`. */
  | ({ readonly op: "append"; readonly path: GivenPath } & GivenValue)
  /** Puts an item before the one at `path`, or a member that must not exist yet. */
  | ({ readonly op: "insert"; readonly path: GivenPath } & GivenValue)
  /** Sets every member of the given object in the object at `path`; `deep` goes into objects on both sides. */
  | ({ readonly op: "merge"; readonly path: GivenPath; readonly deep?: boolean } & GivenValue)
  /** Gives the key at `path` another name; the member stays where it is. */
  | { readonly op: "rename"; readonly path: GivenPath; readonly name: string };

/** What an edit does. */
export type JsonEditOp = JsonEdit["op"];

/** What one request changed. Offsets are those of the document as the request found it. */
export interface JsonEditReport {
  /** What was done. */
  readonly op: JsonEditOp;
  /** Normalized path of the place, with indexes counted from the start. */
  readonly path: string;
  /** False when the document already was as asked. */
  readonly changed: boolean;
  /** The changed range: `removed` bytes from `at` became `inserted` bytes. */
  readonly at: number;
  /** Bytes removed. */
  readonly removed: number;
  /** Bytes inserted. */
  readonly inserted: number;
  /** 1-based line of the change. */
  readonly line: number;
  /** Old and new value as text, cut; absent where there is none. */
  readonly old?: string;
  /** The value now, as JSON, cut where it is long; absent after a removal. */
  readonly new?: string;
  /** Bytes of the given value as it was written. */
  readonly valueBytes: number;
  /** Items of the array after an append or insert; keys merged. */
  readonly count?: number;
  /** How often the key occurred when it was a duplicate: reads and writes use the last. */
  readonly duplicates?: number;
}

/** The splices that carry out all edits, proven to give a valid document. */
export interface JsonEditResult {
  /** Over the original bytes: sorted, not overlapping. */
  readonly splices: readonly Splice[];
  /** What each edit did, in the order given. */
  readonly reports: readonly JsonEditReport[];
  /** Bytes of the document before the edits. */
  readonly sizeBefore: number;
  /** Bytes of the document after them. */
  readonly sizeAfter: number;
  /** Whether the document holds comments or trailing commas. */
  readonly mode: "json" | "jsonc";
}

/** How a document is edited. */
export interface JsonEditOptions {
  /**
   * How the document is read. `auto` (default): JSON, or JSONC when it holds comments. `jsonc`: comments and trailing
   * commas are fine from the start.
   */
  readonly mode?: DocumentMode;
  /** The document is known to be valid in this mode, so it is not checked again. */
  readonly validated?: "json" | "jsonc";
  /** Edits in one call: 500 when left out. More are refused with `too_many_edits`, and none is made. */
  readonly maxEdits?: number;
  /** Containers inside one another, before the edits and after them. */
  readonly maxDepth?: number;
  /** Windows of 256 KB between two pauses. Default: never. */
  readonly pauseEvery?: number;
  /** Where to remember what is learned about large documents; null: nowhere. Default: shared by the process. */
  readonly indexes?: JsonIndexes | null;
}

/**
 * Plans edits, one after another, each on what the ones before left; all or nothing. Returns the splices that make
 * them, over the original bytes. Style is taken from the nearest siblings. Every edit is proven by reading it back.
 *
 * A generator: it yields where others may run. Cost: one check of the document unless `validated`, then for each edit
 * the way to its place. Throws `invalid_argument` or `not_found`; nothing is changed then.
 *
 * @example const { splices } = await runPaced(editJsonSteps(source, [{ op: "set", path: "$.a", value: 1 }]));
 */
export function* editJsonSteps(
  source: ByteSource,
  edits: readonly JsonEdit[],
  options: JsonEditOptions = {},
): Steps<JsonEditResult> {
  return yield* planEditsSteps(source, edits, options);
}

/** {@link editJsonSteps} for callers that check afterwards what was assumed. */
export function* planEditsSteps(
  source: ByteSource,
  edits: readonly JsonEdit[],
  options: JsonEditOptions & Pick<WorkingOptions, "assumedLastKey">,
): Steps<JsonEditResult> {
  if (!Array.isArray(edits))
    throw new HoldfastError("invalid_argument", "invalid_edit", say`Give the edits as a list.`);
  const maxEdits = options.maxEdits ?? DEFAULT_LIMITS.jsonEdits;
  if (edits.length > maxEdits)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_edits",
      say`${edits.length} edits are more than the ${maxEdits} of one call. Send them in several calls.`,
    );
  const mode = yield* writableDocument(source, options);
  const document = new WorkingDocument(source, mode, options);
  const reports: JsonEditReport[] = [];
  try {
    for (const [i, edit] of edits.entries()) {
      try {
        reports.push(yield* runEdit(document, edit));
      } catch (error) {
        throw edits.length > 1 ? numbered(error, i) : error;
      }
    }
  } finally {
    document.forget();
  }
  const { splices, size } = document.overlay;
  // The default depth is more than one call can add. A check of what a lower one leaves costs a pass.
  const { validated: _, maxDepth = DEFAULT_LIMITS.jsonDepth, ...reading } = options;
  if (splices.length > 0 && maxDepth < DEFAULT_LIMITS.jsonDepth)
    yield* writableDocument(document.overlay, { ...reading, mode, maxDepth });
  return { splices, reports, sizeBefore: source.size, sizeAfter: size, mode };
}

/**
 * {@link editJsonSteps} in one go, at the same cost and with the same errors. `applySplices` makes the edited document.
 *
 * @example
 * const { splices } = editJson(memorySource('{"a": 1}'), [{ op: "set", path: "$.a", value: 2 }]);
 * applySplices('{"a": 1}', splices) // '{"a": 2}'
 */
export function editJson(
  source: ByteSource,
  edits: readonly JsonEdit[],
  options: JsonEditOptions = {},
): JsonEditResult {
  checkOptionNames(say`editJson`, options, EDIT_OPTIONS);
  return runNow(editJsonSteps(source, edits, options));
}

/** Says which of several edits failed. */
function numbered(error: unknown, index: number): unknown {
  if (!HoldfastError.is(error)) return error;
  const reason = error.reason as Lowercase<string>;
  const message = say`Edit ${index + 1}: ${error.message as ReturnType<typeof echo>}`;
  const { data } = error;
  const known = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
  return new HoldfastError(error.code, reason, message, { data: { edit: index, ...known }, cause: error });
}
