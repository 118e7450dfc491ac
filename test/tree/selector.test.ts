import { parse as cssParse } from "css-what";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import {
  addChild,
  apply,
  compileSelector,
  createTree,
  EMPTY_FOREST,
  parseSelector,
  removeNode,
  runNow,
  selectNodes,
  selectSteps,
  tagNode,
  updatePayloadProperty,
  type Complex,
  type Forest,
  type CompiledSelector,
} from "../../src/tree/operations.ts";
import type { Json } from "../../src/value.ts";
import { forestOf, readingOf } from "./_build.ts";
import { naiveSelect } from "./naive-select.ts";

const plan = forestOf(`
  Plan plan {
    Task a status="open" prio=7 .urgent { Note b title="First report" Note c title="second" }
    Task d status="done" prio=5 { Task e prio="5" { Note f } }
    File g title="Report of May" meta={"owner":"ines","list":[{"k":1},{"k":2}]} words=["red","green"] gone=null
  }
`);

function ids(forest: Forest, selector: string, from = "n0"): string[] {
  const { tree, slot } = forest.node(from);
  const hits = runNow(selectSteps(tree, slot, compileSelector(selector)));
  return Array.from(hits, (hit) => tree.idOf(hit));
}

function names(selector: string, from = "n0"): string {
  const { tree } = plan.node("n0");
  return ids(plan, selector, from)
    .map((id) => tree.payloadOf(tree.find(id))["name"] as string)
    .join(" ");
}

function refusal(selector: string): HoldfastError {
  try {
    parseSelector(selector);
  } catch (error) {
    if (HoldfastError.is(error)) return error;
  }
  throw new Error(`${selector} was accepted`);
}

describe("what selectors mean", () => {
  test.each([
    ["[SEL-2] a type", "Task", "a d e"],
    ["[SEL-2] any", "*", "plan a b c d e f g"],
    ["[SEL-2] an id", "#n3", "c"],
    ["[SEL-2] a tag", ".urgent", "a"],
    ["[SEL-2] a type is exact", "task", ""],
    ["[SEL-3] below", "Task Note", "b c f"],
    ["[SEL-3] child", "Plan > Task > Note", "b c"],
    ["[SEL-3] next sibling", "Task + Task", "d"],
    ["[SEL-3] later sibling", "Task ~ *", "d g"],
    ["[SEL-3] a list, each once, in document order", "Note, Task, Task", "a b c d e f"],
    ["[SEL-4] equal", 'Task[status="open"]', "a"],
    ["[SEL-4] numbers are not text", "[prio=5]", "d"],
    ["[SEL-4] text is not a number", '[prio="5"]', "e"],
    ["[SEL-4] unequal holds for a missing property", "Task[status!=open]", "d e"],
    ["[SEL-4] present, null included", "[gone]", "g"],
    ["[SEL-4] null", "[gone=null]", "g"],
    ["[SEL-5] greater or equal", "[prio>=5]", "a d"],
    ["[SEL-5] less", "[prio<7]", "d"],
    ["[SEL-5] text by code units", '[title>"G"]', "c g"],
    ["[SEL-6] contains", '[title*="eport"]', "b g"],
    ["[SEL-6] begins", '[title^="sec"]', "c"],
    ["[SEL-6] ends", '[title$="May"]', "g"],
    ["[SEL-6] a word", "[title~=report]", "b"],
    ["[SEL-6] an element", "[words~=green]", "g"],
    ["[SEL-6] empty text matches nothing", '[title*=""]', ""],
    ["[SEL-7] ignoring case", '[title*="REPORT" i]', "b g"],
    ["[SEL-8] a path", '[meta.owner="ines"]', "g"],
    ["[SEL-8] a path through a list", "[meta.list.1.k=2]", "g"],
    ["[SEL-8] a quoted step", '["meta"."owner"=ines]', "g"],
    ["[SEL-8] own properties only", "[constructor], [__proto__], [toString]", ""],
    ["[SEL-9] root and leaf", ":root, :leaf", "plan b c f g"],
    ["[SEL-9] first and last", "Note:first-child, Note:last-child", "b c f"],
    ["[SEL-9] counted", "Plan > :nth-child(2n+1)", "a g"],
    ["[SEL-9] counted down", "Plan > :nth-child(-n+2)", "a d"],
    ["[SEL-9] odd and even", "Plan > :nth-child(even)", "d"],
    ["[SEL-10] has a child", "Task:has(> Note)", "a e"],
    ["[SEL-10] has below", "Task:has(Note)", "a d e"],
    ["[SEL-10] has a next sibling", "Task:has(+ File)", "d"],
    ["[SEL-10] not, with has inside", "Task:not(:has(> Note))", "d"],
    ["[SEL-10] is, with combinators inside", ":is(Task > Note, Plan > File)", "b c f g"],
    ["[SEL-10] not, with combinators inside", "Note:not(Task Task Note)", "b c"],
    ["[SEL-10] has inside has", "Plan:has(Task:has(> Task:has(Note)))", "plan"],
    ["[SEL-10] is inside has", "Task:has(:is(Task > Note))", "a d e"],
  ])("%s: %s", (_title, selector, expected) => {
    expect(names(selector)).toBe(expected);
  });

  test("[SEL-11] the selection begins at its node and sees only that branch", () => {
    expect(names("*", "n4")).toBe("d e f");
    expect(names("Plan Note", "n4")).toBe("");
    expect(names(":scope > Task", "n4")).toBe("e");
    expect(names(":root", "n4")).toBe("");
    expect(names(":first-child", "n4")).toBe("d e f");
    expect(names("Task + :scope", "n4")).toBe("");
  });

  test("[SEL-2] ids and tags with odd characters are escaped", () => {
    const forest = tagNode(forestOf("Plan plan { Task a }"), {
      nodeId: "n1",
      tags: ["a.b c", "größe"],
    }).forest;
    expect(ids(forest, ".a\\.b\\ c")).toEqual(["n1"]);
    expect(ids(forest, ".größe")).toEqual(["n1"]);
    expect(ids(forest, ".gr\\f6 ße")).toEqual(["n1"]);
  });

  test("[SEL-14] an unknown type matches nothing and is named", () => {
    const page = selectNodes(readingOf(plan), { queryDsl: "Tsak, Note" });
    expect(page.items.map((item) => item["NodeId"])).toEqual(["n2", "n3", "n6"]);
    expect(page.warnings.join()).toContain('No node has the type "Tsak". Did you mean "Task"?');
    expect(page.warnings.join()).toContain('"Task"');
  });
});

describe("[SEL-13] errors", () => {
  test.each([
    ["", 1],
    ["Task >", 7],
    ["Task > > Note", 8],
    ["Task[", 6],
    ["Task[prio", 10],
    ["Task[prio==5]", 11],
    ["[a=1 b]", 6],
    ["[title*=5]", 9],
    ['[title="x]', 8],
    ["[a<true]", 4],
    ["Task:contains(x)", 5],
    ["Task::before", 5],
    [":not(Task", 10],
    [":nth-child(2x)", 12],
    ["Task,,Note", 6],
    ["//Task", 1],
    ["Task && Note", 6],
    ["[@a=1]", 2],
    ["Task)", 5],
    ["[a=/x/]", 4],
    ["[title=~x]", 8],
    ["a|b", 2],
  ])("refuses %s at %i", (selector, position) => {
    const error = refusal(selector);
    expect(error.code).toBe("invalid_argument");
    expect(error.reason).toBe("bad_selector");
    expect(error.data).toMatchObject({ position });
    expect(error.message).toContain(`position ${position}`);
  });

  test("[SEL-13] hints say what to write instead", () => {
    expect(refusal("Task:contains(x)").message).toContain('[title*="x"]');
    expect(refusal("[a==1]").message).toContain("single =");
    expect(refusal("//Task").message).toContain("XPath");
    expect(refusal("Task:hover").message).toContain(":nth-child()");
  });

  test("[SEL-13] 4 KB of anything ends at once", () => {
    expect(refusal("a".repeat(4_097)).reason).toBe("selector_too_long");
    expect(refusal("A,".repeat(2_000)).reason).toBe("selector_too_complex");
    expect(refusal(":not(".repeat(800)).reason).toBe("selector_too_complex");
    expect(refusal("[".repeat(4_000)).reason).toBe("bad_selector");
    expect(refusal(`[a="${"\\".repeat(4_000)}`).reason).toBe("bad_selector");
    expect(parseSelector("A".repeat(4_096))).toHaveLength(1);
  });
});

/** Random selectors as text. */
const simple = fc.oneof(
  fc.constantFrom("A", "B", "*", "A.t", ".t", "#n3", "[x]", "[x=1]", "[x>1]", "[y=u]", '[y!="u"]', "B[x<=2]"),
  fc.constantFrom(
    ":root",
    ":leaf",
    ":scope",
    ":first-child",
    ":last-child",
    ":nth-child(2n)",
    ":nth-child(-2n+3)",
  ),
);
const { selector } = fc.letrec<{ selector: string; compound: string; nested: string; complex: string }>(
  (tie) => ({
    nested: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      simple,
      tie("selector").map((inner) => `:is(${inner})`),
      tie("selector").map((inner) => `A:not(${inner})`),
      fc
        .tuple(fc.constantFrom("", "> ", "+ ", "~ "), tie("complex"))
        .map(([c, inner]) => `*:has(${c}${inner})`),
    ),
    compound: fc.oneof({ weight: 3, arbitrary: simple }, { weight: 2, arbitrary: tie("nested") }),
    complex: fc
      .array(fc.tuple(fc.constantFrom(" ", " > ", " + ", " ~ "), tie("compound")), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.map(([c, p], i) => (i === 0 ? p : c + p)).join("")),
    selector: fc.array(tie("complex"), { minLength: 1, maxLength: 2 }).map((list) => list.join(", ")),
  }),
);

const row = fc.tuple(fc.nat(100), fc.nat(11));
const treeShape = fc.array(row, { maxLength: 24 });

/** A random selector that was read; undefined when it has too many parts. */
function compiled(text: string): CompiledSelector | undefined {
  try {
    return compileSelector(text);
  } catch (error) {
    if (HoldfastError.is(error) && error.reason === "selector_too_complex") return undefined;
    throw error;
  }
}

function expectSame(forest: Forest, scope: number, query: CompiledSelector | undefined): void {
  if (query === undefined) return;
  const found = [...runNow(selectSteps(forest.tree(), scope, query))];
  expect(found).toEqual(naiveSelect(forest.tree(), scope, query.list));
}

function grow(shape: readonly (readonly [number, number])[]): Forest {
  let { forest } = createTree(EMPTY_FOREST, { payloadType: "A", payloadProps: { x: 2 } });
  shape.forEach(([parent, what], i) => {
    const payloadProps = { ...(what % 3 === 0 ? {} : { x: what % 4 }), ...(what % 2 ? { y: "u" } : {}) };
    const parentNodeId = `n${(parent % (i + 1)).toString(36)}`;
    const made = addChild(forest, { parentNodeId, payloadType: what % 2 ? "A" : "B", payloadProps });
    forest =
      what > 8 ? tagNode(made.forest, { nodeId: made.result.nodeId, tags: ["t"] }).forest : made.forest;
  });
  return forest;
}

describe("against the naive matcher", () => {
  test("[SEL-3] [SEL-9] [SEL-10] [SEL-12] finds the same nodes for random selectors and trees", () => {
    fc.assert(
      fc.property(treeShape, selector, fc.nat(24), (shape, text, from) => {
        expectSame(grow(shape), from % (shape.length + 1), compiled(text));
      }),
      { numRuns: process.env["HOLDFAST_LONG"] === "1" ? 20_000 : 500 },
    );
  });

  test("[SEL-3] [SEL-10] [SEL-12] finds the same nodes in trees that fill several words of a set", () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 60, maxLength: 140 }),
        selector,
        fc.nat(),
        (shape, text, from) => {
          expectSame(grow(shape), from % (shape.length + 1), compiled(text));
        },
      ),
      { numRuns: process.env["HOLDFAST_LONG"] === "1" ? 500 : 40 },
    );
  });

  test("[SEL-3] [SEL-12] finds the same nodes in a tree that takes several steps", () => {
    let { forest } = createTree(EMPTY_FOREST, { payloadType: "A", payloadProps: { x: 1 } });
    const inserted = Array.from({ length: 9_999 }, (_, i) => ({
      s: i + 1,
      u: Math.floor(i / 3),
      t: i % 2 === 0 ? "A" : "B",
      p: { x: i % 7 },
    }));
    forest = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows: inserted });
    for (const text of [
      "*",
      "A, B[x=3]",
      "A[x=1] B[x>2]",
      "A > B + A",
      "B[x=2] ~ A",
      "A:not(B > A)",
      ":nth-child(2) > :leaf",
    ])
      for (const scope of [0, 1, 7, 9_000]) expectSame(forest, scope, compiled(text));
  });

  test("[TREE-89] finds the same nodes in every version, whatever was asked of the others", () => {
    const edit = fc.tuple(fc.nat(24), fc.constantFrom("x", "y"), fc.constantFrom<Json>(null, 1, 2, "u", "v"));
    const change = fc.oneof(
      { weight: 3, arbitrary: edit },
      { weight: 1, arbitrary: fc.record({ node: fc.nat(24), remove: fc.boolean() }) },
    );
    fc.assert(
      fc.property(treeShape, selector, fc.array(change, { maxLength: 8 }), (shape, text, changes) => {
        const query = compiled(text);
        const versions = [grow(shape)];
        const check = (): void => {
          for (const version of [...versions].reverse()) expectSame(version, 0, query);
        };
        check();
        for (const next of changes) {
          const last = versions.at(-1) as Forest;
          const [node] = Array.isArray(next) ? next : [next.node];
          const slot = node % last.tree().size;
          const nodeId = `n${slot.toString(36)}`;
          if (!last.tree().isLive(slot)) continue;
          if (Array.isArray(next)) {
            const [, propertyName, newValue] = next;
            versions.push(updatePayloadProperty(last, { nodeId, propertyName, newValue }).forest);
          } else if (!next.remove)
            versions.push(
              addChild(last, { parentNodeId: nodeId, payloadType: "B", payloadProps: { x: 1 } }).forest,
            );
          else if (slot > 0) versions.push(removeNode(last, { nodeId }).forest);
          check();
        }
      }),
    );
  });

  test("[TREE-89] a query that is paused goes on with its own version while another asks about the next", () => {
    let { forest } = createTree(EMPTY_FOREST, { payloadType: "A", payloadProps: { x: 1 } });
    const rows = Array.from({ length: 40_000 }, (_, i) => ({ s: i + 1, u: 0, t: "A", p: { x: 1 } }));
    forest = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows });
    const one = compileSelector("A[x=1]");
    expect(runNow(selectSteps(forest.tree(), 0, one))).toHaveLength(40_001);
    const paused = selectSteps(forest.tree(), 0, one);
    paused.next();
    const nodeId = `n${(39_999).toString(36)}`;
    const next = updatePayloadProperty(forest, { nodeId, propertyName: "x", newValue: 2 }).forest;
    expect(runNow(selectSteps(next.tree(), 0, one))).toHaveLength(40_000);
    expect(runNow(paused)).toHaveLength(40_001);
    expect(runNow(selectSteps(forest.tree(), 0, one))).toHaveLength(40_001);
  });

  test.each([
    "A ~ A ~ A",
    "A + A + A",
    "A:has(~ A)",
    "A:has(+ A)",
    "A A A",
    "A > A > A",
    "A:has(A)",
    "A:has(> A)",
  ])("[SEL-12] takes as many steps as nodes and parts ask for, among siblings and on a spine: %s", (text) => {
    const count = 8_192;
    const wide = (i: number): number => (i === 0 ? 0 : 1);
    const deep = (i: number): number => i - (i % 2);
    for (const parentOf of [wide, deep]) {
      let { forest } = createTree(EMPTY_FOREST, { payloadType: "A" });
      const inserted = Array.from({ length: count }, (_, i) => ({ s: i + 1, u: parentOf(i), t: "A" }));
      forest = apply(forest, { slice: "tree", op: "insert", tree: "t1", rows: inserted });
      let steps = 0;
      const pass = selectSteps(forest.tree(), 0, compileSelector(text));
      while (pass.next().done !== true) steps++;
      // A step looks at 4,096 places: one pass is 3 steps, and none takes more than some passes for each part.
      expect(steps).toBeLessThan(60);
    }
  });

  test("[SEL-12] a selector that never matches costs no more on a spine than on a bush", () => {
    let { forest } = createTree(EMPTY_FOREST, { payloadType: "A" });
    for (let i = 0; i < 1_000; i++)
      forest = addChild(forest, { parentNodeId: `n${i.toString(36)}`, payloadType: "A" }).forest;
    const text = Array.from({ length: 31 }, () => "A").join(" ") + " Absent";
    // Backtracking would try the binomial of 1,000 over 31 ways.
    expect(ids(forest, text)).toEqual([]);
    expect(ids(forest, `A:has(${Array.from({ length: 29 }, () => "A").join(" ")} Absent)`)).toEqual([]);
  });
});

describe("against css-what", () => {
  const css = fc
    .array(
      fc.tuple(
        fc.constantFrom(" ", " > ", " + ", " ~ "),
        fc.constantFrom(
          "A",
          "*",
          "#x1",
          ".t",
          "A.t.u",
          '[a="b c"]',
          "[a^=b]",
          "[a$='b']",
          '[a*="B" i]',
          "[a~=b]",
          "[a]",
        ),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.map(([c, p], i) => (i === 0 ? p : c + p)).join(""));
  const list = fc.array(css, { minLength: 1, maxLength: 3 }).map((all) => all.join(" , "));

  test("[SEL-1] reads common selectors as css-what does", () => {
    fc.assert(
      fc.property(list, (text) => {
        expect(parseSelector(text).map(flat)).toEqual(
          cssParse(text).map((tokens) => tokens.map(fromCss).join(" ")),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

const ACTIONS: { readonly [op: string]: string } = {
  "=": "equals",
  "^=": "start",
  "$=": "end",
  "*=": "any",
  "~=": "element",
};

function flat({ parts, combinators }: Complex): string {
  const out: string[] = [];
  parts.forEach((part, i) => {
    if (i > 0)
      out.push({ " ": "descendant", ">": "child", "+": "adjacent", "~": "sibling" }[combinators[i] as ">"]);
    for (const one of part) {
      if (one.kind === "any") out.push("universal");
      else if (one.kind === "type") out.push(`tag:${one.name.toLowerCase()}`);
      else if (one.kind === "id") out.push(`attr:id:equals:${one.name}:`);
      else if (one.kind === "tag") out.push(`attr:class:element:${one.name}:`);
      else if (one.kind === "has-attribute") out.push(`attr:${one.path.join(".")}:exists::`);
      else if (one.kind === "attribute")
        out.push(
          `attr:${one.path.join(".")}:${ACTIONS[one.op] ?? ""}:${one.value as string}:${one.ignoreCase ? "i" : ""}`,
        );
      else throw new Error(one.kind);
    }
  });
  return out.join(" ");
}

function fromCss(token: ReturnType<typeof cssParse>[number][number]): string {
  if ((token.type as string) === "tag" && "name" in token) return `tag:${token.name.toLowerCase()}`;
  if ("action" in token)
    return `attr:${token.name}:${token.action}:${token.value}:${token.ignoreCase === true ? "i" : ""}`;
  return token.type;
}
