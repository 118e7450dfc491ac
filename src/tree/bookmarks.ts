// Owns: an agent's bookmarks: labels for nodes. They follow their node and outlive it.

import { echo, HoldfastError, say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { checkFieldNames } from "../text/options.ts";
import { takeText } from "./_target.ts";
import type { Forest } from "./forest.ts";
import type { AgentViews, ChangedViews } from "./view.ts";

/** A label of an agent's own for one node. `removed`: the node is no longer in the tree. */
export interface Bookmark {
  /** What the agent called it. */
  readonly label: string;
  /** The node. */
  readonly nodeId: string;
  /** True when the node is no longer in a tree. */
  readonly removed?: true;
}

/**
 * Names a node for this agent. The same label again moves it. O(bookmarks). Throws `not_found` for an unknown node,
 * `bad_text` for a label that is empty or too long, `too_many_bookmarks`.
 *
 * @example bookmark(views, forest, { nodeId: "n3", label: "here" }).views
 */
export function bookmark(
  views: AgentViews,
  forest: Forest,
  input: { readonly nodeId: string; readonly label: string },
  limits: Limits = DEFAULT_LIMITS,
): ChangedViews<Bookmark> {
  checkFieldNames(say`bookmark`, input, { nodeId: true, label: true });
  const { tree, slot } = forest.node(input.nodeId);
  const label = takeText(input.label, say`label`, limits.treeTagLength);
  if (!views.bookmarks.has(label) && views.bookmarks.size >= limits.treeBookmarks)
    throw new HoldfastError(
      "invalid_argument",
      "too_many_bookmarks",
      say`At most ${limits.treeBookmarks} bookmarks. Remove one first.`,
    );
  const nodeId = tree.idOf(slot);
  return {
    views: { ...views, bookmarks: new Map(views.bookmarks).set(label, nodeId) },
    result: { label, nodeId },
  };
}

/**
 * All bookmarks, by label. O(bookmarks). Never throws: one whose node is gone is marked `removed`.
 *
 * @example listBookmarks(views, forest).map(({ label }) => label)
 */
export function listBookmarks(views: AgentViews, forest: Forest): Bookmark[] {
  const entries = [...views.bookmarks].sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([label, nodeId]) => ({
    label,
    nodeId,
    ...(forest.find(nodeId) === undefined ? { removed: true as const } : {}),
  }));
}

/**
 * Removes a label. Throws `not_found` / `bookmark_not_found` for one that is not there. O(bookmarks).
 *
 * @example removeBookmark(views, { label: "here" }).views
 */
export function removeBookmark(views: AgentViews, input: { readonly label: string }): ChangedViews<Bookmark> {
  checkFieldNames(say`removeBookmark`, input, { label: true });
  const nodeId = views.bookmarks.get(input.label);
  if (nodeId === undefined)
    throw new HoldfastError(
      "not_found",
      "bookmark_not_found",
      say`There is no bookmark ${echo(input.label)}. Use list_bookmarks.`,
    );
  const bookmarks = new Map(views.bookmarks);
  bookmarks.delete(input.label);
  return { views: { ...views, bookmarks }, result: { label: input.label, nodeId } };
}
