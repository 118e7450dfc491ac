// Owns: the edit that removes a member, with every duplicate of it, or an item.

import { HoldfastError, say } from "../../errors.ts";
import type { Steps } from "../../text/steps.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { cutValue } from "../read/cut.ts";
import { NONE, settle } from "../scan/scanner.ts";
import { type JsonChange, joinedChange, rangeOf, SHOWN } from "./change.ts";
import { findItem, findKey, type FoundKey, type Located, locate, missing } from "./locate.ts";
import { rowsAround, rowStart } from "./member-rows.ts";
import { type Claim, notProven, prove, proveAbsent } from "./prove.ts";
import { removal } from "./removal.ts";
import type { WorkingDocument } from "./working-document.ts";

/** Members of one name that are removed together. */
const MOST_TWINS = 100;

export function* deleteValue(document: WorkingDocument, steps: readonly JsonPathStep[]): Steps<JsonChange> {
  const parent = yield* locate(document.scanner, steps.slice(0, -1));
  const step = steps.at(-1) ?? "";
  if (typeof step === "string") return yield* deleteKey(document, parent, step);
  const item = yield* findItem(document.scanner, parent.at, step);
  if (item === undefined) throw yield* missing(document.scanner, parent.at, step, parent.steps);
  return yield* removeRow(document, parent, item.frame.start, item.index);
}

/** Every occurrence goes, the last first: deleting one alone would bring the one before it back to life. */
function* deleteKey(document: WorkingDocument, parent: Located, name: string): Steps<JsonChange> {
  const found = yield* findKey(document.scanner, parent.at, name);
  if (found === undefined) throw yield* missing(document.scanner, parent.at, name, parent.steps);
  const last = yield* removeMember(document, parent, found, name);
  const change = yield* removeTwins(document, parent, name, found.occurrences, last);
  yield* proveAbsent(document.scanner, parent.at, name);
  return change;
}

/** Removes what is left of a key that occurred so often, the last occurrence first. Returns that and `change`, made before, as one. */
export function* removeTwins(
  document: WorkingDocument,
  parent: Located,
  name: string,
  occurrences: number,
  change: JsonChange,
): Steps<JsonChange> {
  if (occurrences === 1) return change;
  for (let all = change; ;) {
    const found = yield* findKey(document.scanner, parent.at, name);
    if (found === undefined) return { ...all, duplicates: occurrences };
    all = joinedChange(all, yield* removeMember(document, parent, found, name));
  }
}

function* removeMember(
  document: WorkingDocument,
  parent: Located,
  { frame, occurrences }: FoundKey,
  name: string,
): Steps<JsonChange> {
  if (occurrences > MOST_TWINS)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_duplicates",
      say`The key occurs more than ${MOST_TWINS} times in its object.`,
    );
  return yield* removeRow(document, parent, frame.keyStart, name);
}

/** Removes the row that starts at `place`. */
function* removeRow(
  document: WorkingDocument,
  parent: Located,
  place: number,
  step: JsonPathStep,
): Steps<JsonChange> {
  const scanner = document.scanner;
  const around = yield* rowsAround(scanner, parent.at, place);
  const { prev, row, next, close } = around;
  if (row === undefined) throw notProven();
  const splices = removal(scanner, parent.at, { ...around, row });
  const line = (yield* settle(scanner, scanner.lines(rowStart(row)))) + 1;
  const old = cutValue(scanner, row.start, row.end, SHOWN);
  const object = row.keyStart !== NONE;
  const delta = yield* document.applySteps(splices);
  const claim: Claim = {
    container: parent.at,
    object,
    from: prev?.end ?? NONE,
    to: (next === undefined ? close + 1 : rowStart(next)) + delta,
    hasNext: next !== undefined,
    members: [],
  };
  yield* prove(document.scanner, [claim], document.mode);
  return { path: [...parent.steps, step], ...rangeOf(splices), line, old, valueBytes: 0 };
}
