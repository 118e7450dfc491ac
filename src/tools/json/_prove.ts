// Owns: the proof of an edit that was placed beside what others changed since its version. Bytes that splice cleanly may be no
// JSON (two keys put into `{}`), or another document than asked for (2 and 3 put into `[]` make 23).

import { HoldfastError, say } from "../../errors.ts";
import {
  editJsonSteps,
  getJsonSteps,
  listKeysSteps,
  singularPath,
  type GivenValue,
  type JsonEdit,
  type JsonPathStep,
} from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { runPaced, type Steps } from "../../text/steps.ts";
import type { Rebase } from "../tool.ts";
import { openDocument, PAUSE_EVERY, type JsonDocument } from "./_document.ts";

/** An edit of one file. */
export interface JsonFileEdit {
  readonly path: WorkspacePath;
  readonly edit: JsonEdit;
}

/** The document is valid in its own mode, and every edit can be read back from it. */
export const jsonRebase: Rebase<readonly JsonFileEdit[]> = {
  async prove(ctx, path, edits) {
    const document = await openDocument(ctx, path);
    for (const { edit } of edits.filter((one) => one.path === path))
      if (!(await runPaced(holdsSteps(document, edit), ctx.signal)))
        throw new HoldfastError("conflict", "edit_not_proven", say`it would not read as your edit asks.`);
  },
};

/** Items from the end of an array among which an added one is looked for. */
const LAST_ITEMS = 100;

function* holdsSteps(document: JsonDocument, edit: JsonEdit): Steps<boolean> {
  const steps = stepsOf(edit);
  const parent = steps.slice(0, -1);
  switch (edit.op) {
    case "set":
    case "merge":
      return yield* isDoneSteps(document, edit);
    case "insert":
      return typeof steps.at(-1) === "string"
        ? yield* isDoneSteps(document, { ...edit, op: "set" })
        : yield* hasItemSteps(document, parent, edit);
    case "append":
      return yield* hasItemSteps(document, steps, edit);
    case "delete":
      return typeof steps.at(-1) === "number"
        ? yield* isValidSteps(document)
        : (yield* occurrencesSteps(document, steps)) === 0;
    case "rename":
      return (
        (yield* occurrencesSteps(document, [...parent, edit.name])) === 1 &&
        (yield* occurrencesSteps(document, steps)) === 0
      );
  }
}

/** The array that an edit puts an item into. */
export function arrayOf(edit: JsonEdit): readonly JsonPathStep[] | undefined {
  const steps = stepsOf(edit);
  if (edit.op === "append") return steps;
  return edit.op === "insert" && typeof steps.at(-1) === "number" ? steps.slice(0, -1) : undefined;
}

function stepsOf({ path }: JsonEdit): readonly JsonPathStep[] {
  return typeof path === "string" || !("segments" in path) ? [] : (singularPath(path) ?? []);
}

/** Whether making the edit again would change nothing, and its key is there once. */
function* isDoneSteps({ source, indexes, mode, maxDepth }: JsonDocument, edit: JsonEdit): Steps<boolean> {
  const options = { mode, indexes, maxDepth, pauseEvery: PAUSE_EVERY };
  const { splices, reports } = yield* editJsonSteps(source, [edit], options);
  return splices.length === 0 && reports[0]?.duplicates === undefined;
}

function* isValidSteps({ source, indexes, mode, maxDepth }: JsonDocument): Steps<boolean> {
  yield* editJsonSteps(source, [], { mode, indexes, maxDepth, pauseEvery: PAUSE_EVERY });
  return true;
}

/** How often the last key of a path occurs; an item that exists counts once. */
function* occurrencesSteps(document: JsonDocument, path: readonly JsonPathStep[]): Steps<number> {
  yield* isValidSteps(document);
  const { source, indexes } = document;
  try {
    const got = yield* getJsonSteps(source, path, { budget: 1_000, indexes, pauseEvery: PAUSE_EVERY });
    return got.kind === "matches" ? 0 : (got.duplicates ?? 1);
  } catch (error) {
    if (HoldfastError.is(error) && error.code === "not_found") return 0;
    throw error;
  }
}

function* hasItemSteps(
  document: JsonDocument,
  path: readonly JsonPathStep[],
  value: GivenValue,
): Steps<boolean> {
  yield* isValidSteps(document);
  const { source, indexes } = document;
  const { total } = yield* listKeysSteps(source, path, { limit: 0, indexes, pauseEvery: PAUSE_EVERY });
  const { json, value: data } = value;
  const given: GivenValue = json === undefined ? { value: data ?? null } : { json };
  for (let i = total - 1; i >= Math.max(0, total - LAST_ITEMS); i--)
    if (yield* isDoneSteps(document, { op: "set", path: [...path, i], ...given })) return true;
  return false;
}
