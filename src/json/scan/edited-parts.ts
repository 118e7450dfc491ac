// Owns: which children of a container an edit may have changed: those that were there before it, and those there now.
// Must never: guess. A part ends where both documents begin a child whose bytes are the same in both.

import type { Splice } from "../../text/splice.ts";
import { type KnownContainer, nearestSample } from "./index-store.ts";
import { keyName } from "./members.ts";
import type { Moves } from "./moves.ts";
import { type Children, type IndexableScanner, NONE } from "./scanner.ts";

/** A child of an edited part. In an array it has no key and no name. */
interface PartChild {
  readonly name: string;
  readonly key: number;
  readonly value: number;
}

/** A stretch of a container that is walked over before and after an edit. */
export interface EditedPart {
  /** In the bytes before the edit. */
  readonly at: number;
  readonly end: number;
  /** In the bytes after it. */
  readonly to: number;
  readonly toEnd: number;
  /** Which child the first of the part was; means nothing in a container that is not counted. */
  readonly ordinal: number;
  readonly was: readonly PartChild[];
  readonly now: readonly PartChild[];
  /** True when the part ends with the container, not with the start of another child. */
  readonly closes: boolean;
}

/** Children that are passed on the way to an edit in a container without samples. */
const MOST_PASSED = 1_000;

/** Steps through children, the next one always at hand. */
class ChildWalk {
  /** Where the next child starts; Infinity after the last. */
  first = Infinity;
  readonly #scanner: IndexableScanner;
  readonly #children: Children;

  constructor(scanner: IndexableScanner, container: number, { place, ordinal }: Start) {
    this.#scanner = scanner;
    this.#children = scanner.childrenFrom(container, place, ordinal);
    this.#step();
  }

  /** One past the closing bracket, after the last child. */
  get close(): number {
    return this.#children.close;
  }

  #step(): void {
    const start = this.#children.next();
    const { keyStart } = this.#children;
    this.first = start === NONE ? Infinity : keyStart === NONE ? start : keyStart;
  }

  /** Goes on to the first child that starts at `place` or later, noting those before it. */
  collect(place: number, into: PartChild[]): void {
    for (; this.first < place; this.#step()) {
      const { keyStart, keyEnd, start } = this.#children;
      const name = keyStart === NONE ? "" : keyName(this.#scanner, keyStart, keyEnd);
      into.push({ name, key: keyStart, value: start });
    }
  }
}

/** A place where a child may begin, and which one. */
interface Start {
  readonly place: number;
  readonly ordinal: number;
}

function startBefore(old: KnownContainer, at: number, last: EditedPart | undefined): Start | undefined {
  let start: Start | undefined;
  if (old.count >= 0) {
    const [ordinal, place] = nearestSample(old.samples, 1, at);
    start = { ordinal, place };
  } else
    for (const { key } of old.names.values())
      if (key !== NONE && key <= at && key > (start?.place ?? NONE)) start = { ordinal: 0, place: key };
  if (last !== undefined && last.end > (start?.place ?? NONE))
    return { ordinal: last.ordinal + last.was.length, place: last.end };
  return start;
}

/** The last child that starts at or before an edit, which may change it; where nothing does, the start itself. */
function lastBefore(
  scanner: IndexableScanner,
  old: KnownContainer,
  start: Start,
  edit: number,
): Start | undefined {
  let last = start;
  const children = scanner.childrenFrom(old.start, start.place, start.ordinal);
  for (let passed = 0; children.next() !== NONE; passed++) {
    const { keyStart, index } = children;
    const place = keyStart === NONE ? children.start : keyStart;
    if (place > edit) break;
    if (old.count < 0 && passed > MOST_PASSED) return undefined;
    last = { place, ordinal: index };
  }
  return last;
}

/**
 * The parts of the container `old`, now at `moved`, that hold the `direct` splices. `far`: nothing near them is known.
 * `forget`: the container is no longer what it was.
 */
export function editedParts(
  old: KnownContainer,
  moved: KnownContainer,
  direct: readonly Splice<number>[],
  moves: Moves,
  before: IndexableScanner,
  after: IndexableScanner,
): readonly EditedPart[] | "far" | "forget" {
  const parts: EditedPart[] = [];
  let next = 0;
  for (let first = direct[next]; first !== undefined; first = direct[next]) {
    const known = startBefore(old, first.at, parts.at(-1));
    const start = known === undefined ? undefined : lastBefore(before, old, known, first.at);
    if (start === undefined) return "far";
    const to = moves.boundary(start.place);
    const [was, now]: [PartChild[], PartChild[]] = [[], []];
    const oldWalk = new ChildWalk(before, old.start, start);
    let newWalk: ChildWalk | undefined;
    for (;;) {
      let edit = direct[next];
      for (; edit !== undefined && (edit === first || edit.at < oldWalk.first); edit = direct[++next])
        oldWalk.collect(Math.max(edit.at + edit.remove, start.place + 1), was);
      newWalk ??= new ChildWalk(after, moved.start, { ...start, place: to });
      const target = oldWalk.first === Infinity ? Infinity : moves.boundary(oldWalk.first);
      newWalk.collect(target, now);
      if (newWalk.first === target) break;
      oldWalk.collect(newWalk.first === Infinity ? Infinity : oldWalk.first + 1, was);
    }
    const closes = oldWalk.first === Infinity;
    if (closes && (oldWalk.close !== old.end || newWalk.close !== moved.end)) return "forget";
    parts.push({
      at: start.place,
      end: closes ? old.end - 1 : oldWalk.first,
      to,
      toEnd: closes ? moved.end - 1 : newWalk.first,
      ordinal: start.ordinal,
      was,
      now,
      closes,
    });
  }
  return parts;
}
