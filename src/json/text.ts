// Owns: JSON on strings and plain data: what most callers want.

import { HoldfastError, say } from "../errors.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { applySplices } from "../text/splice.ts";
import { textBytes } from "../text/text-bytes.ts";
import type { Json } from "../value.ts";
import { EDIT_OPTIONS, editJson, type JsonEdit, type JsonEditOptions } from "./edit/edit.ts";
import { checkOptionNames } from "../text/options.ts";
import type { GivenPath } from "./path/ast.ts";
import { rawJson } from "./read/get.ts";
import { memorySource } from "./scan/memory-source.ts";
import { plainText } from "./scan/plain-text.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Edits a JSON or JSONC text and returns the new one. Only what the edits name changes: comments, number literals, blanks,
 * key order and line breaks stay. New members are written like their neighbours.
 *
 * Cost: one check of the text, then for each edit the way to its place. All edits are made or none: throws
 * `invalid_argument` (`invalid_json`, `invalid_value`, `invalid_path`, `not_unicode`, ...) or `not_found` / `path_not_found`.
 *
 * @example editJsonText('{ "a": 1.0 }', [{ op: "set", path: "$.b", value: [2] }]) // '{ "a": 1.0, "b": [2] }'
 */
export function editJsonText(
  text: string,
  edits: readonly JsonEdit[],
  options: JsonEditOptions = {},
): string {
  checkOptionNames(say`editJsonText`, options, EDIT_OPTIONS);
  const bytes = textBytes(text);
  const { splices } = editJson(memorySource(bytes), edits, { indexes: null, ...options });
  return splices.length === 0 ? text : decoder.decode(applySplices(bytes, splices));
}

/** A value above this many bytes is not made into an object. */
const LARGEST_VALUE = 64 * 1024 * 1024;

/**
 * The value at a path to one place, as plain data: what `JSON.parse` makes of it. Of duplicate keys the last counts;
 * comments are fine. Numbers lose what a double cannot hold: `getJson` keeps their text.
 *
 * Cost: the way to the value, and a parse of it alone. Throws `not_found` / `path_not_found`, `invalid_argument` /
 * `invalid_json` when the text is broken, or `value_too_large` above 64 MB.
 *
 * @example getValue('{"users": [{"name": "Ada"}]}', "$.users[0].name") // "Ada"
 */
export function getValue(from: string | ByteSource, path: GivenPath): Json {
  const source = typeof from === "string" ? memorySource(from) : from;
  const raw = rawJson(source, path, LARGEST_VALUE);
  if (raw === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "value_too_large",
      say`The value has more than ${LARGEST_VALUE} bytes. Read parts of it, or preview it.`,
    );
  return JSON.parse(plainText(raw)) as Json;
}
