// Owns: a filter over the values of an object, in the one pass that also looks for keys that occur twice.
// Must never: let a match count before the rest of the object is known to hold no second member of its name.

import type { Steps } from "../../text/steps.ts";
import { readsAs } from "../scan/reads-as.ts";
import { KeyTable } from "../scan/key-table.ts";
import { hashKey, keyName } from "../scan/members.ts";
import { Rows } from "../scan/rows.ts";
import { NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { endNow } from "../scan/value.ts";
import { type QueryFilter, NEED } from "./compile-filter.ts";
import { type Evaluation, type NodeSteps, pauses } from "./evaluation.ts";
import { isFull, put, type Sink } from "./match.ts";
import { testSteps } from "./select.ts";

/** Keys of one object that are remembered, at most: they take about 24 bytes each. */
const MOST_NAMES = 1 << 20;

const encoder = new TextEncoder();

/** The keys of an object that a walk has come by. */
class Names {
  /** True when a key has occurred twice, or when there are too many to be sure that none has. */
  twins = false;
  readonly #table = new KeyTable();

  /** Coming by the same place again changes nothing. */
  meet(scanner: Scanner, keyStart: number, keyEnd: number): void {
    const hash = hashKey(scanner, keyStart, keyEnd);
    const alike = this.#table.candidates(hash);
    if (alike.includes(keyStart)) return;
    if (alike.length > 0) {
      const name = keyName(scanner, keyStart, keyEnd);
      const raw = encoder.encode(name);
      this.twins ||= alike.some((place) => readsAs(scanner, place, name, raw));
    }
    if (!this.#table.add(hash, keyStart) || this.#table.size > MOST_NAMES) this.twins = true;
  }
}

/**
 * The members of an object, one by one. A caller that looks at a value learns where it ends and says so: nothing is walked
 * over twice.
 */
export class MemberWalk {
  keyStart: number = NONE;
  readonly #scanner: Scanner;
  readonly #names: Names;
  #at: number;

  private constructor(scanner: Scanner, names: Names, at: number) {
    this.#scanner = scanner;
    this.#names = names;
    this.#at = at;
  }

  /** All members of the object at `at`. */
  static over(scanner: Scanner, at: number): MemberWalk {
    return new MemberWalk(scanner, new Names(), scanner.blank(at + 1));
  }

  /** Another walk from here on. What either comes by is known to both. */
  ahead(): MemberWalk {
    return new MemberWalk(this.#scanner, this.#names, this.#at);
  }

  /** See {@link Names.twins}. */
  get twins(): boolean {
    return this.#names.twins;
  }

  /** One past the closing bracket, once all members have been passed. */
  get close(): number {
    return this.#scanner.byte(this.#at) === 0x7d ? this.#at + 1 : NONE;
  }

  /** Start of the next member's value; NONE: no more. */
  next(): number {
    const scanner = this.#scanner;
    if (scanner.byte(this.#at) !== 0x22) return NONE;
    this.keyStart = this.#at;
    const keyEnd = endNow(scanner, this.#at);
    this.#names.meet(scanner, this.keyStart, keyEnd);
    const colon = scanner.blank(keyEnd);
    return scanner.byte(colon) === 0x3a ? scanner.blank(colon + 1) : NONE;
  }

  /** The value that `next` returned ends here. */
  passed(end: number): void {
    const at = this.#scanner.blank(end);
    this.#at = this.#scanner.byte(at) === 0x2c ? this.#scanner.blank(at + 1) : at;
  }
}

/** Puts what passes the filter into `sink`, or its member `below`. Yields where others may run and when it is full. */
export function* filterMembersInto(
  ev: Evaluation,
  filter: QueryFilter,
  members: MemberWalk,
  below: string | undefined,
  sink: Sink,
): NodeSteps {
  const { scanner } = ev;
  const { keys } = filter;
  const rows = keys === undefined ? undefined : new Rows(keys);
  const known = below === undefined ? -1 : (keys?.names.indexOf(below) ?? -1);
  for (let at = members.next(); at !== NONE && !members.twins; at = members.next()) {
    if (ev.tick() || isFull(sink)) yield undefined;
    let end: number;
    if (keys === undefined || scanner.byte(at) !== 0x7b) {
      keys?.clear();
      end = scanner.end(at);
    } else if (rows !== undefined && scanner.rows(at, rows) > 0) {
      rows.take(0);
      end = rows.endOf(0);
    } else end = scanner.find(at, keys);
    if (end === PAUSED) end = yield* pauses(settle(scanner, end));
    if (end === NONE) return;
    filter.start(at);
    let result = filter.test();
    if (result === NEED) result = yield* pauses(testSteps(ev, filter, at));
    const start = below === undefined ? at : (keys?.values[known] ?? NONE);
    if (result && start !== NONE) {
      let far = below === undefined ? end : scanner.end(start);
      if (far === PAUSED) far = yield* pauses(settle(scanner, far));
      put(sink, start, far, members.keyStart);
    }
    members.passed(end);
  }
}

/** Comes by the members that are left. Returns one past the object's end; NONE when it does not close. */
export function* passRest(scanner: Scanner, members: MemberWalk): Steps<number> {
  const rest = members.ahead();
  for (let at = rest.next(); at !== NONE && !rest.twins; at = rest.next()) {
    const end = yield* settle(scanner, scanner.end(at));
    if (end === NONE) return NONE;
    rest.passed(end);
  }
  if (rest.close === NONE) scanner.suspect();
  return rest.close;
}
