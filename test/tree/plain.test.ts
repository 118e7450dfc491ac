// The small door: trees as values on plain data.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFileSync, readdirSync } from "node:fs";
import {
  buildTree,
  buildTreeFromJson,
  buildTreeFromMarkdown,
  changeTree,
  childIds,
  diffText,
  diffTrees,
  exportTree,
  HoldfastError,
  markdownOf,
  outlineOf,
  readNode,
  selectFrom,
  type PlainNode,
  type PlainTree,
} from "../../src/tree/index.ts";
import { runs } from "../effort.ts";

const plan = buildTree({
  PayloadType: "Plan",
  Payload: { name: "move house" },
  Children: [
    {
      PayloadType: "Area",
      Payload: { name: "packing" },
      Children: [
        { PayloadType: "Task", Payload: { name: "boxes", prio: 7 }, "@tags": ["urgent"] },
        { NodeId: "books", PayloadType: "Task", Payload: { name: "books", prio: 3 } },
      ],
    },
    { Payload: { name: "papers" } },
  ],
});

const reasonOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return error.reason;
    throw error;
  }
  return "none";
};

describe("trees on plain data", () => {
  test("[TREE-91] build, read, select and export hold the same nodes", () => {
    expect(readNode(plan, "books")).toEqual({
      NodeId: "books",
      PayloadType: "Task",
      Payload: { name: "books", prio: 3 },
      "@tags": [],
      ChildrenCount: 0,
      Path: "move house/packing/books",
    });
    expect(childIds(plan)).toEqual(["n1", "n4"]);
    expect(childIds(plan, "n1")).toEqual(["n2", "books"]);
    expect(selectFrom(plan, "Area > Task[prio>=5]").map((node) => node.NodeId)).toEqual(["n2"]);
    expect(selectFrom(plan, "*", "n1")).toHaveLength(3);
    const again = buildTree(JSON.stringify(exportTree(plan)));
    expect(exportTree(again)).toEqual(exportTree(plan));
    expect(exportTree(plan, "books")).toMatchObject({ NodeId: "books", Children: [] });
    expect(outlineOf(plan, "n1")).toBe(
      'n1 Area name="packing"\n  n2 Task name="boxes" prio=7 .urgent\n  books Task name="books" prio=3',
    );
    expect(markdownOf(plan)).toBe(
      "# move house (Plan)\n\n- packing (Area)\n  - boxes (Task, prio: 7, #urgent)\n  - books (Task, prio: 3)\n- papers (Node)\n",
    );
    expect(selectFrom(buildTreeFromJson({ a: [1, "2"] }), "[value]").map((node) => node.Path)).toEqual([
      "document/a/0",
      "document/a/1",
    ]);
    expect(readNode(buildTreeFromJson("[1]"), "n0")).toMatchObject({ PayloadType: "String" });
  });

  test("[TREE-92] changes are made together and the tree given stays as it was", () => {
    const before = exportTree(plan);
    const { tree, ids } = changeTree(plan, [
      { op: "add", parent: "n4", type: "Task", payload: { name: "tax office" }, tags: ["a"] },
      { op: "set", node: "books", patch: { prio: 9 } },
      { op: "move", node: "n2", parent: "n4" },
      { op: "move", node: "n4", before: "n1" },
      { op: "sort", parent: "n4", by: "name" },
      { op: "tag", node: "n2", add: ["later"], remove: ["urgent"] },
      { op: "move", node: "n1", after: "n4" },
    ]);
    expect(ids).toEqual(["n5", "books", "n2", "n4", "n4", "n2", "n1"]);
    expect(childIds(tree)).toEqual(["n4", "n1"]);
    expect(childIds(tree, "n4")).toEqual(["n2", "n5"]);
    expect(readNode(tree, "n2")["@tags"]).toEqual(["later"]);
    expect(exportTree(plan)).toEqual(before);
    expect(diffText(diffTrees(plan, tree)).split("\n")[0]).toBe('+ n5 Task "move house/papers/tax office"');
    expect(diffText(diffTrees(plan, plan))).toBe("No difference.");
    const apart = buildTree(exportTree(tree));
    expect(diffText(diffTrees(tree, apart))).toBe("No difference.");
    expect(diffTrees(plan, apart).moved.map((node) => node.nodeId)).toEqual(["n2"]);
    expect(exportTree(changeTree(tree, [{ op: "remove", node: "n1" }]).tree, "n4")).toBeDefined();
  });

  test("[TREE-92] what is refused is refused whole, with a reason", () => {
    const refused = (...changes: Parameters<typeof changeTree>[1]): string =>
      reasonOf(() => changeTree(plan, changes));
    expect(refused({ op: "set", node: "n2", patch: { a: 1 } }, { op: "remove", node: "zz" })).toBe(
      "node_not_found",
    );
    expect(refused({ op: "move", node: "n1", parent: "n2" })).toBe("cycle");
    expect(refused({ op: "set", node: "n2", patch: { nodeid: 1 } })).toBe("guarded_property");
    expect(refused({ op: "remove", node: "n0" })).toBe("root");
    expect(refused({ op: "fly" } as never)).toBe("bad_change");
    expect(readNode(plan, "n2").Payload).toEqual({ name: "boxes", prio: 7 });
    expect(reasonOf(() => selectFrom(plan, "Task["))).toBe("bad_selector");
    expect(reasonOf(() => buildTree("no json"))).toBe("bad_json");
    expect(reasonOf(() => outlineOf({ live: 1, typeNames: [] }))).toBe("not_a_tree");
    const typed = buildTree(
      { PayloadType: "A" },
      { payloadTypes: { A: { properties: { n: { kind: "number" } } } } },
    );
    expect(reasonOf(() => changeTree(typed, [{ op: "add", parent: "n0", type: "B" }]))).toBe(
      "unknown_payload_type",
    );
  });
});

describe("Markdown outlines", () => {
  const shape = (tree: PlainTree): unknown =>
    JSON.parse(JSON.stringify(exportTree(tree)), (key, value: unknown) =>
      key === "NodeId" ? undefined : value,
    );

  test("[TREE-93] headings, items and tasks are nodes, the rest is their text", () => {
    const tree = buildTreeFromMarkdown(
      [
        "Intro.",
        "",
        "# Plan #",
        "Why we move.",
        "- [ ] boxes",
        "  many of them",
        "    1. small",
        "    2. large",
        "- books",
        "",
        "After the list.",
        "## Papers",
        "```",
        "# not a heading",
        "- not an item",
        "```",
        "* [X] tax",
        "---",
        "# Second",
      ].join("\r\n"),
      "plan.md",
    );
    expect(outlineOf(tree)).toBe(
      [
        'n0 Document name="plan.md" text="Intro."',
        '  n1 Section name="Plan" text="Why we move.\\n\\nAfter the list."',
        '    n2 Task name="boxes" done=false text="many of them"',
        '      n3 Item name="small"',
        '      n4 Item name="large"',
        '    n5 Item name="books"',
        '    n6 Section name="Papers" text="```\\n# not a heading\\n- not an item\\n```"',
        '      n7 Task name="tax" done=true text="---"',
        '  n8 Section name="Second"',
      ].join("\n"),
    );
    expect(markdownOf(buildTreeFromMarkdown("# Plan\n- [ ] boxes"))).toBe("# Plan\n\n- [ ] boxes\n");
  });

  test("[TREE-93] only a line feed ends a line", () => {
    const text = "# One\u2028head\n- first\n- sec\u2028ond\n- [x] thi\u2029rd\r!\n";
    expect(outlineOf(buildTreeFromMarkdown(text, "x"))).toBe(
      [
        'n0 Document name="x"',
        '  n1 Section name="One head"',
        '    n2 Item name="first"',
        '    n3 Item name="sec ond"',
        '    n4 Task name="thi rd !" done=true',
      ].join("\n"),
    );
  });

  test("[TREE-93] what was read reads back the same once it is written", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "",
        "# A",
        "## B",
        "###### F",
        "- a",
        "  - b",
        "    * [x] c",
        "1. d",
        "text",
        "  text",
        "```",
        "---",
      ),
      fc.constantFrom(
        "\\# a",
        "\\- b",
        "* * *",
        "\t- tab",
        "#",
        "-",
        "  \\\\x",
        "~~~ js",
        "1) x",
        "# a ##",
        "[x] y",
      ),
      fc.string({ unit: fc.constantFrom("#", "-", " ", "a", "\\", "`", "1", ".", "\t"), maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const once = buildTreeFromMarkdown(lines.join("\n"), "x");
        const again = buildTreeFromMarkdown(markdownOf(once), "x");
        expect(shape(again)).toEqual(shape(once));
      }),
      runs(300),
    );
  });

  test("[TREE-93] other trees are shown with types and properties, each node on a line of its own", () => {
    const odd: PlainNode = {
      PayloadType: "T\nx",
      Payload: { name: "a\n# b", deep: { k: ["\n- c"] } },
      Children: [
        { PayloadType: "Section", Payload: { name: "s" } },
        { PayloadType: "Item", "@tags": ["x y"] },
      ],
    };
    expect(markdownOf(buildTree(odd))).toBe(
      '# a # b (T x, deep: {"k":["\\n- c"]})\n\n- s (Section)\n- (#x y)\n',
    );
  });

  test("[TREE-93] the papers of this project can be read", () => {
    const papers = new URL("../../docs/spec/", import.meta.url);
    for (const file of readdirSync(papers)) {
      const once = buildTreeFromMarkdown(readFileSync(new URL(file, papers), "utf8"), file);
      expect(selectFrom(once, "Section").length).toBeGreaterThan(0);
      expect(shape(buildTreeFromMarkdown(markdownOf(once), file))).toEqual(shape(once));
    }
  });
});
