// Owns: carrying out edits one after another on an overlay, each proven before the next.

import { echo, HoldfastError, say } from "../errors.ts";
import type { ByteSource } from "../text/byte-source.ts";
import type { Splice } from "../text/splice.ts";
import type { JsonEdit, JsonEditReport } from "./edit.ts";
import type { Haste } from "./edit-haste.ts";
import { type Opening, type Planned, spotFor } from "./_edit-insert.ts";
import { layOut, type Shape } from "./_edit-layout.ts";
import { findKey, type Located, locate, missing, shownPath, wrongKind } from "./_edit-locate.ts";
import { type Claim, prove, proveAbsent, proveValue } from "./_edit-prove.ts";
import { removal } from "./_edit-remove.ts";
import { closeAfter, itemRows, rowStart, type Seat, surveyObject } from "./_edit-rows.ts";
import { type Example, exampleAt, exampleBeside, learnExample } from "./_edit-shape.ts";
import { completed, type Frame, habitsAlong, indentAt, learnRow, lineOf, type Style } from "./_edit-style.ts";
import { type GivenValue, type Requested, requested } from "./_edit-value.ts";
import { keyName, openMembers } from "./_members.ts";
import { type JsonIndexes, sharedIndexes } from "./index-store.ts";
import { carryIndex, openScanner, type OpenOptions } from "./open.ts";
import { Overlay } from "./_overlay.ts";
import type { PathStep } from "./path/ast.ts";
import { normalizedPath } from "./path/normalized.ts";
import { writableSteps } from "./path/singular.ts";
import { NONE, PAUSED, type Scanner, settle } from "./scanner.ts";
import { endNow } from "./_value.ts";
import { cutText } from "./_cut.ts";

type Steps<T> = Generator<void, T, void>;

const SHOWN = 200;
const encoder = new TextEncoder();

/** The place of a change and what is said about it. */
type Change = Omit<JsonEditReport, "op" | "path" | "changed"> & { readonly path: readonly PathStep[] };

export interface RunOptions {
  readonly pauseEvery?: number;
  readonly indexes?: JsonIndexes | null;
  /** Look no further than to the place, remember nothing, and note here what was taken for granted. */
  readonly haste?: Haste;
}

export class EditRun {
  overlay: Overlay;
  readonly #mode: "json" | "jsonc";
  readonly #source: ByteSource;
  readonly #open: OpenOptions;
  readonly #haste: Haste | undefined;
  #scanner: Scanner;

  constructor(source: ByteSource, mode: "json" | "jsonc", options: RunOptions) {
    this.#source = source;
    this.overlay = Overlay.over(source);
    this.#mode = mode;
    const { pauseEvery, indexes, haste } = options;
    this.#haste = haste;
    this.#open = {
      ...(pauseEvery === undefined ? {} : { pauseEvery }),
      ...(indexes === undefined ? {} : { indexes }),
      ...(haste === undefined ? {} : { indexes: null, countLines: true }),
    };
    this.#scanner = openScanner(this.overlay, this.#open);
  }

  *apply(edit: JsonEdit): Steps<JsonEditReport> {
    const steps = writableSteps(edit.path);
    const { path, ...change } = yield* this.#dispatch(edit, steps);
    const changed = change.removed > 0 || change.inserted > 0;
    return Object.freeze({ op: edit.op, path: normalizedPath(path), changed, ...change });
  }

  *#dispatch(edit: JsonEdit, steps: readonly PathStep[]): Steps<Change> {
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

  #inner(steps: readonly PathStep[], what: "set" | "deleted" | "inserted" | "renamed"): readonly PathStep[] {
    if (steps.length > 0) return steps;
    throw new HoldfastError(
      "invalid_argument",
      "root_write",
      say`The root cannot be ${what as ReturnType<typeof echo>}. Name a key, or use merge or append at $.`,
    );
  }

  // --- operations -----------------------------------------------------------------------------------------------

  *#set(steps: readonly PathStep[], value: Requested): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1), this.#haste);
    const step = steps.at(-1) ?? "";
    if (typeof step === "string") {
      const found = yield* findKey(this.#scanner, parent.at, step);
      if (found === undefined) return yield* this.#addMember(parent, step, value);
      return yield* this.#replace(parent, found.frame, step, value, found.occurrences);
    }
    const index = yield* this.#index(parent, step);
    const start = index < 0 ? NONE : yield* settle(this.#scanner, this.#scanner.nth(parent.at, index));
    if (start === NONE) throw yield* this.#pastEnd(parent, step);
    const frame: Frame = { at: parent.at, keyStart: NONE, keyEnd: NONE, start };
    return yield* this.#replace(parent, frame, index, value, 1);
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
    frame: Frame,
    step: PathStep,
    value: Requested,
    occurrences: number,
  ): Steps<Change> {
    const scanner = this.#scanner;
    const { start } = frame;
    const end = yield* settle(scanner, scanner.end(start));
    const text = yield* this.#replacement(parent, frame, value);
    const insert = encoder.encode(text);
    const old = cutText(scanner, start, end, SHOWN);
    const same =
      insert.length === end - start && scanner.bytes(start, end).every((byte, i) => byte === insert[i]);
    const line = (yield* settle(scanner, scanner.lines(start))) + 1;
    if (!same) {
      this.#apply([{ at: start, remove: end - start, insert }]);
      yield* proveValue(this.#scanner, start, start + insert.length, { value: value.scanner, at: value.at });
    }
    return {
      path: [...parent.steps, step],
      at: start,
      removed: same ? 0 : end - start,
      inserted: same ? 0 : insert.length,
      line,
      old,
      new: cutText(value.scanner, value.at, value.end, SHOWN),
      valueBytes: insert.length,
      ...(occurrences > 1 ? { duplicates: occurrences } : {}),
    };
  }

  *#replacement(parent: Located, frame: Frame, value: Requested): Steps<string> {
    const scanner = this.#scanner;
    const frames = [...parent.frames, frame];
    const first = frame.keyStart === NONE ? frame.start : frame.keyStart;
    const old = exampleAt(scanner, frame.start);
    const own = lineOf(scanner, first)?.own ?? false;
    return yield* this.#laidOut(value, frame.at, frame.start, frames, old, own, indentAt(scanner, first), []);
  }

  /** The value's text. `example` is what it replaces; otherwise a sibling is looked for. */
  *#laidOut(
    value: Requested,
    container: number,
    self: number,
    frames: readonly Frame[],
    example: Example | undefined,
    ownLine: boolean,
    indent: string,
    rows: Parameters<typeof exampleBeside>[4],
  ): Steps<string> {
    const kind = value.scanner.kind(value.at);
    const isContainer = kind === "object" || kind === "array";
    const scanner = this.#scanner;
    const habits: Parameters<typeof completed>[0] = {};
    let shape: Shape = ownLine ? "lines" : "inline";
    if (isContainer) {
      const model = example ?? (yield* exampleBeside(scanner, container, self, kind === "object", rows));
      if (model !== undefined) {
        shape = model.shape;
        yield* learnExample(scanner, model, habits);
      }
    }
    const style = completed({ ...habitsAlong(scanner, frames, self), ...defined(habits) });
    return layOut(value.scanner, value.at, value.end, style, shape, indent);
  }

  *#addMember(parent: Located, name: string, value: Requested): Steps<Change> {
    const scanner = this.#scanner;
    const kind = scanner.kind(parent.at);
    if (kind !== "object") throw wrongKind(shownPath(parent.steps), kind, "object");
    const { last, beforeLast } = yield* surveyObject(scanner, parent.at, undefined);
    const opening = yield* this.#opening(parent, beforeLast, last, undefined);
    return yield* this.#add(parent, opening, name, value);
  }

  *#opening(
    parent: Located,
    beforePrev: Opening["prev"],
    prev: Opening["prev"],
    next: Opening["next"],
  ): Steps<Opening> {
    const scanner = this.#scanner;
    const container = parent.at;
    const close = next === undefined ? closeAfter(scanner, container, prev) : NONE;
    let emptyInLines = false;
    if (prev === undefined && next === undefined) {
      const holder = parent.frames.at(-1);
      if (holder === undefined) emptyInLines = true;
      else {
        const object = scanner.byte(container) === 0x7b;
        const model = yield* exampleBeside(scanner, holder.at, container, object, []);
        const first = holder.keyStart === NONE ? holder.start : holder.keyStart;
        emptyInLines =
          (model?.shape ?? (lineOf(scanner, first)?.own === true ? "lines" : "inline")) === "lines";
      }
    }
    return { container, beforePrev, prev, next, close, emptyInLines };
  }

  /** Puts a member (or, without a name, an item) into an opening. */
  *#add(parent: Located, opening: Opening, name: string | undefined, value: Requested): Steps<Change> {
    const scanner = this.#scanner;
    const style = this.#styleOf(parent, opening);
    const spot = spotFor(scanner, opening, style);
    const { container, prev, next, close } = opening;
    const self = next === undefined ? close : rowStart(next);
    const rows = [prev, next, opening.beforePrev];
    const frames = [...parent.frames, ...frameOf(container, prev ?? next)];
    const text = yield* this.#laidOut(
      value,
      container,
      self,
      frames,
      undefined,
      spot.ownLine,
      spot.indent,
      rows,
    );
    const key = name === undefined ? "" : `${JSON.stringify(name)}${style.colon}`;
    const plan = spot.plan(`${key}${text}`);
    const delta = this.#apply(plan.splices);
    const claim: Claim = {
      container,
      object: name !== undefined,
      from: prev?.end ?? NONE,
      to: (next === undefined ? close + 1 : rowStart(next)) + delta,
      hasNext: next !== undefined,
      members: 1,
      target: { name, value: value.scanner, at: value.at },
    };
    yield* prove(this.#scanner, claim, this.#mode);
    const index = prev === undefined ? 0 : prev.index + 1;
    return {
      path: [...parent.steps, name ?? index],
      ...rangeOf(plan.splices),
      line: yield* this.#lineOfMember(plan),
      new: cutText(value.scanner, value.at, value.end, SHOWN),
      valueBytes: encoder.encode(text).length,
    };
  }

  *#lineOfMember({ memberAt }: Planned): Steps<number> {
    return (yield* settle(this.#scanner, this.#scanner.lines(memberAt))) + 1;
  }

  #styleOf(parent: Located, { container, beforePrev, prev, next }: Opening): Style {
    const habits: Parameters<typeof completed>[0] = {};
    if (prev !== undefined) learnRow(this.#scanner, container, beforePrev, prev, habits);
    if (next !== undefined) learnRow(this.#scanner, container, prev, next, habits);
    return completed({ ...habitsAlong(this.#scanner, parent.frames, container), ...defined(habits) });
  }

  *#append(steps: readonly PathStep[], value: Requested): Steps<Change> {
    const array = yield* locate(this.#scanner, steps);
    const kind = this.#scanner.kind(array.at);
    if (kind !== "array") throw wrongKind(shownPath(array.steps), kind, "array");
    const count = yield* settle(this.#scanner, this.#scanner.count(array.at));
    return yield* this.#addItem(array, count, count, value);
  }

  *#addItem(array: Located, index: number, count: number, value: Requested): Steps<Change> {
    const from = Math.max(0, index - 2);
    const rows = yield* itemRows(this.#scanner, array.at, from, index - from + 1);
    const row = (i: number): (typeof rows)[number] | undefined => rows.find((one) => one.index === i);
    const opening = yield* this.#opening(array, row(index - 2), row(index - 1), row(index));
    const change = yield* this.#add(array, opening, undefined, value);
    return { ...change, count: count + 1 };
  }

  *#insert(steps: readonly PathStep[], value: Requested): Steps<Change> {
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

  *#delete(steps: readonly PathStep[]): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1));
    const step = steps.at(-1) ?? "";
    if (typeof step === "string") return yield* this.#deleteKey(parent, step);
    const index = yield* this.#index(parent, step);
    const from = Math.max(0, index - 1);
    const rows = index < 0 ? [] : yield* itemRows(this.#scanner, parent.at, from, 3);
    const row = rows.find((one) => one.index === index);
    if (row === undefined) throw yield* missing(this.#scanner, parent.at, step, parent.steps);
    const next = rows.find((one) => one.index === index + 1);
    const prev = rows.find((one) => one.index === index - 1);
    const close = next === undefined ? closeAfter(this.#scanner, parent.at, row) : NONE;
    return yield* this.#removeSeat(parent, { prev, row, next, close }, index);
  }

  /** Every occurrence goes, the last first: deleting one alone would bring the one before it back to life. */
  *#deleteKey(parent: Located, name: string): Steps<Change> {
    const { seats } = yield* surveyObject(this.#scanner, parent.at, name);
    const last = seats.at(-1);
    if (last === undefined) throw yield* missing(this.#scanner, parent.at, name, parent.steps);
    const change = yield* this.#removeSeat(parent, last, name);
    const more = yield* this.#removeTwins(parent, name);
    yield* proveAbsent(this.#scanner, parent.at, name);
    if (more === undefined) return change;
    return { ...joinedChange(change, more), duplicates: seats.length };
  }

  /** Removes what is left of a key, the last occurrence first. */
  *#removeTwins(parent: Located, name: string): Steps<Change | undefined> {
    let all: Change | undefined;
    for (;;) {
      const { seats } = yield* surveyObject(this.#scanner, parent.at, name);
      const seat = seats.at(-1);
      if (seat === undefined) return all;
      const change = yield* this.#removeSeat(parent, seat, name);
      all = all === undefined ? change : joinedChange(all, change);
    }
  }

  *#removeSeat(parent: Located, seat: Seat, step: PathStep): Steps<Change> {
    const scanner = this.#scanner;
    const { prev, row, next, close } = seat;
    const splices = removal(scanner, parent.at, seat);
    const line = (yield* settle(scanner, scanner.lines(rowStart(row)))) + 1;
    const old = cutText(scanner, row.start, row.end, SHOWN);
    const object = row.keyStart !== NONE;
    const delta = this.#apply(splices);
    const claim: Claim = {
      container: parent.at,
      object,
      from: prev?.end ?? NONE,
      to: (next === undefined ? close + 1 : rowStart(next)) + delta,
      hasNext: next !== undefined,
      members: 0,
      target: undefined,
    };
    yield* prove(this.#scanner, claim, this.#mode);
    return { path: [...parent.steps, step], ...rangeOf(splices), line, old, valueBytes: 0 };
  }

  *#rename(steps: readonly PathStep[], name: string): Steps<Change> {
    const parent = yield* locate(this.#scanner, steps.slice(0, -1));
    const step = steps.at(-1) ?? "";
    if (typeof step !== "string")
      throw new HoldfastError("invalid_argument", "not_a_key", say`Only a key can be renamed, not an item.`);
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
      old: cutText(this.#scanner, keyStart, keyEnd, SHOWN),
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
    if (now?.frame.start !== start + delta || !kept.every((byte, i) => byte === held[i]))
      throw new HoldfastError(
        "internal",
        "edit_not_proven",
        say`The key was not renamed. Nothing was changed.`,
      );
    const change: Change = { ...written, ...rangeOf(splices) };
    const more = found.occurrences > 1 ? yield* this.#removeTwins(parent, step) : undefined;
    return more === undefined ? change : { ...joinedChange(change, more), duplicates: found.occurrences };
  }

  *#merge(steps: readonly PathStep[], given: GivenValue, deep: boolean): Steps<Change> {
    const updates = requested(given);
    const target = yield* locate(this.#scanner, steps);
    const kind = this.#scanner.kind(target.at);
    if (kind !== "object") throw wrongKind(shownPath(target.steps), kind, "object");
    if (updates.scanner.kind(updates.at) !== "object")
      throw new HoldfastError(
        "invalid_argument",
        "invalid_value",
        say`Only an object can be merged into an object.`,
      );
    let all: Change | undefined;
    let count = 0;
    const waiting: { readonly path: readonly PathStep[]; readonly at: number }[] = [
      { path: target.steps, at: updates.at },
    ];
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const members = yield* openMembers(updates.scanner, part.at);
      for (let at = members.next(); at !== NONE; at = members.next()) {
        if (at === PAUSED) continue;
        const path = [...part.path, keyName(updates.scanner, members.keyStart, members.keyEnd)];
        if (deep && updates.scanner.kind(at) === "object" && (yield* this.#isObject(path))) {
          waiting.push({ path, at });
          continue;
        }
        const change = yield* this.#set(path, { scanner: updates.scanner, at, end: members.end });
        all = all === undefined ? change : joinedChange(all, change);
        count++;
      }
    }
    const nothing = { at: target.at, removed: 0, inserted: 0, line: 0, valueBytes: 0 };
    if (all === undefined) nothing.line = (yield* settle(this.#scanner, this.#scanner.lines(target.at))) + 1;
    const { at, removed, inserted, line, valueBytes } = all ?? nothing;
    return { path: target.steps, at, removed, inserted, line, valueBytes, count };
  }

  *#isObject(path: readonly PathStep[]): Steps<boolean> {
    const parent = yield* locate(this.#scanner, path.slice(0, -1));
    const found = yield* findKey(this.#scanner, parent.at, String(path.at(-1)));
    return found !== undefined && this.#scanner.kind(found.frame.start) === "object";
  }

  /** Applies splices and answers by how much the document grew. What was known of a large document moves along. */
  #apply(splices: readonly Splice[]): number {
    const before = this.overlay;
    const { indexes } = this.#open;
    this.overlay = before.with(splices);
    if (indexes !== null) carryIndex(before, this.overlay, splices, true, indexes);
    this.#drop(before);
    this.#scanner = openScanner(this.overlay, this.#open);
    return this.overlay.size - before.size;
  }

  /** Nothing is remembered of states that nobody else will see. */
  forget(): void {
    this.#drop(this.overlay);
  }

  #drop(overlay: Overlay): void {
    const { indexes } = this.#open;
    if (overlay.id !== this.#source.id && indexes !== null) (indexes ?? sharedIndexes()).drop(overlay.id);
  }
}

function keyExists(path: readonly PathStep[]): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "key_exists",
    say`${shownPath(path)} exists already. Use set to replace its value.`,
  );
}

function frameOf(container: number, row: Opening["prev"]): readonly Frame[] {
  return row === undefined ? [] : [{ at: container, ...row }];
}

/** Without the fields that are undefined, so that they do not hide others in a spread. */
function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
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
