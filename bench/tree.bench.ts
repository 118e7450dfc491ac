// Owns: how trees of 10,000 to 1,000,000 nodes compare with the libraries people keep such trees in today.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compile, selectAll, type Options } from "css-select";
import {
  addChild,
  compileSelector,
  decodeSync,
  diff,
  encode,
  getPath,
  moveBefore,
  runNow,
  search,
  selectSteps,
  updatePayloadProperty,
  type Forest,
  applyAll,
  between,
  EMPTY_FOREST,
  invert,
  removeNode,
} from "../src/tree/operations.ts";
import {
  buildForest,
  ImmutableTree,
  MutativeTree,
  parentOf,
  payloadOf,
  plainNodes,
  PlainTree,
  type PlainNode,
  typeOf,
  type PeerTree,
  type Shape,
} from "./_trees.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject, type Values } from "./harness.ts";

interface Size {
  readonly count: number;
  readonly shape: Shape;
}

const id = (i: number): string => `n${i.toString(36)}`;

/** Spreads over the whole tree, the same for every subject. */
function* places(count: number): Generator<number, never> {
  for (let at = 1; ; at = (at * 1_664_525 + 1_013_904_223) % 4_294_967_296) yield 1 + (at % (count - 1));
}

// ---- memory

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

function bytesHeld(): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

// ---- subjects

const PEERS: readonly [string, () => PeerTree][] = [
  ["Map + structuredClone", () => new PlainTree()],
  ["mutative", () => new MutativeTree()],
  ["immutable.js", () => new ImmutableTree()],
];

type Work = (size: Size) => Started;

function subject(name: string, start: Work): Subject<Size> {
  return { name, start };
}

function versus(
  peer: (tree: PeerTree, size: Size) => Started,
  without: readonly string[] = [],
): Subject<Size>[] {
  return PEERS.filter(([name]) => !without.includes(name)).map(([name, make]) =>
    subject(name, (size) => {
      const tree = make();
      tree.build(size.count, size.shape);
      return peer(tree, size);
    }),
  );
}

/** Large trees get a process each, so that one subject's garbage does not slow another. */
function sized(
  name: string,
  size: Size,
  ours: Work,
  peers: readonly Subject<Size>[],
  more: object = {},
): AnyCase {
  return defineCase<Size>({
    name,
    setup: () => size,
    isolate: size.count >= 1_000_000,
    rounds: size.count >= 1_000_000 ? 5 : 9,
    ours: subject("holdfast", ours),
    peers,
    ...more,
  });
}

function label(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000}M nodes` : `${count / 1_000}k nodes`;
}

// ---- cases

/** Builds the tree, and says what it weighs, and what each kept version with one edit adds. */
function building(count: number): AnyCase {
  const weigh = (build: () => unknown, keep: (held: unknown) => unknown, versions: number): Started => {
    const before = bytesHeld();
    let held = build();
    const built = bytesHeld();
    return {
      run: () => {
        held = undefined;
        held = build();
        return count;
      },
      values: (): Values => {
        const kept = [];
        const base = bytesHeld();
        for (let i = 0; i < versions; i++) kept.push(keep(held));
        const grown = bytesHeld();
        return {
          "bytes per node": (built - before) / count,
          "bytes per kept version": (grown - base) / kept.length,
        };
      },
    };
  };
  return sized(
    label(count),
    { count, shape: "bushy" },
    () => {
      let at = 0;
      return weigh(
        () => buildForest(count, "bushy"),
        (held) =>
          updatePayloadProperty(held as Forest, {
            nodeId: id((at++ * 7_919) % count),
            propertyName: "title",
            newValue: `v${at}`,
          }).forest,
        200,
      );
    },
    PEERS.map(([name, make]) =>
      subject(name, () => {
        // Where a version is a copy of the whole, a few of them say enough, and more would not fit.
        const versions = name === "immutable.js" ? 200 : 3;
        let at = 0;
        return weigh(
          () => {
            const tree = make();
            tree.build(count, "bushy");
            return tree;
          },
          (held) => {
            (held as PeerTree).setTitle((at++ * 7_919) % count, `v${at}`);
            return (held as PeerTree).snapshot();
          },
          versions,
        );
      }),
    ),
    { isolate: true, rounds: 1, warmups: 0 },
  );
}

/** With foreign ids every node also has a text of its own and a cell in the index. */
const foreign: AnyCase = sized(
  "1M nodes with foreign ids",
  { count: 1_000_000, shape: "bushy" },
  ({ count }) => {
    const before = bytesHeld();
    const forest = buildForest(count, "bushy", true);
    const bytes = (bytesHeld() - before) / count;
    const place = places(count);
    return {
      run: () => forest.node(`item-${place.next().value}`).slot > 0,
      values: () => ({ "bytes per node": bytes }),
    };
  },
  [],
  { repeat: "auto" },
);

function snapshot(count: number): AnyCase {
  return sized(
    `snapshot of ${label(count)}`,
    { count, shape: "bushy" },
    () => {
      const forest = buildForest(count, "bushy");
      const ring: unknown[] = [];
      let at = 0;
      return {
        run: () => {
          ring[at++ & 63] = forest.tree("t1");
          return 1;
        },
      };
    },
    versus((tree) => {
      const ring: unknown[] = [];
      let at = 0;
      return {
        run: () => {
          ring[at++ & 1] = tree.snapshot();
          return 1;
        },
      };
    }),
    { repeat: "auto", rounds: 3, warmups: 1 },
  );
}

const SHAPED: { readonly [S in Shape]: string } = {
  bushy: "",
  wide: ", all siblings",
  deep: ", 1,000 levels deep",
};

/**
 * One property, checked and applied in its own epoch; the version before stays readable. In a tree that something was
 * removed from, an edit also has to find out that its node is not among that.
 */
function editing(count: number, shape: Shape = "bushy", removed = false): AnyCase {
  return sized(
    `edit in ${label(count)}${SHAPED[shape]}${removed ? ", after a removal" : ""}`,
    { count, shape },
    () => {
      let forest = buildForest(count, shape);
      if (removed) forest = removeNode(forest, { nodeId: id(count - 1) }).forest;
      const place = places(count - 1);
      let n = 0;
      return {
        run: () => {
          const nodeId = id(place.next().value);
          forest = updatePayloadProperty(forest, {
            nodeId,
            propertyName: "title",
            newValue: `edit ${n++}`,
          }).forest;
          return 1;
        },
      };
    },
    versus(
      (tree) => {
        const place = places(count - 1);
        let n = 0;
        return {
          run: () => {
            tree.setTitle(place.next().value, `edit ${n++}`);
            return 1;
          },
        };
      },
      // It changes in place and keeps no version; with a snapshot before each edit it costs what "snapshot" says.
      ["Map + structuredClone"],
    ),
    { repeat: "auto", rounds: count >= 1_000_000 ? 5 : 9 },
  );
}

function diffing(count: number): AnyCase {
  return sized(
    `diff of 10 edits in ${label(count)}`,
    { count, shape: "bushy" },
    () => {
      const before = buildForest(count, "bushy");
      let after = before;
      const place = places(count);
      for (let i = 0; i < 10; i++)
        after = updatePayloadProperty(after, {
          nodeId: id(place.next().value),
          propertyName: "title",
          newValue: `edit ${i}`,
        }).forest;
      return { run: () => diff(before.tree(), after.tree()).changed.length };
    },
    versus((tree) => {
      const before = tree.snapshot();
      const place = places(count);
      for (let i = 0; i < 10; i++) tree.setTitle(place.next().value, `edit ${i}`);
      return { run: () => tree.diff(before) };
    }),
    { repeat: "auto", rounds: 5, agree: (a: unknown, b: unknown) => a === b },
  );
}

function searching(count: number): AnyCase {
  return sized(
    `search in ${label(count)}`,
    { count, shape: "bushy" },
    () => {
      const forest = buildForest(count, "bushy");
      const selector = compileSelector("Task[prio>=5]");
      const tree = forest.tree();
      return { run: () => runNow(selectSteps(tree, 0, selector)).length };
    },
    versus((tree) => ({ run: () => tree.countTasks() })),
    { rounds: 5, agree: (a: unknown, b: unknown) => a === b },
  );
}

const pages: AnyCase = sized(
  "first page of a search in 100k nodes",
  { count: 100_000, shape: "bushy" },
  () => {
    const forest = buildForest(100_000, "bushy");
    const filters = [
      { path: "status", op: "eq" as const, value: "open" },
      { path: "PayloadType", op: "eq" as const, value: "Task" },
    ];
    return { run: () => search({ forest }, { filters }).total };
  },
  [],
);

const siblings: AnyCase = sized(
  "insert before among 1M siblings",
  { count: 1_000_000, shape: "wide" },
  ({ count }) => {
    let forest = buildForest(count, "wide");
    const place = places(count);
    return {
      run: () => {
        const made = addChild(forest, {
          parentNodeId: "n0",
          payloadType: "Task",
          payloadProps: payloadOf(1),
        });
        forest = moveBefore(made.forest, {
          nodeId: made.result.nodeId,
          siblingId: id(place.next().value),
        }).forest;
        return 1;
      },
    };
  },
  versus((tree, { count }) => {
    const place = places(count);
    return {
      run: () => {
        tree.insertBefore(place.next().value);
        return 1;
      },
    };
  }),
  { repeat: "auto", rounds: 3 },
);

const deep: AnyCase = sized(
  "path at depth 1,000 in 1M nodes",
  { count: 1_000_000, shape: "deep" },
  () => {
    const forest = buildForest(1_000_000, "deep");
    return { run: () => getPath(forest, { nodeId: id(500_000) }).length - 1 };
  },
  versus((tree) => ({ run: () => tree.depth(500_000) })),
  { repeat: "auto", rounds: 3, agree: (a: unknown, b: unknown) => a === b },
);

/** What undo costs in memory: a removed branch stays as it is, until its tree is written out and read in anew. */
const removing: AnyCase = sized(
  "remove half of 1M nodes, and undo",
  { count: 1_000_000, shape: "bushy" },
  ({ count }) => {
    const start = bytesHeld();
    const whole = buildForest(count, "bushy");
    const built = bytesHeld();
    const tops = ["n1", "n2", "n3", "n4", "n5"];
    const remove = (forest: Forest): Forest =>
      tops.reduce((left, nodeId) => removeNode(left, { nodeId }).forest, forest);
    return {
      run: () => {
        const { ops, forest } = removeNode(whole, { nodeId: "n1" });
        return applyAll(forest, ops.map((op) => invert(op)).reverse()).tree().live;
      },
      values: (): Values => {
        const left = remove(whole);
        const kept = bytesHeld() - built;
        const reopened = decodeSync(encode(left));
        const again = bytesHeld() - built - kept;
        const fresh = applyAll(EMPTY_FOREST, between(EMPTY_FOREST, left));
        const swept = bytesHeld() - built - kept - again;
        return {
          "bytes per node": (built - start) / count,
          "more after removing half": kept / count,
          "reopened, with undo": again / count,
          "made anew, without": swept / count,
          "nodes left": Math.min(left.tree().live, reopened.tree().live, fresh.tree().live),
        };
      },
    };
  },
  [],
  { repeat: "auto", rounds: 3, warmups: 1 },
);

const reopening: AnyCase = sized(
  "checkpoint of 1M nodes, read back",
  { count: 1_000_000, shape: "bushy" },
  () => {
    const forest = buildForest(1_000_000, "bushy");
    const started = performance.now();
    const chunks = [...encode(forest)];
    const writing = performance.now() - started;
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    return {
      run: () => decodeSync(chunks).tree().live,
      values: () => ({ writing, "bytes per node on disk": bytes / 1_000_000 }),
    };
  },
  [],
  { rounds: 3, warmups: 1 },
);

// ---- selectors

interface Element {
  readonly type: string;
  readonly attributes: { [name: string]: string | number };
  readonly children: Element[];
  parent: Element | null;
}

function elements(count: number): Element[] {
  const all: Element[] = [];
  for (let i = 0; i < count; i++) {
    const parent = i === 0 ? null : (all[parentOf("bushy", i)] as Element);
    const element: Element = { type: typeOf(i), attributes: payloadOf(i), children: [], parent };
    parent?.children.push(element);
    all.push(element);
  }
  return all;
}

const adapter: NonNullable<Options<Element, Element>["adapter"]> = {
  isTag: (node): node is Element => node.type !== "",
  getAttributeValue: (element, name) => {
    const value = element.attributes[name];
    return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
  },
  getChildren: (node) => node.children,
  getName: (element) => element.type,
  getParent: (node) => node.parent,
  getSiblings: (node) => node.parent?.children ?? [node],
  getText: () => "",
  hasAttrib: (element, name) => Object.hasOwn(element.attributes, name),
  removeSubsets: (nodes) => nodes,
};

/** The same over nodes by id with lists of child ids: the layout of a tree that is addressed by id, as here. */
function mapAdapter(
  nodes: ReadonlyMap<string, PlainNode>,
): NonNullable<Options<PlainNode, PlainNode>["adapter"]> {
  const all = (ids: readonly string[]): PlainNode[] => ids.map((id) => nodes.get(id) as PlainNode);
  return {
    isTag: (node): node is PlainNode => node.type !== "",
    getAttributeValue: (node, name) => {
      const value = (node as unknown as { [name: string]: unknown })[name];
      return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
    },
    getChildren: (node) => all(node.children),
    getName: (node) => node.type,
    getParent: (node) => (node.parent === null ? null : (nodes.get(node.parent) ?? null)),
    getSiblings: (node) => (node.parent === null ? [node] : all(nodes.get(node.parent)?.children ?? [])),
    getText: () => "",
    hasAttrib: (node, name) => Object.hasOwn(node, name),
    removeSubsets: (list) => list,
  };
}

/** Ours, for css-select, for esquery. */
const SELECTORS: readonly (readonly [ours: string, css: string, es: string])[] = [
  ['Task[status="open"]', 'Task[status="open"]', 'Task[attributes.status="open"]'],
  ['Task[status="open"] > Note', 'Task[status="open"] > Note', 'Task[attributes.status="open"] > Note'],
  ['Task Note[title*="99"]', 'Task Note[title*="99"]', "Task Note[attributes.title=/99/]"],
  ["Task Note Step Link", "Task Note Step Link", "Task Note Step Link"],
];

interface Esquery {
  parse(text: string): unknown;
  match(root: unknown, selector: unknown, options: { visitorKeys: Record<string, string[]> }): unknown[];
}

const selecting: AnyCase = sized(
  "select in 100k nodes",
  { count: 100_000, shape: "bushy" },
  ({ count }) => {
    const tree = buildForest(count, "bushy").tree();
    const selectors = SELECTORS.map(([ours]) => compileSelector(ours));
    return { run: () => selectors.map((selector) => runNow(selectSteps(tree, 0, selector)).length) };
  },
  [
    // Its best case, and the one the goal is judged by: compiled selectors over nested objects, nothing to look up.
    subject("css-select", ({ count }) => {
      const [root] = elements(count);
      const options = { adapter, xmlMode: true };
      const queries = SELECTORS.map(([, css]) => compile<Element, Element>(css, options));
      return { run: () => queries.map((query) => selectAll(query, [root as Element], options).length) };
    }),
    subject("css-select, nodes by id", ({ count }) => {
      const nodes = plainNodes(count, "bushy");
      const options = { adapter: mapAdapter(nodes), xmlMode: true };
      const root = nodes.get("n0") as PlainNode;
      const queries = SELECTORS.map(([, css]) => compile<PlainNode, PlainNode>(css, options));
      return { run: () => queries.map((query) => selectAll(query, [root], options).length) };
    }),
    {
      name: "esquery",
      start: async ({ count }) => {
        const [root] = elements(count);
        const name = "esquery";
        const { default: esquery } = (await import(name)) as { default: Esquery };
        const visitorKeys = Object.fromEntries(
          ["Task", "Note", "File", "Step", "Link"].map((type) => [type, ["children"]]),
        );
        const selectors = SELECTORS.map(([, , es]) => esquery.parse(es));
        return {
          run: () => selectors.map((selector) => esquery.match(root, selector, { visitorKeys }).length),
        };
      },
    },
  ],
  {
    rounds: 9,
    warmups: 2,
    repeat: 20,
    agree: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b),
  },
);

/** An agent edits, then asks again: what the last query remembered is only as good as what it need not read anew. */
const selectingAfterEdits: AnyCase = sized(
  "select in 100k nodes, each after an edit",
  { count: 100_000, shape: "bushy" },
  ({ count }) => {
    let forest = buildForest(count, "bushy");
    const selectors = SELECTORS.map(([ours]) => compileSelector(ours));
    const place = places(count);
    let n = 0;
    return {
      run: () =>
        selectors.map((selector) => {
          const edit = { nodeId: id(place.next().value), propertyName: "prio", newValue: n++ };
          forest = updatePayloadProperty(forest, edit).forest;
          return runNow(selectSteps(forest.tree(), 0, selector)).length;
        }),
    };
  },
  [
    subject("css-select", ({ count }) => {
      const all = elements(count);
      const options = { adapter, xmlMode: true };
      const queries = SELECTORS.map(([, css]) => compile<Element, Element>(css, options));
      const place = places(count);
      let n = 0;
      return {
        run: () =>
          queries.map((query) => {
            (all[place.next().value] as Element).attributes["prio"] = n++;
            return selectAll(query, [all[0] as Element], options).length;
          }),
      };
    }),
  ],
  { rounds: 5, repeat: 20, agree: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b) },
);

const SIZES = [10_000, 100_000, 1_000_000];

export default defineBench({
  name: "tree",
  title: "trees of 10k to 1M nodes: memory, snapshots, edits, differences, selectors",
  goals: ["tree-bytes", "tree-snapshot", "tree-edit", "tree-diff", "tree-select"],
  cases: [
    ...SIZES.flatMap((count) => [
      building(count),
      snapshot(count),
      editing(count),
      diffing(count),
      searching(count),
    ]),
    foreign,
    editing(1_000_000, "wide"),
    editing(1_000_000, "deep"),
    editing(1_000_000, "bushy", true),
    editing(1_000_000, "deep", true),
    siblings,
    deep,
    pages,
    removing,
    reopening,
    selecting,
    selectingAfterEdits,
  ],
});
