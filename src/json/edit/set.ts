// Owns: the edits that write one value: set, append and insert.

import { echo, HoldfastError, say } from "../../errors.ts";
import type { Steps } from "../../text/steps.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { cutBytes, cutValue } from "../read/cut.ts";
import { NONE, settle } from "../scan/scanner.ts";
import { type JsonChange, isThere, rangeOf, SHOWN } from "./change.ts";
import type { ValueBytes } from "./given-value.ts";
import {
  existing,
  findItem,
  findKey,
  keyExists,
  type Located,
  locate,
  missing,
  shownPath,
  wrongKind,
} from "./locate.ts";
import { AT_END, rowsAround, rowStart } from "./member-rows.ts";
import type { Opening } from "./opening.ts";
import { type Claim, prove, proveValues } from "./prove.ts";
import type { PathFrame } from "./style.ts";
import type { WorkingDocument } from "./working-document.ts";
import { addition, openingIn, replacement } from "./write.ts";

const encoder = new TextEncoder();

export function* setValue(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  value: ValueBytes,
): Steps<JsonChange> {
  const parent = yield* parentOf(document, steps, value);
  const step = steps.at(-1) ?? "";
  if (typeof step === "string") {
    const found = yield* findKey(document.scanner, parent.at, step);
    if (found === undefined) return yield* addMember(document, parent, step, value);
    return yield* replaceValue(document, parent, found.frame, step, value, found.occurrences);
  }
  const item = yield* findItem(document.scanner, parent.at, step);
  if (item === undefined) throw yield* pastEnd(document, parent, step);
  return yield* replaceValue(document, parent, item.frame, item.index, value, 1);
}

/** The container that the last step leads into. Where it is missing, the error says what to set instead. */
function* parentOf(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  value: ValueBytes,
): Steps<Located> {
  try {
    return yield* locate(document.scanner, steps.slice(0, -1), document.assumedLastKey);
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "path_not_found") throw error;
    const known = yield* existing(document.scanner, steps);
    const rest = steps.slice(known + 1);
    let text = value.length > SHOWN ? "..." : cutBytes(value, SHOWN);
    for (const step of rest.toReversed())
      text = typeof step === "string" ? `{${JSON.stringify(step)}: ${text}}` : `[${text}]`;
    const shown = /^[\x20-\x7e]*$/.test(text) ? (text as ReturnType<typeof echo>) : echo(text);
    const later = rest.some((step) => typeof step === "number" && step > 0);
    const why = later ? say`: a new array begins at [0]` : say``;
    const message = say`${error.message as ReturnType<typeof echo>} Set ${shownPath(steps.slice(0, known + 1))} to ${shown} instead${why}.`;
    throw new HoldfastError("not_found", "path_not_found", message, { data: error.data ?? null });
  }
}

export function* appendItem(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  value: ValueBytes,
): Steps<JsonChange> {
  const array = yield* locate(document.scanner, steps);
  const kind = document.scanner.kind(array.at);
  if (kind !== "array") throw wrongKind(shownPath(array.steps), kind, "array");
  const count = yield* settle(document.scanner, document.scanner.count(array.at));
  return yield* addItem(document, array, count, count, value);
}

export function* insertValue(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  value: ValueBytes,
): Steps<JsonChange> {
  const parent = yield* locate(document.scanner, steps.slice(0, -1));
  const step = steps.at(-1) ?? "";
  if (typeof step === "string") {
    const found = yield* findKey(document.scanner, parent.at, step);
    if (found !== undefined) throw keyExists([...parent.steps, step]);
    return yield* addMember(document, parent, step, value);
  }
  const kind = document.scanner.kind(parent.at);
  if (kind !== "array") throw wrongKind(shownPath(parent.steps), kind, "array");
  const count = yield* settle(document.scanner, document.scanner.count(parent.at));
  const index = step < 0 ? count + step : step;
  if (index < 0 || index > count) throw yield* missing(document.scanner, parent.at, step, parent.steps);
  return yield* addItem(document, parent, index, count, value);
}

function* pastEnd(document: WorkingDocument, { at, steps }: Located, index: number): Steps<HoldfastError> {
  const error = yield* missing(document.scanner, at, index, steps);
  if (index < 0 || error.reason !== "index_out_of_range") return error;
  const message = say`${error.message as ReturnType<typeof echo>} Add items with append (append_json_array).`;
  return new HoldfastError("not_found", "index_out_of_range", message, { data: error.data ?? null });
}

function* replaceValue(
  document: WorkingDocument,
  parent: Located,
  frame: PathFrame,
  step: JsonPathStep,
  value: ValueBytes,
  occurrences: number,
): Steps<JsonChange> {
  const scanner = document.scanner;
  const { start } = frame;
  const end = yield* settle(scanner, scanner.end(start));
  const text = yield* replacement(scanner, parent, frame, value);
  const insert = encoder.encode(text);
  const old = cutValue(scanner, start, end, SHOWN);
  const same = isThere(scanner, start, end, insert);
  const line = (yield* settle(scanner, scanner.lines(start))) + 1;
  if (!same) {
    yield* document.applySteps([{ at: start, remove: end - start, insert }]);
    yield* proveValues(document.scanner, [{ at: start, end: start + insert.length, asked: value }]);
  }
  return {
    path: [...parent.steps, step],
    at: start,
    removed: same ? 0 : end - start,
    inserted: same ? 0 : insert.length,
    line,
    old,
    new: cutBytes(value, SHOWN),
    valueBytes: insert.length,
    ...(occurrences > 1 ? { duplicates: occurrences } : {}),
  };
}

function* addMember(
  document: WorkingDocument,
  parent: Located,
  name: string,
  value: ValueBytes,
): Steps<JsonChange> {
  const scanner = document.scanner;
  const kind = scanner.kind(parent.at);
  if (kind !== "object") throw wrongKind(shownPath(parent.steps), kind, "object");
  const opening = yield* openingIn(scanner, parent, yield* rowsAround(scanner, parent.at, AT_END));
  return yield* addAt(document, parent, opening, name, value);
}

function* addItem(
  document: WorkingDocument,
  array: Located,
  index: number,
  count: number,
  value: ValueBytes,
): Steps<JsonChange> {
  const scanner = document.scanner;
  const place = index === count ? AT_END : yield* settle(scanner, scanner.nth(array.at, index));
  const opening = yield* openingIn(scanner, array, yield* rowsAround(scanner, array.at, place));
  const change = yield* addAt(document, array, opening, index, value);
  return { ...change, count: count + 1 };
}

/** Puts a member or an item into an opening. */
function* addAt(
  document: WorkingDocument,
  parent: Located,
  opening: Opening,
  step: JsonPathStep,
  value: ValueBytes,
): Steps<JsonChange> {
  const { container, prev, next, close } = opening;
  const name = typeof step === "string" ? step : undefined;
  const plan = yield* addition(document.scanner, parent, opening, [{ name, value }]);
  const delta = yield* document.applySteps(plan.splices);
  const claim: Claim = {
    container,
    object: name !== undefined,
    from: prev?.end ?? NONE,
    to: (next === undefined ? close + 1 : rowStart(next)) + delta,
    hasNext: next !== undefined,
    members: [{ name, value }],
  };
  yield* prove(document.scanner, [claim], document.mode);
  return {
    path: [...parent.steps, step],
    ...rangeOf(plan.splices),
    line: (yield* settle(document.scanner, document.scanner.lines(plan.memberAt))) + 1,
    new: cutBytes(value, SHOWN),
    valueBytes: plan.valueBytes,
  };
}
