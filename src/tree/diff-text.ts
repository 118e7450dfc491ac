// Owns: a difference as text that a person or a model reads.

import { showName, showValue } from "../text/show.ts";
import type { Json } from "../value.ts";
import { showId } from "./outline.ts";
import type { DiffNode, TreeDiff } from "./diff.ts";

/** Characters of a path on a line. */
const PATH = 240;

/**
 * One line for each entry: `+` added, `-` removed, `>` moved, `~` reordered, `*` changed. At most `max` lines, the last
 * of which says how many are left out. O(entries). Never throws.
 *
 * @example diffText(diffTrees(plan, next))  // '+ n2 Task "move house/books"'
 */
export function diffText(diff: TreeDiff, max = 200): string {
  const lines: string[] = [];
  for (const node of diff.added) lines.push(`+ ${label(node)}${below(node.nodes)}`);
  for (const node of diff.removed) lines.push(`- ${label(node)}${below(node.nodes)}`);
  for (const node of diff.moved)
    lines.push(`> ${label(node)} from ${showId(node.from)} to ${showId(node.to)}`);
  for (const node of diff.reordered)
    lines.push(
      `~ ${label(node)} children reordered${node.children.length > 0 ? `: ${some(node.children)}` : ""}`,
    );
  for (const node of diff.changed)
    for (const change of node.changes)
      lines.push(`* ${label(node)} ${showName(change.path)}: ${value(change.was)} -> ${value(change.now)}`);
  for (const node of diff.tags)
    lines.push(
      `* ${label(node)} tags:${node.added.map((tag) => ` +${showName(tag)}`).join("")}${node.removed.map((tag) => ` -${showName(tag)}`).join("")}`,
    );
  if (lines.length === 0) return "No difference.";
  if (lines.length <= max) return lines.join("\n");
  return [...lines.slice(0, max - 1), `... ${lines.length - max + 1} more`].join("\n");
}

function label(node: DiffNode): string {
  return `${showId(node.nodeId)} ${showName(node.type)} ${showName(node.path, PATH)}`;
}

function below(nodes: number): string {
  return nodes > 1 ? ` (${nodes} nodes)` : "";
}

function some(ids: readonly string[]): string {
  const named = ids.slice(0, 20).map(showId).join(", ");
  return ids.length > 20 ? `${named} and ${ids.length - 20} more` : named;
}

function value(json: Json | undefined): string {
  return json === undefined ? "(none)" : showValue(json);
}
