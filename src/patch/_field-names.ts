// Owns: the names a field may have, and the guess at what an unknown name or word was meant to be.

import { nearest } from "../text/nearest.ts";

export type Field = "file" | "line" | "op" | "old" | "new" | "eol";

/** Field to the other name it is read under. */
export const ALIASES: ReadonlyMap<Field, string> = new Map<Field, string>([
  ["line", "line_number"],
  ["op", "operation"],
  ["old", "original_line_for_reference"],
  ["new", "new_line_content"],
]);

/** Every name that is read in an operation, to the field it means. */
export const FIELD_NAMES: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...(["file", "line", "op", "old", "new", "eol"] as const).map((field) => [field, field] as const),
  ...[...ALIASES].map(([field, alias]) => [alias, field] as const),
]);

/** Words that other formats use for the same thing, without joints; none is accepted, all are explained. */
const FIELD_SYNONYMS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["path", "file"],
  ["filename", "file"],
  ["filepath", "file"],
  ["target", "file"],
  ["lineno", "line"],
  ["linenumber", "line"],
  ["start", "line"],
  ["startline", "line"],
  ["type", "op"],
  ["action", "op"],
  ["kind", "op"],
  ["oldline", "old"],
  ["oldtext", "old"],
  ["oldstring", "old"],
  ["oldcontent", "old"],
  ["original", "old"],
  ["expected", "old"],
  ["before", "old"],
  ["newline", "new"],
  ["newtext", "new"],
  ["newstring", "new"],
  ["newcontent", "new"],
  ["content", "new"],
  ["text", "new"],
  ["value", "new"],
  ["after", "new"],
]);

const OP_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["add", "insert"],
  ["append", "insert"],
  ["create", "insert"],
  ["prepend", "insert"],
  ["ins", "insert"],
  ["remove", "delete"],
  ["del", "delete"],
  ["rm", "delete"],
  ["update", "replace"],
  ["change", "replace"],
  ["modify", "replace"],
  ["edit", "replace"],
  ["set", "replace"],
  ["sub", "replace"],
]);

/** The field an unknown key was probably meant to be. */
export function guessField(key: string): Field | undefined {
  const word = key.slice(0, 64).trim().toLowerCase();
  const known = FIELD_SYNONYMS.get(word.replace(/[-_ ]/g, "")) ?? FIELD_NAMES.get(word);
  if (known !== undefined) return known;
  const close = nearest(word, [...FIELD_NAMES.keys()]);
  return close === undefined ? undefined : FIELD_NAMES.get(close);
}

/** The operation an unknown word was probably meant to be. */
export function guessOp(word: string): string | undefined {
  const lower = word.slice(0, 64).trim().toLowerCase();
  if (lower === "replace" || lower === "insert" || lower === "delete") return lower;
  return OP_SYNONYMS.get(lower) ?? nearest(lower, ["replace", "insert", "delete"]);
}
