// Owns: a branch or a view as one JSON document, without paging.

import { say } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { checkFieldNames } from "../text/options.ts";
import { outlineLine } from "./outline.ts";
import { branchPageSteps } from "./page.ts";
import { projection, treeNode, viewNode, type NodeJson } from "./project.ts";
import { wrapView } from "./read.ts";
import type { TreeReading, Sheet } from "./reading.ts";
import { runNow, type Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";
import { isExpanded, NO_FILTER, NO_VIEWS, viewOf } from "./view.ts";
import { BranchWalk } from "./walk.ts";

/** Everything on one page. */
function whole(reading: TreeReading): Sheet {
  return {
    pinned: { forest: reading.forest, views: reading.views ?? NO_VIEWS },
    size: Infinity,
    at: -1,
    notes: [],
    limits: reading.limits ?? DEFAULT_LIMITS,
    budget: Infinity,
    token: () => undefined,
  };
}

/** A branch as nested JSON, and how many nodes it holds. */
export interface Exported {
  /** The branch as JSON. */
  readonly json: NodeJson;
  /** How many nodes it has. */
  readonly nodes: number;
}

/**
 * The view at a node: expansion, filters, and only what is expanded. With `includeViewRoot` in the wrapper that
 * import_view takes. O(visible nodes). Throws `not_found` for an unknown node.
 *
 * @example const { json } = await runPaced(exportViewSteps({ forest, views }, { rootNodeId: "n0" }));
 */
export function* exportViewSteps(
  reading: TreeReading,
  input: { readonly rootNodeId: string; readonly includeViewRoot?: boolean },
): Steps<Exported> {
  checkFieldNames(say`exportView`, input, { rootNodeId: true, includeViewRoot: true });
  const { tree, slot } = reading.forest.node(input.rootNodeId);
  const views = reading.views ?? NO_VIEWS;
  const view = viewOf(views, tree.id);
  const filter = views.filters.view;
  const project = projection(filter);
  const opens = (at: number): boolean => isExpanded(view, at);
  const json = (at: number): NodeJson => viewNode(tree, at, project, opens(at));
  const page = yield* branchPageSteps(
    { tree, slot, maxDepth: Infinity, opens, json, children: "when-any", outline: false },
    whole(reading),
  );
  const wrapped = input.includeViewRoot === true;
  return {
    json: wrapped ? wrapView(tree, slot, filter, view.defaultExpanded, page.root) : page.root,
    nodes: page.nodes,
  };
}

/**
 * As {@link exportViewSteps}, at once. Throws `not_found` for an unknown node.
 *
 * @example JSON.stringify(exportView({ forest, views }, { rootNodeId: "n0", includeViewRoot: true }).json)
 */
export function exportView(
  reading: TreeReading,
  input: { readonly rootNodeId: string; readonly includeViewRoot?: boolean },
): Exported {
  return runNow(exportViewSteps(reading, input));
}

/**
 * A whole branch in tree form, all properties, for import_merge and files. With `includeViewRoot` false: its children.
 * O(branch). Throws `not_found` for an unknown node.
 *
 * @example const { json } = await runPaced(exportSubtreeSteps({ forest }, { nodeId: "n0" }));
 */
export function* exportSubtreeSteps(
  reading: TreeReading,
  input: { readonly nodeId: string; readonly includeViewRoot?: boolean },
): Steps<Exported> {
  checkFieldNames(say`exportSubtree`, input, { nodeId: true, includeViewRoot: true });
  const { tree, slot } = reading.forest.node(input.nodeId);
  const project = projection(NO_FILTER);
  const page = yield* branchPageSteps(
    {
      tree,
      slot,
      maxDepth: Infinity,
      opens: () => true,
      json: (at) => treeNode(tree, at, project),
      children: "always",
      outline: false,
    },
    whole(reading),
  );
  if (input.includeViewRoot !== false) return { json: page.root, nodes: page.nodes };
  return { json: { Children: page.root["Children"] ?? [] }, nodes: page.nodes - 1 };
}

/**
 * As {@link exportSubtreeSteps}, at once. Throws `not_found` for an unknown node.
 *
 * @example JSON.stringify(exportSubtree({ forest }, { nodeId: "n0" }).json)
 */
export function exportSubtree(
  reading: TreeReading,
  input: { readonly nodeId: string; readonly includeViewRoot?: boolean },
): Exported {
  return runNow(exportSubtreeSteps(reading, input));
}

/**
 * A branch as an outline, one line a node, without paging. O(nodes). Never throws.
 *
 * @example const outline = await runPaced(outlineSteps(tree, 0));
 */
export function* outlineSteps(tree: Tree, root: number): Steps<string> {
  const project = projection(NO_FILTER);
  const lines: string[] = [];
  for (const walk = new BranchWalk(tree, root); walk.next();) {
    lines.push(outlineLine(treeNode(tree, walk.slot, project), walk.depth, 0));
    if (lines.length % 512 === 0) yield;
  }
  return lines.join("\n");
}
