// Owns: carrying out edits one after another on an overlay, each proven before the next.

import type { Steps } from "../../text/steps.ts";
import { echo, HoldfastError, say } from "../../errors.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { Splice } from "../../text/splice.ts";
import type { JsonEdit, JsonEditReport } from "./edit.ts";
import type { AssumedLastKey } from "./assumed-last-key.ts";
import type { Opening } from "./insert.ts";
import {
  existing,
  findKey,
  type FoundKey,
  type Located,
  locate,
  missing,
  shownPath,
  wrongKind,
} from "./locate.ts";
import { isThere, Merge } from "./merge.ts";
import { type Claim, notProven, prove, proveAbsent, proveValues } from "./prove.ts";
import { removal } from "./remove.ts";
import { AT_END, rowsAround, rowStart } from "./member-rows.ts";
import type { PathFrame } from "./style.ts";
import { type GivenValue, type ValueBytes, requested } from "./given-value.ts";
import { addition, openingIn, replacement } from "./write.ts";
import { type JsonIndexes, sharedIndexes } from "../scan/index-store.ts";
import { carryIndex, openScanner, type OpenOptions } from "../scan/open.ts";
import { Overlay } from "./overlay.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { normalizedPath } from "../path/normalized.ts";
import { writableSteps } from "../path/singular.ts";
import { type IndexableScanner, NONE, settle } from "../scan/scanner.ts";
import { endNow } from "../scan/value.ts";
import { cutBytes, cutValue } from "../read/cut.ts";

const SHOWN = 200;
/** Members of one name that are removed together. */
const MOST_TWINS = 100;
const OPERATIONS: readonly unknown[] = ["set", "delete", "append", "insert", "merge", "rename"];
const encoder = new TextEncoder();

/** The place of a change and what is said about it. */
type Change = Omit<JsonEditReport, "op" | "path" | "changed"> & { readonly path: readonly JsonPathStep[] };

export interface RunOptions {
  readonly pauseEvery?: number;
  readonly indexes?: JsonIndexes | null;
  /** Look no further than to the place, remember nothing, and note here what was taken for granted. */
  readonly assumedLastKey?: AssumedLastKey;
}

export class EditRun {
  overlay: Overlay;
  readonly #mode: "json" | "jsonc";
  readonly #source: ByteSource;
  readonly #open: OpenOptions;
  readonly #assumedLastKey: AssumedLastKey | undefined;
  #scanner: IndexableScanner;

  constructor(source: ByteSource, mode: "json" | "jsonc", options: RunOptions) {
    this.#source = source;
    this.overlay = Overlay.over(source);
    this.#mode = mode;
    const { pauseEvery, indexes, assumedLastKey } = options;
    this.#assumedLastKey = assumedLastKey;
    this.#open = {
      ...(pauseEvery === undefined ? {} : { pauseEvery }),
      ...(indexes === undefined ? {} : { indexes }),
      ...(assumedLastKey === undefined ? {} : { indexes: null, countLines: true }),
    };
    this.#scanner = openScanner(this.overlay, this.#open);
  }

  *apply(edit: JsonEdit): Steps<JsonEditReport> {
    const { op } = (edit as JsonEdit | null) ?? { op: undefined };
    if (!OPERATIONS.includes(op))
      throw new HoldfastError(
        "invalid_argument",
        "unknown_edit",
        say`There is no edit ${echo(String(op))}. Use set, delete, append, insert, merge or rename.`,
      );
    const steps = writableSteps(edit.path);
    const { path, ...change } = yield* this.#dispatch(edit, steps);
    const changed = change.removed > 0 || change.inserted > 0;
    return Object.freeze({ op: edit.op, path: normalizedPath(path), changed, ...change });
  }

  *#dispatch(edit: JsonEdit, steps: readonly JsonPathStep[]): Steps<Change> {
    switch (edit.op) {
      case "set":
        return yield* this.#set(this.#inner(steps, "set"), requested(edit));
      case "delete":
        return yield* this.#delete(this.#inner(steps, "deleted"));
      case "append":
        return yield* this.#append(steps, requested(edit));
      case "insert":
        return yield* this.#insert(this.#inner(steps, "inserted"), requested(edit));
      case "merge":
        return yield* this.#merge(steps, edit, edit.deep === true);
      case "rename":
        return yield* this.#rename(this.#inner(steps, "renamed"), edit.name);
    }
  }

  #inner(
    steps: readonly JsonPathStep[],
    what: "set" | "deleted" | "inserted" | "renamed",
  ): readonly JsonPathStep[] {
    if (steps.length > 0) return steps;
    throw new HoldfastError(
      "invalid_argument",
      "root_write",
      say`The root cannot be ${what as ReturnType<typeof echo>}. Name a key, or use merge or append at $.`,
    );
  }

  // --- operations -----------------------------------------------------------------------------------------------

  *#set(steps: readonly JsonPathStep[], value: ValueBytes): Steps<Change> {
    const parent = yield* this.#parentOf(steps, value);
    const step = steps.at(-1) ?? "";
    if (typeof step === "string") {
      const found = yield* findKey(this.#scanner, parent.at, step);
      if (found === undefined) return yield* this.#addMember(parent, step, value);
      return yield* this.#replace(parent, found.frame, step, value, found.occurrences);
    }
    const index = yield* this.#index(parent, step);
    const start = index < 0 ? NONE : yield* settle(this.#scanner, this.#scanner.nth(parent.at, index));
    if (start === NONE) throw yield* this.#pastEnd(parent, step);
    const frame: PathFrame = { at: parent.at, keyStart: NONE, keyEnd: NONE, start };
    return yield* this.#replace(parent, frame, index, value, 1);
  }

  /** The container that the last step leads into. Where it is missing, the error says what to set instead. */
  *#parentOf(steps: readonly JsonPathStep[], value: ValueBytes): Steps<Located> {
    try {
      return yield* locate(this.#scanner, steps.slice(0, -1), this.#assumedLastKey);
    } catch (error) {
      if (!HoldfastError.is(error) || error.reason !== "path_not_found") throw error;
      const known = yield* existing(this.#scanner, steps);
      const rest = steps.slice(known + 1);
      if (rest.some((step) => typeof step !== "string")) throw error;
      let text = value.length > SHOWN ? "..." : cutBytes(value, SHOWN);
      for (const step of rest.toReversed()) text = `{${JSON.stringify(step)}: ${text}}`;
      const message = say`${error.message as ReturnType<typeof echo>} Set ${shownPath(steps.slice(0, known + 1))} to ${/^[\x20-\x7e]*$/.test(text) ? (text as ReturnType<typeof echo>) : echo(text)} instead.`;
      throw new HoldfastError("not_found", "path_not_found", message, { data: error.data ?? null });
    }
  }

  *#index({ at, steps }: Located, index: number): Steps<number> {
    const kind = this.#scanner.kind(at);
    if (kind !== "array") throw wrongKind(shownPath(steps), kind, "array");
    return index >= 0 ? index : (yield* settle(this.#scanner, this.#scanner.count(at))) + index;
  }

  *#pastEnd({ at, steps }: Located, index: number): Steps<HoldfastError> {
    const error = yield* missing(this.#scanner, at, index, steps);
    if (index < 0) return error;
    const message = say`${error.message as ReturnType<typeof echo>} Add items with append (append_json_array).`;
    return new HoldfastError("not_found", "index_out_of_range", message, { data: error.data ?? null });
  }

  *#replace(
    parent: Located,
    frame: PathFrame,
    step: JsonPathStep,
    value: ValueBytes,
    occurrences: number,
  ): Steps<Change> {
    const scanner = this.#scanner;
    const { start } = frame;
    const end = yield* settle(scanner, scanner.end(start));
    const text = yield* replacement(scanner, parent, frame, value);
    const insert = encoder.encode(text);
    const old = cutValue(scanner, start, end, SHOWN);
    const same = isThere(scanner, start, end, insert);
    const line = (yield* settle(scanner, scanner.lines(start))) + 1;
    if (!same) {
      this.#apply([{ at: start, remove: end - start, insert }]);
      yield* proveValues(this.#scanner, [{ at: start, end: start + insert.length, asked: value }]);
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

  *#addMember(parent: Located, name: string, value: ValueBytes): Steps<Change> {
    const scanner = this.#scanner;
    const kind = scanner.kind(parent.at);
    if (kind !== "object") throw wrongKind(shownPath(parent.steps), kind, "object");
    const opening = yield* openingIn(scanner, parent, yield* rowsAround(scanner, parent.at, AT_END));
    return yield* this.#add(parent, opening, name, value);
  }

  /** Puts a member or an item into an opening. */
  *#add(parent: Located, opening: Opening, step: JsonPathStep, value: ValueBytes): Steps<Change> {
    const { container, prev, next, close } = opening;
    const name = typeof step === "string" ? step : undefined;
    const plan = yield* addition(this.#scanner, parent, opening, [{ name, value }]);
    const delta = this.#apply(plan.splices);
    const claim: Claim = {
      container,
      object: name !== undefined,
      from: prev?.end ?? NONE,
      to: (next === undefined ? close + 1 : rowStart(next)) + delta,
      hasNext: next !== undefined,
      members: [{ name, value }],
    };
    yield* prove(this.#scanner, [claim], this.#mode);
    return {
      path: [...parent.steps, step],
      ...rangeOf(plan.splices),
      line: (yield* settle(this.#scanner, this.#scanner.lines(plan.memberAt))) + 1,
      new: cutBytes(value, SHOWN),
      valueBytes: plan.valueBytes,
    };
  }

  *#append(steps: readonly JsonPathStep[], value: ValueBytes): Steps<Change> {
    const array = yield* locate(this.#scanner, steps);
    const kind = this.#scanner.kind(array.at);
    if (kind !== "array") throw wrongKind(shownPath(array.steps), kind, "array");
    const count = yield* settle(this.#scanner, this.#scanner.count(array.at));
    return yield* this.#addItem(array, count, count, value);
  }

  *#addItem(array: Located, index: number, count: number, value: ValueBytes): Steps<Change> {
    const scanner = this.#scanner;
    const place = index === count ? AT_END : yield* settle(scanner, scanner.nth(array.at, index));
    const opening = yield* openingIn(scanner, array, yield* rowsAround(scanner, array.at, place));
    const change = yield* this.#add(array, opening, index, value);
    return { ...change, count: count + 1 };
  }

  *#insert(steps: readonly JsonPathStep[], value: ValueBytes): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1));
    const step = steps.at(-1) ?? "";
    if (typeof step === "string") {
      const found = yield* findKey(this.#scanner, parent.at, step);
      if (found !== undefined) throw keyExists([...parent.steps, step]);
      return yield* this.#addMember(parent, step, value);
    }
    const kind = this.#scanner.kind(parent.at);
    if (kind !== "array") throw wrongKind(shownPath(parent.steps), kind, "array");
    const count = yield* settle(this.#scanner, this.#scanner.count(parent.at));
    const index = step < 0 ? count + step : step;
    if (index < 0 || index > count) throw yield* missing(this.#scanner, parent.at, step, parent.steps);
    return yield* this.#addItem(parent, index, count, value);
  }

  *#delete(steps: readonly JsonPathStep[]): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1));
    const step = steps.at(-1) ?? "";
    if (typeof step === "string") return yield* this.#deleteKey(parent, step);
    const index = yield* this.#index(parent, step);
    const start = index < 0 ? NONE : yield* settle(this.#scanner, this.#scanner.nth(parent.at, index));
    if (start === NONE) throw yield* missing(this.#scanner, parent.at, step, parent.steps);
    return yield* this.#removeRow(parent, start, index);
  }

  /** Every occurrence goes, the last first: deleting one alone would bring the one before it back to life. */
  *#deleteKey(parent: Located, name: string): Steps<Change> {
    const found = yield* findKey(this.#scanner, parent.at, name);
    if (found === undefined) throw yield* missing(this.#scanner, parent.at, name, parent.steps);
    const change = yield* this.#removeMember(parent, found, name);
    const more = found.occurrences > 1 ? yield* this.#removeTwins(parent, name) : undefined;
    yield* proveAbsent(this.#scanner, parent.at, name);
    if (more === undefined) return change;
    return { ...joinedChange(change, more), duplicates: found.occurrences };
  }

  /** Removes what is left of a key, the last occurrence first. */
  *#removeTwins(parent: Located, name: string): Steps<Change | undefined> {
    let all: Change | undefined;
    for (;;) {
      const found = yield* findKey(this.#scanner, parent.at, name);
      if (found === undefined) return all;
      const change = yield* this.#removeMember(parent, found, name);
      all = all === undefined ? change : joinedChange(all, change);
    }
  }

  *#removeMember(parent: Located, { frame, occurrences }: FoundKey, name: string): Steps<Change> {
    if (occurrences > MOST_TWINS)
      throw new HoldfastError(
        "invalid_argument",
        "too_many_duplicates",
        say`The key occurs more than ${MOST_TWINS} times in its object.`,
      );
    return yield* this.#removeRow(parent, frame.keyStart, name);
  }

  /** Removes the row that starts at `place`. */
  *#removeRow(parent: Located, place: number, step: JsonPathStep): Steps<Change> {
    const scanner = this.#scanner;
    const around = yield* rowsAround(scanner, parent.at, place);
    const { prev, row, next, close } = around;
    if (row === undefined) throw notProven();
    const splices = removal(scanner, parent.at, { ...around, row });
    const line = (yield* settle(scanner, scanner.lines(rowStart(row)))) + 1;
    const old = cutValue(scanner, row.start, row.end, SHOWN);
    const object = row.keyStart !== NONE;
    const delta = this.#apply(splices);
    const claim: Claim = {
      container: parent.at,
      object,
      from: prev?.end ?? NONE,
      to: (next === undefined ? close + 1 : rowStart(next)) + delta,
      hasNext: next !== undefined,
      members: [],
    };
    yield* prove(this.#scanner, [claim], this.#mode);
    return { path: [...parent.steps, step], ...rangeOf(splices), line, old, valueBytes: 0 };
  }

  *#rename(steps: readonly JsonPathStep[], name: string): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1));
    const step = steps.at(-1) ?? "";
    if (typeof step !== "string")
      throw new HoldfastError("invalid_argument", "not_a_key", say`Only a key can be renamed, not an item.`);
    if (typeof name !== "string")
      throw new HoldfastError("invalid_argument", "invalid_name", say`Give the new name of the key as text.`);
    if (/\p{Surrogate}/u.test(name))
      throw new HoldfastError(
        "invalid_argument",
        "invalid_name",
        say`The name holds half of a surrogate pair: no path could name such a key.`,
      );
    const found = yield* findKey(this.#scanner, parent.at, step);
    if (found === undefined) throw yield* missing(this.#scanner, parent.at, step, parent.steps);
    if (name !== step && (yield* findKey(this.#scanner, parent.at, name)) !== undefined)
      throw keyExists([...parent.steps, name]);
    const { keyStart, keyEnd, start } = found.frame;
    const line = (yield* settle(this.#scanner, this.#scanner.lines(keyStart))) + 1;
    const insert = encoder.encode(JSON.stringify(name));
    const written = {
      path: [...parent.steps, name],
      line,
      old: cutValue(this.#scanner, keyStart, keyEnd, SHOWN),
      new: JSON.stringify(name).slice(0, SHOWN),
      valueBytes: insert.length,
    };
    if (name === step) return { ...written, at: keyStart, removed: 0, inserted: 0 };
    const end = endNow(this.#scanner, start);
    const held = this.#scanner.bytes(start, end);
    const splices: Splice[] = [{ at: keyStart, remove: keyEnd - keyStart, insert }];
    const delta = this.#apply(splices);
    const now = yield* findKey(this.#scanner, parent.at, name);
    const kept = this.#scanner.bytes(start + delta, end + delta);
    if (now?.frame.start !== start + delta || !kept.every((byte, i) => byte === held[i])) throw notProven();
    const change: Change = { ...written, ...rangeOf(splices) };
    const more = found.occurrences > 1 ? yield* this.#removeTwins(parent, step) : undefined;
    return more === undefined ? change : { ...joinedChange(change, more), duplicates: found.occurrences };
  }

  *#merge(steps: readonly JsonPathStep[], given: GivenValue, deep: boolean): Steps<Change> {
    const updates = requested(given);
    const target = yield* locate(this.#scanner, steps);
    const kind = this.#scanner.kind(target.at);
    if (kind !== "object") throw wrongKind(shownPath(target.steps), kind, "object");
    if (updates[0] !== 0x7b)
      throw new HoldfastError(
        "invalid_argument",
        "invalid_value",
        say`Only an object can be merged into an object.`,
      );
    const merge = yield* Merge.plan(this.#scanner, target, updates, deep);
    const { splices, count, valueBytes } = merge;
    if (splices.length > 0) {
      this.#apply(splices);
      yield* merge.prove(this.#scanner, this.#mode);
    }
    const line = (yield* settle(this.#scanner, this.#scanner.lines(merge.firstAt ?? target.at))) + 1;
    const range = splices.length === 0 ? { at: target.at, removed: 0, inserted: 0 } : rangeOf(splices);
    const twins = merge.duplicates > 1 ? { duplicates: merge.duplicates } : {};
    return { path: target.steps, ...range, line, valueBytes, count, ...twins };
  }

  /** Applies splices and returns by how much the document grew. What was known of a large document moves along. */
  #apply(splices: readonly Splice[]): number {
    const before = this.overlay;
    const { indexes } = this.#open;
    this.overlay = before.with(splices);
    if (indexes !== null) carryIndex(before, this.overlay, splices, true, indexes);
    this.#drop(before);
    this.#scanner = openScanner(this.overlay, this.#open);
    return this.overlay.size - before.size;
  }

  /** Nothing is remembered of states that only this run sees. */
  forget(): void {
    this.#drop(this.overlay);
  }

  #drop(overlay: Overlay): void {
    const { indexes } = this.#open;
    if (overlay.id !== this.#source.id && indexes !== null) (indexes ?? sharedIndexes()).drop(overlay.id);
  }
}

function keyExists(path: readonly JsonPathStep[]): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "key_exists",
    say`${shownPath(path)} exists already. Use set to replace its value.`,
  );
}

/** From the first changed byte to the last. */
function rangeOf(splices: readonly Splice[]): { at: number; removed: number; inserted: number } {
  const at = splices[0]?.at ?? 0;
  const last = splices.at(-1);
  const to = last === undefined ? at : last.at + last.remove;
  const grown = splices.reduce((sum, splice) => sum + splice.insert.length - splice.remove, 0);
  return { at, removed: to - at, inserted: to - at + grown };
}

/** One range over two changes made one after the other; `b` is in the bytes that `a` left. */
function joinedChange(a: Change, b: Change): Change {
  const grown = a.inserted - a.removed;
  const aEnd = a.at + a.inserted;
  const bEnd = b.at + b.removed;
  const at = Math.min(a.at, b.at);
  const middleEnd = Math.max(aEnd, bEnd);
  return {
    ...a,
    at,
    removed: middleEnd - grown - at,
    inserted: middleEnd + b.inserted - b.removed - at,
    line: Math.min(a.line, b.line),
    valueBytes: a.valueBytes + b.valueBytes,
  };
}
