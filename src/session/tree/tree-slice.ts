// Owns: the trees of a session as a slice: operations of the tree room as changes of the journal.
// Must never: decide what an operation means; the tree room does.

import { echo, say, type Shown } from "../../errors.ts";
import type { Key, Position } from "../../store/journal.ts";
import {
  apply,
  betweenSteps,
  decode,
  diffForestSteps,
  EMPTY_FOREST,
  encode,
  invert,
  keysOf,
  prepareSteps,
  rebase,
  refuse,
  type DiffNode,
  type Forest,
  type TreeRefusal,
  type TreeOp,
} from "../../tree/operations.ts";
import { Pacer, runNow, type Steps } from "../../text/steps.ts";
import type { Refusal, Slice, SliceDiff } from "../slice.ts";
import { undoByRebase, type Rebasable } from "../undo-by-rebase.ts";

export interface TreesState {
  readonly forest: Forest;
  /** The record that last changed each tree, also one that is out of sight. */
  readonly at: ReadonlyMap<string, Position>;
}

/** What tools see of the trees. The forest is always whole; the keys named are those the call depends on. */
export interface TreesReader {
  /** For calls that look at the trees named. */
  of(trees: Iterable<string>): Forest;
  /** For calls that look everywhere: which trees there are, and all that is in them. */
  all(): Forest;
  /** Without naming anything: to find out which trees a call is about. */
  peek(): Forest;
  at(tree: string): Position | undefined;
}

/** Which trees there are. */
export const TREES_KEY: Key = "trees";

export function treeKey(tree: string): Key {
  return `tree:${tree}`;
}

/** The tree that a key is about; undefined for a key of something else. */
export function treeOfKey(key: Key): string | undefined {
  return key.startsWith("tree:") ? key.slice("tree:".length) : undefined;
}

const NO_WEIGHT = Object.freeze({ bytes: 0, files: 0 });

const changes: Rebasable<TreesState, TreeOp> = {
  name: "tree",
  apply: ({ forest, at }, change, stamp) => ({
    forest: apply(forest, change),
    at: new Map(at).set(change.tree, stamp.at),
  }),
  prepare: ({ forest }, change) => prepareSteps(forest, change),
  refuse: ({ forest }, change) => refuse(forest, change).map(refusalOf),
  part: ({ tree }) => tree,
  invert,
  rebase(change, since) {
    const rebased = rebase(change, since);
    return Array.isArray(rebased) ? rebased.map(refusalOf) : rebased;
  },
  settle: ({ forest }, change) => {
    const settled = rebase(change, [], forest);
    return Array.isArray(settled) ? change : settled;
  },
};

export const treeSlice: Slice<TreesState, TreeOp, TreesReader> = {
  ...changes,
  empty: () => ({ forest: EMPTY_FOREST, at: new Map() }),
  reader: (state, read) => new TreesView(state, read),
  undo: undoByRebase(changes),
  between: (from, to, scope) => betweenSteps(from.forest, to.forest, scope),
  keys: (_state, change) =>
    change.op === "create" || change.op === "drop" || change.op === "raise"
      ? [...keysOf(change), TREES_KEY]
      : keysOf(change),
  blobs: () => [],
  weigh: () => NO_WEIGHT,
  diff: (from, to, scope) => runNow(diffTreesSteps(from, to, scope)),
  diffSteps: diffTreesSteps,
  encode: encodeTrees,
  decode: decodeTrees,
};

class TreesView implements TreesReader {
  readonly #state: TreesState;
  readonly #read: (key: Key) => void;

  constructor(state: TreesState, read: (key: Key) => void) {
    this.#state = state;
    this.#read = read;
  }

  of(trees: Iterable<string>): Forest {
    for (const tree of trees) this.#read(treeKey(tree));
    return this.#state.forest;
  }

  all(): Forest {
    this.#read(TREES_KEY);
    return this.of(this.#state.forest.all.keys());
  }

  peek(): Forest {
    return this.#state.forest;
  }

  at(tree: string): Position | undefined {
    return this.#state.at.get(tree);
  }
}

const MISSING: ReadonlySet<string> = new Set(["tree_not_found", "node_not_found", "node_removed"]);

function refusalOf({ tree, reason, message }: TreeRefusal): Refusal {
  return { key: treeKey(tree), code: MISSING.has(reason) ? "not_found" : "conflict", reason, message };
}

function* diffTreesSteps(from: TreesState, to: TreesState, scope?: string): Steps<SliceDiff> {
  const { created, dropped, trees } = yield* diffForestSteps(from.forest, to.forest, scope);
  const [added, changed, removed] = [
    new Set(created.map(echoTree)),
    new Set<Shown>(),
    new Set(dropped.map(echoTree)),
  ];
  for (const { tree, diff } of trees) {
    yield* addNamesSteps(added, tree, diff.added);
    yield* addNamesSteps(removed, tree, diff.removed);
    for (const nodes of [diff.moved, diff.reordered, diff.changed, diff.tags])
      yield* addNamesSteps(changed, tree, nodes);
  }
  return { added: [...added], changed: [...changed], removed: [...removed] };
}

function* addNamesSteps(names: Set<Shown>, tree: string, nodes: readonly DiffNode[]): Steps<void> {
  for (const { path } of nodes) {
    names.add(say`${echoTree(tree)} ${echo(path)}`);
    yield;
  }
}

function echoTree(tree: string): Shown {
  return tree as Shown;
}

/*
 * A checkpoint is four bytes with the length of the places, big-endian; the places as JSON; then the forest as its
 * room writes it, which is read while it arrives.
 */
const HEAD = 4;
const PIECE = 32 * 1024;

function* encodeTrees({ forest, at }: TreesState): Generator<Uint8Array, void, undefined> {
  const places = new TextEncoder().encode(JSON.stringify([...at]));
  const head = new Uint8Array(HEAD);
  new DataView(head.buffer).setUint32(0, places.length);
  yield head;
  yield places;
  yield* encode(forest);
}

async function decodeTrees(chunks: AsyncIterable<Uint8Array>): Promise<TreesState> {
  const pieces = chunks[Symbol.asyncIterator]();
  let held = new Uint8Array(0);
  const take = async (length: number): Promise<Uint8Array> => {
    while (held.length < length) {
      const { value, done } = await pieces.next();
      if (done === true) break;
      held = joined(held, value);
    }
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  };
  const head = await take(HEAD);
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const places = JSON.parse(new TextDecoder().decode(await take(length))) as [string, Position][];
  const pace = new Pacer();
  // In small pieces: others go on while a large forest is put together.
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    for (let chunk: Uint8Array | undefined = held; chunk !== undefined;) {
      for (let at = 0; at < chunk.length; at += PIECE) {
        yield chunk.subarray(at, at + PIECE);
        await pace.step();
      }
      const { value, done } = await pieces.next();
      chunk = done === true ? undefined : value;
    }
  };
  return { forest: await decode(rest()), at: new Map(places) };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
