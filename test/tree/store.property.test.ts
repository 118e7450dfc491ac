import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyAll } from "../../src/tree/apply.ts";
import { between, sameForest } from "../../src/tree/between.ts";
import { tagNode, updateNodes, updatePayload, updatePayloadProperty } from "../../src/tree/change-payload.ts";
import {
  addChild,
  cloneNode,
  copySubtree,
  createTree,
  moveAfter,
  moveBefore,
  moveNode,
  removeNode,
  sortChildren,
} from "../../src/tree/operations.ts";
import { decodeSync } from "../../src/tree/decode.ts";
import { encode } from "../../src/tree/encode.ts";
import { EMPTY_FOREST, type Forest } from "../../src/tree/forest.ts";
import { invert, type TreeOp } from "../../src/tree/tree-op.ts";
import { rebase } from "../../src/tree/rebase.ts";
import { refuse } from "../../src/tree/refuse.ts";
import { expectSound, shown } from "./_shown.ts";
import { NaiveTree } from "./naive-tree.ts";

const RUNS = process.env["HOLDFAST_LONG"] === "1" ? 3_000 : 30;

type Step = { do: string; a: number; b: number; c: number };

const steps = fc.array(
  fc.record({
    do: fc.constantFrom(
      "add",
      "add",
      "add",
      "remove",
      "move",
      "before",
      "after",
      "sort",
      "duplicate",
      "reference",
      "clone",
      "set",
      "patch",
      "bulk",
      "tag",
      "snapshot",
      "restore",
      "undoLast",
      "undoAny",
      "reopen",
    ),
    a: fc.nat(1_000),
    b: fc.nat(1_000),
    c: fc.nat(6),
  }),
  { maxLength: 60, size: "max" },
);

const plain = (op: TreeOp): TreeOp => JSON.parse(JSON.stringify(op)) as TreeOp;

interface Agent {
  snapshots: { forest: Forest; model: NaiveTree }[];
}

class Run {
  forest: Forest = createTree(EMPTY_FOREST).forest;
  model = new NaiveTree();
  readonly agents: Agent[] = [{ snapshots: [] }, { snapshots: [] }];
  readonly records: { ops: readonly TreeOp[]; before: NaiveTree }[] = [];

  pick(n: number): string {
    const ids = this.model.ids();
    return ids[n % ids.length] as string;
  }

  /** One change on both sides: same refusal or same result. */
  change(real: () => { ops: readonly TreeOp[]; forest: Forest }, naive: () => void, legal = true): void {
    const before = this.forest;
    const copy = this.model.copy();
    if (!legal) {
      expect(real).toThrow();
      expect(this.forest).toBe(before);
      return;
    }
    const made = real();
    for (const op of made.ops.slice(0, 1)) expect(refuse(this.forest, op)).toEqual([]);
    // Replaying the operations as a journal would keep them gives the forest that the change worked on.
    this.forest = applyAll(this.forest, made.ops.map(plain));
    expect(sameForest(this.forest, made.forest)).toBe(true);
    const back = applyAll(
      this.forest,
      [...made.ops].reverse().map((op) => plain(invert(op))),
    );
    expect(shown(back.tree())).toEqual(copy.shown());
    naive();
    if (made.ops.length > 0) this.records.push({ ops: made.ops, before: copy });
  }

  step({ do: what, a, b, c }: Step): void {
    const { model } = this;
    const x = this.pick(a);
    const y = this.pick(b);
    const f = this.forest;
    const agent = this.agents[c % 2] as Agent;
    switch (what) {
      case "add": {
        const payloadProps = c === 0 ? {} : { Name: `x${b % 5}`, prio: b % 4 };
        const type = ["Task", "Note", "File"][c % 3] as string;
        return this.change(
          () => addChild(f, { parentNodeId: x, payloadType: type, payloadProps }),
          () => model.add(x, type, payloadProps),
        );
      }
      case "remove":
        return this.change(
          () => removeNode(f, { nodeId: x }),
          () => model.remove(x),
          x !== "n0",
        );
      case "move":
        return this.change(
          () => moveNode(f, { nodeId: x, newParentId: y }),
          () => model.move(x, y),
          x !== "n0" && !model.isWithin(y, x),
        );
      case "before":
      case "after": {
        const siblings = model.get(model.get(x).parent ?? "n0").children;
        const sibling = c < 5 && siblings.length > 0 ? (siblings[b % siblings.length] as string) : y;
        const legal = x !== sibling && x !== "n0" && model.get(x).parent === model.get(sibling).parent;
        const move = what === "before" ? moveBefore : moveAfter;
        return this.change(
          () => move(f, { nodeId: x, siblingId: sibling }),
          () => model.beside(x, sibling, what === "before"),
          legal,
        );
      }
      case "sort":
        return this.change(
          () => sortChildren(f, { parentId: x, byProp: "prio", direction: c % 2 ? "desc" : "asc" }),
          () => model.sort(x, "prio", c % 2 ? -1 : 1),
        );
      case "duplicate":
      case "reference":
        if (model.ids().length + model.branch(x).length > 120) return undefined;
        return this.change(
          () => copySubtree(f, { sourceId: x, targetParentId: y, mode: what }),
          () => model.copyBranch(x, y, what === "reference"),
        );
      case "clone":
        return this.change(
          () => cloneNode(f, { nodeId: x, targetParentId: y }),
          () => model.clone(x, y),
        );
      case "set":
        return this.change(
          () => updatePayloadProperty(f, { nodeId: x, propertyName: "prio", newValue: b % 5 }),
          () => model.set(x, "prio", b % 5),
        );
      case "patch":
        return this.change(
          () =>
            updatePayload(f, { nodeId: x, patch: { Name: `p${b % 3}`, note: [b, { deep: c, none: null }] } }),
          () => {
            model.set(x, "Name", `p${b % 3}`);
            model.set(x, "note", [b, { deep: c, none: null }]);
          },
        );
      case "bulk":
        return this.change(
          () => updateNodes(f, { filter: [{ path: "prio", op: "gt", value: 1 }], patch: { done: c } }),
          () => {
            const hits = model.ids().filter((id) => Number(model.get(id).payload.value["prio"] ?? 0) > 1);
            for (const id of hits) model.set(id, "done", c);
          },
        );
      case "tag": {
        const add = [`t${b % 3}`];
        const remove = [`t${(b + 1) % 3}`];
        return this.change(
          () => tagNode(f, { nodeId: x, tags: add, remove }),
          () => model.tag(x, add, remove),
        );
      }
      case "snapshot":
        agent.snapshots.push({ forest: f, model: model.copy() });
        return undefined;
      case "restore": {
        const kept = agent.snapshots[a % Math.max(1, agent.snapshots.length)];
        if (kept === undefined) return undefined;
        expect(shown(kept.forest.tree())).toEqual(kept.model.shown());
        const ops = [...between(f, kept.forest)];
        const restored = kept.model.copy();
        restored.next = model.next;
        this.change(
          () => ({ ops, forest: applyAll(f, ops) }),
          () => {
            this.model = restored;
          },
        );
        return undefined;
      }
      case "undoLast": {
        const last = this.records.pop();
        if (last === undefined) return undefined;
        this.forest = applyAll(
          f,
          [...last.ops].reverse().map((op) => plain(invert(op))),
        );
        last.before.next = model.next;
        this.model = last.before;
        return undefined;
      }
      case "undoAny":
        return this.undoAny(a);
      case "reopen":
        this.forest = decodeSync(encode(f));
        expect(sameForest(this.forest, f)).toBe(true);
        return undefined;
      default:
        throw new Error(what);
    }
  }

  /** Undo of any record: refused, or every later change of another place survives. */
  undoAny(n: number): void {
    const at = n % Math.max(1, this.records.length);
    const record = this.records[at];
    if (record === undefined) return;
    const since = this.records.slice(at + 1).flatMap((later) => later.ops);
    let forest = this.forest;
    const undone: TreeOp[] = [];
    for (const op of [...record.ops].reverse()) {
      const back = rebase(invert(op), since, forest);
      if (Array.isArray(back) || refuse(forest, back).length > 0) return;
      forest = applyAll(forest, [back]);
      undone.push(back);
    }
    expectSound(forest.tree());
    const again = applyAll(
      forest,
      [...undone].reverse().map((op) => invert(op)),
    );
    expect(shown(again.tree())).toEqual(shown(this.forest.tree()));
  }
}

describe("the store against the naive model", () => {
  test("[TREE-12] [TREE-17] [TREE-16] equals it after every step of random changes by two agents", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const run = new Run();
        for (const step of list) {
          run.step(step);
          expect(shown(run.forest.tree())).toEqual(run.model.shown());
          expectSound(run.forest.tree());
        }
        // [TREE-10]: every snapshot still shows what it showed.
        for (const agent of run.agents)
          for (const kept of agent.snapshots) expect(shown(kept.forest.tree())).toEqual(kept.model.shown());
      }),
      { numRuns: RUNS },
    );
  });

  test("[TREE-20] between two versions of one history leads both ways", () => {
    fc.assert(
      fc.property(steps, fc.nat(60), (list, cut) => {
        const run = new Run();
        let early = run.forest;
        list.forEach((step, i) => {
          run.step(step);
          if (i === cut) early = run.forest;
        });
        const late = run.forest;
        for (const [from, to] of [
          [early, late],
          [late, early],
          [EMPTY_FOREST, late],
        ] as const) {
          const ops = [...between(from, to)];
          const there = applyAll(from, ops.map(plain));
          expect(sameForest(there, to)).toBe(true);
          const back = applyAll(
            there,
            [...ops].reverse().map((op) => invert(op)),
          );
          expect(sameForest(back, from)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("[TREE-22] a checkpoint cut anywhere gives the same forest back", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 999 }), (list, size) => {
        const run = new Run();
        for (const step of list) run.step(step);
        const whole = Buffer.concat([...encode(run.forest)]);
        const cut: Uint8Array[] = [];
        for (let at = 0; at < whole.length; at += size) cut.push(whole.subarray(at, at + size));
        const again = decodeSync(cut);
        expect(sameForest(again, run.forest)).toBe(true);
        // Undo of everything still works on the reopened forest: removed branches were kept.
        let undone = again;
        for (const record of [...run.records].reverse())
          undone = applyAll(
            undone,
            [...record.ops].reverse().map((op) => invert(op)),
          );
        expect(undone.tree().live).toBe(1);
      }),
      { numRuns: RUNS / 2 },
    );
  });
});
