// Owns: what one run of a query shares: the scanner, the bounds, the compiled filters, what `$` in a filter gave.

import type { Steps } from "../../text/steps.ts";
import { Keys, NONE, type Scanner } from "../scan/scanner.ts";
import { keyName } from "../scan/members.ts";
import type { LogicalExpr, JsonPathStep } from "./ast.ts";
import { compileQueryFilter, type QueryFilter } from "./compile-filter.ts";

/** Where a node is below its parent. The name is decoded only when asked for. */
export class Trail {
  readonly parent: Trail | undefined;
  readonly keyStart: number;
  readonly keyEnd: number;
  #step: JsonPathStep | undefined;

  constructor(
    parent: Trail | undefined,
    step: JsonPathStep | undefined,
    keyStart: number = NONE,
    keyEnd: number = NONE,
  ) {
    this.parent = parent;
    this.#step = step;
    this.keyStart = keyStart;
    this.keyEnd = keyEnd;
  }

  step(scanner: Scanner): JsonPathStep {
    this.#step ??= keyName(scanner, this.keyStart, this.keyEnd);
    return this.#step;
  }
}

/** The steps from the root to a place. */
export function stepsTo(place: Trail | undefined, scanner: Scanner): JsonPathStep[] {
  const steps: JsonPathStep[] = [];
  for (let at = place; at !== undefined; at = at.parent) steps.push(at.step(scanner));
  return steps.reverse();
}

/** A selected value: where it starts, and where it ends when that is known. */
export interface Node {
  readonly start: number;
  readonly end: number;
  readonly place: Trail | undefined;
  /** The member that the next step asks for, when it was met on the way: its start, or NONE when there is none. */
  readonly known?: number | undefined;
}

/** Yields nodes, and undefined where others may run. */
export type NodeSteps = Generator<Node | undefined, void, void>;

/** Takes steps inside a walk over nodes: their pauses become those of the walk. */
export function* pauses<T>(steps: Steps<T>): Steps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield undefined;
  }
}

/** Thrown inside a run whose bounds are used up; never leaves `evaluate`. */
export class Exhausted extends Error {
  readonly by: "steps" | "time";

  constructor(by: "steps" | "time") {
    super(by);
    this.by = by;
  }
}

const CLOCK_EVERY = 128;

export class Evaluation {
  readonly scanner: Scanner;
  readonly root: Node;
  steps = 0;
  readonly #maxSteps: number;
  readonly #deadline: number;
  readonly #now: () => number;
  readonly #filters = new Map<LogicalExpr, QueryFilter>();
  readonly #keys = new Map<string, Keys>();

  constructor(
    scanner: Scanner,
    bounds: { readonly maxSteps: number; readonly maxMillis: number; readonly now: () => number },
  ) {
    this.scanner = scanner;
    this.root = { start: scanner.root(), end: NONE, place: undefined };
    this.#maxSteps = bounds.maxSteps;
    this.#now = bounds.now;
    this.#deadline = bounds.now() + bounds.maxMillis;
  }

  /** Counts one node looked at. True now and then: a good moment for yielding. */
  tick(): boolean {
    if (++this.steps > this.#maxSteps) throw new Exhausted("steps");
    if (this.steps % CLOCK_EVERY !== 0) return false;
    if (this.#now() > this.#deadline) throw new Exhausted("time");
    return true;
  }

  /** Counts `many` nodes in one go, which may be none. */
  ticks(many: number): boolean {
    const before = this.steps;
    this.steps += many;
    if (this.steps > this.#maxSteps) throw new Exhausted("steps");
    if (Math.floor(before / CLOCK_EVERY) === Math.floor(this.steps / CLOCK_EVERY)) return false;
    if (this.#now() > this.#deadline) throw new Exhausted("time");
    return true;
  }

  #endedAt = NONE;
  #ended = NONE;

  /** Notes in passing that the value at `start` ends at `end`. */
  ended(start: number, end: number): void {
    this.#endedAt = start;
    this.#ended = end;
  }

  /** The end of the value at `start`, when it was the last one noted. */
  endOf(start: number): number | undefined {
    return start === this.#endedAt ? this.#ended : undefined;
  }

  /** The look-up of one name, made once a run. */
  key(name: string): Keys {
    let keys = this.#keys.get(name);
    if (keys === undefined) {
      keys = new Keys(name);
      this.#keys.set(name, keys);
    }
    return keys;
  }

  /**
   * A filter is compiled once a run: it holds the state of the test under way. `nextName` is the member that will be
   * asked of each element that passes.
   */
  filter(test: LogicalExpr, nextName: string | undefined): QueryFilter {
    let filter = this.#filters.get(test);
    if (filter === undefined) {
      filter = compileQueryFilter(this.scanner, test, nextName);
      this.#filters.set(test, filter);
    }
    return filter;
  }
}
