// Owns: one page of a branch: which nodes are on it, as nested JSON or as an outline.
// Must never: repeat or skip a node between pages; context that is repeated is marked `@continued`.

import type { Shown } from "../errors.ts";
import type { Json } from "../value.ts";
import { outlineLine, showId } from "./outline.ts";
import { cutToFit, type CutValue, type NodeJson } from "./project.ts";
import type { Sheet } from "./reading.ts";
import { runNow, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { pathTo, BranchWalk } from "./walk.ts";

export interface Branch {
  readonly tree: Tree;
  readonly slot: number;
  readonly maxDepth: number;
  /** Whether what lies below a node is part of the branch. */
  opens(slot: number): boolean;
  json(slot: number): NodeJson;
  /** "always": an empty list for a leaf too. */
  readonly children: "always" | "when-any";
  /** False: no text form is wanted. */
  readonly outline?: boolean;
  /** Where in their whole texts the values begin. */
  readonly valueOffset?: number;
}

/** One page of a branch: nested nodes, how many, and the token that leads on when there are more. */
export interface BranchPage {
  /** The branch as JSON. */
  readonly root: NodeJson;
  /** Nodes on this page, without repeated context. */
  readonly nodes: number;
  /** True when there is another page. */
  readonly more: boolean;
  /** Brings the next page of the same state; absent on the last. */
  readonly pageToken?: string;
  /** What a reader must know: that the page was shortened, and why. */
  readonly notes: readonly Shown[];
  /** Values that did not fit and are shown cut. */
  readonly cut: readonly CutValue[];
  /** The same as text, a line for each node. */
  readonly outline: string;
}

/** Characters around a node's own JSON: brackets, commas, "Children". */
const AROUND = 20;

export function* branchPageSteps(branch: Branch, sheet: Sheet): Steps<BranchPage> {
  const { tree, slot: root } = branch;
  const walk = new BranchWalk(tree, root, branch.maxDepth);
  // line[d] is the node at depth d on the way to the present one.
  let line: NodeJson[] = [];
  const lines: string[] = [];
  const cut: CutValue[] = [];
  let top: NodeJson = {};
  let count = 0;
  let spent = 0;
  let last = sheet.at;
  let more = false;
  if (last >= 0) walk.resumeAfter(last);
  for (let ok = walk.next(last < 0 || branch.opens(last)); ok; ok = walk.next(branch.opens(walk.slot))) {
    if (count >= sheet.size) {
      more = true;
      break;
    }
    const { slot, depth } = walk;
    let json = branch.json(slot);
    // Without a budget nothing is measured: an export of a million nodes would be written twice.
    let size = sheet.budget === Infinity ? 0 : JSON.stringify(json).length + AROUND;
    if (spent + size > sheet.budget) {
      if (count > 0) {
        more = true;
        break;
      }
      const fitted = cutToFit(json, tree.idOf(slot), sheet.budget - AROUND, branch.valueOffset);
      json = fitted.json;
      cut.push(...fitted.cut);
      size = JSON.stringify(json).length + AROUND;
    }
    if (count === 0) {
      line = context(tree, root, slot);
      if (line.length > 0)
        lines.push(`... under ${line.map((up) => showId(up["NodeId"] as string)).join(" > ")}`);
      top = line[0] ?? json;
    }
    spent += size;
    count++;
    last = slot;
    line.length = depth;
    const up = line[depth - 1];
    if (up !== undefined) {
      if (Array.isArray(up["Children"])) (up["Children"] as Json[]).push(json);
      else up["Children"] = [json];
    }
    if (branch.children === "always") json["Children"] = [];
    line.push(json);
    if (branch.outline !== false)
      lines.push(outlineLine(json, depth, branch.opens(slot) ? 0 : tree.countOf(slot)));
    if (count % 512 === 0) yield;
  }
  const token = more ? sheet.token(last) : undefined;
  return {
    root: top,
    nodes: count,
    more,
    ...(token === undefined ? {} : { pageToken: token }),
    notes: sheet.notes,
    cut,
    outline: lines.join("\n"),
  };
}

export function branchPage(branch: Branch, sheet: Sheet): BranchPage {
  return runNow(branchPageSteps(branch, sheet));
}

/** Stubs for the nodes above the first one of a later page, each holding the next. */
function context(tree: Tree, root: number, slot: number): NodeJson[] {
  const path = pathTo(tree, slot);
  const stubs = path
    .slice(path.indexOf(root), -1)
    .map((up): NodeJson => ({ NodeId: tree.idOf(up), "@continued": true }));
  for (let i = 0; i + 1 < stubs.length; i++) (stubs[i] as NodeJson)["Children"] = [stubs[i + 1] as Json];
  return stubs;
}
