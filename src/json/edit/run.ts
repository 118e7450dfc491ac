// Owns: carrying out one edit on the working document: which operation it is, and its report.

import { checkOptionNames } from "../../text/options.ts";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import type { Steps } from "../../text/steps.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { normalizedPath } from "../path/normalized.ts";
import { writablePath } from "../path/singular.ts";
import type { JsonChange } from "./change.ts";
import { deleteValue } from "./delete.ts";
import type { JsonEdit, JsonEditReport } from "./edit.ts";
import { requested } from "./given-value.ts";
import { mergeObject } from "./merge.ts";
import { renameKey } from "./rename.ts";
import { appendItem, insertValue, setValue } from "./set.ts";
import type { WorkingDocument } from "./working-document.ts";

const OPS: readonly string[] = [
  "set",
  "delete",
  "append",
  "insert",
  "merge",
  "rename",
] satisfies JsonEdit["op"][];
/** The fields of all operations: one that an operation has no use for is passed over, a misspelt one is not. */
const FIELDS = { op: true, path: true, value: true, json: true, deep: true, name: true } as const;

/** Makes the edit, proven; throws when it cannot be made, and then the document is of no more use. */
export function* runEdit(document: WorkingDocument, edit: JsonEdit): Steps<JsonEditReport> {
  const { op } = (edit as JsonEdit | null) ?? { op: undefined };
  if (typeof op !== "string" || !OPS.includes(op))
    throw new HoldfastError(
      "invalid_argument",
      "unknown_edit",
      say`There is no edit ${echo(String(op))}. Use set, delete, append, insert, merge or rename.`,
    );
  checkOptionNames(say`The edit ${op as Shown}`, edit, FIELDS);
  const { path, ...change } = yield* operate(document, edit, writablePath(edit.path));
  const changed = change.removed > 0 || change.inserted > 0;
  return Object.freeze({ op: edit.op, path: normalizedPath(path), changed, ...change });
}

function operate(
  document: WorkingDocument,
  edit: JsonEdit,
  steps: readonly JsonPathStep[],
): Steps<JsonChange> {
  switch (edit.op) {
    case "set":
      return setValue(document, inner(steps, say`set`), requested(edit));
    case "delete":
      return deleteValue(document, inner(steps, say`deleted`));
    case "append":
      return appendItem(document, steps, requested(edit));
    case "insert":
      return insertValue(document, inner(steps, say`inserted`), requested(edit));
    case "merge":
      return mergeObject(document, steps, requested(edit), edit.deep === true);
    case "rename":
      return renameKey(document, inner(steps, say`renamed`), edit.name);
  }
}

/** The steps of a path that is not the root's. */
function inner(steps: readonly JsonPathStep[], done: Shown): readonly JsonPathStep[] {
  if (steps.length > 0) return steps;
  throw new HoldfastError(
    "invalid_argument",
    "root_write",
    say`The root cannot be ${done}. Name a key, or use merge or append at $.`,
  );
}
