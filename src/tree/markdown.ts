// Owns: Markdown outlines as trees and back: headings are sections, list items are items, the rest is their text.
// Must never: recurse, read a heading or an item inside a fence, or lose a line: what is no outline is text.

import { say } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Json, JsonObject } from "../value.ts";
import { showValue } from "../text/show.ts";
import { NO_SLOT } from "./_page.ts";
import { refuseDepth } from "./_target.ts";
import type { DocumentNode } from "./document.ts";
import { nodeName, takePayload } from "./payload.ts";
import { NODES_PER_STEP, type Steps } from "./steps.ts";
import type { NodeRecords } from "./tree.ts";
import { BranchWalk } from "./walk.ts";

const DOCUMENT = "Document";
const SECTION = "Section";
const ITEM = "Item";
const TASK = "Task";

interface MarkdownNode {
  readonly up: number;
  readonly depth: number;
  readonly type: string;
  readonly own: JsonObject;
  /** Columns that a line must be indented by to belong to it; 0 for the document and sections. */
  readonly indent: number;
  readonly text: string[];
}

/**
 * A Markdown outline as nodes in document order: a `Document` called `name`, a `Section` for each `#` heading, an `Item`
 * for each list item (a `Task` with `done` where it has a check box), each under the heading or item above it. Other
 * lines are the `text` of the node before them. Whatever the text, it is read; nesting beyond the limit is refused.
 */
export function* readMarkdownSteps(
  source: string,
  name: string,
  limits: Limits = DEFAULT_LIMITS,
): Steps<DocumentNode[]> {
  const nodes: MarkdownNode[] = [{ up: -1, depth: 0, type: DOCUMENT, own: { name }, indent: 0, text: [] }];
  // Headings down to the present one by level, then the items down to the present one.
  const sections: { readonly level: number; readonly at: number }[] = [{ level: 0, at: 0 }];
  const items: number[] = [];
  const fence = new Fence();
  let blank = true;
  const add = (up: number, type: string, own: JsonObject, indent: number): void => {
    const depth = (nodes[up] as MarkdownNode).depth + 1;
    refuseDepth(depth, limits);
    nodes.push({ up, depth, type, own, indent, text: [] });
  };
  const sectionAt = (): number => (sections.at(-1) as { readonly at: number }).at;
  const lines = source.split("\n");
  for (let i = 0; i < lines.length; i++) {
    if (i % NODES_PER_STEP === 0) yield;
    const line = (lines[i] as string).replace(/\r$/, "");
    // Only a line feed ends a line: other separators (U+2028, a lone CR) are characters of it, which is what the flag s says.
    const heading = fence.open ? null : /^(#{1,6})(?:[ \t]+(.*))?$/s.exec(line);
    if (heading !== null) {
      const level = (heading[1] as string).length;
      while ((sections.at(-1) as { readonly level: number }).level >= level) sections.pop();
      items.length = 0;
      add(sectionAt(), SECTION, named(withoutClosingHashes(heading[2] ?? "")), 0);
      sections.push({ level, at: nodes.length - 1 });
      blank = true;
      continue;
    }
    const indent = indentOf(line);
    const rest = line.trim();
    const item = fence.open || isRule(rest) ? null : /^([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/s.exec(rest);
    if (item !== null) {
      while (items.length > 0 && (nodes[items.at(-1) as number] as MarkdownNode).indent > indent) items.pop();
      const task = /^\[([ xX])\](?:[ \t]+(.*))?$/s.exec(item[2] ?? "");
      const own = task === null ? named(item[2] ?? "") : { ...named(task[2] ?? ""), done: task[1] !== " " };
      add(
        items.at(-1) ?? sectionAt(),
        task === null ? ITEM : TASK,
        own,
        indent + (item[1] as string).length + 1,
      );
      items.push(nodes.length - 1);
      blank = false;
      continue;
    }
    // A line of text right after an item belongs to it, after a blank line only when it is indented far enough.
    if (rest !== "" && !fence.open && blank)
      while (items.length > 0 && (nodes[items.at(-1) as number] as MarkdownNode).indent > indent) items.pop();
    const owner = nodes[items.at(-1) ?? sectionAt()] as MarkdownNode;
    if (blank && !fence.open && owner.text.length > 0) owner.text.push("");
    const own = withoutIndent(line, owner.indent);
    owner.text.push(fence.open ? own : unescaped(own));
    fence.meet(rest);
    blank = rest === "";
  }
  if (fence.open) (nodes[items.at(-1) ?? sectionAt()] as MarkdownNode).text.push(fence.mark);
  return nodes.map(({ up, type, own, text }, at): DocumentNode => {
    const body = trimLines(text);
    const payload: JsonObject = body === "" ? own : { ...own, text: body };
    return { up, type, payload: takePayload(payload, say`Node ${at + 1} of the outline`, limits) };
  });
}

/**
 * A branch as Markdown: a document's and sections' names as headings, every other node as a list item. Trees read from
 * Markdown read back with the same nodes; of other trees it is a picture, with types and properties in parentheses.
 * O(nodes). Never throws.
 *
 * @example const markdown = runNow(writeMarkdownSteps(tree, 0));
 */
export function* writeMarkdownSteps(nodes: NodeRecords, root: number): Steps<string> {
  const lines: string[] = [];
  // Per depth of the walk: the level of the heading there; for an item -1, for one inside an item -2, and so on.
  const levels: number[] = [];
  let seen = 0;
  for (const walk = new BranchWalk(nodes, root); walk.next();) {
    const { slot, depth } = walk;
    const above = depth === 0 ? 0 : (levels[depth - 1] as number);
    const isDocument = depth === 0 && nodes.typeOf(slot) === DOCUMENT;
    const heads =
      depth === 0 ||
      (above >= 0 && above < 6 && nodes.typeOf(slot) === SECTION && onlySectionsAfter(nodes, slot));
    levels[depth] = isDocument ? 0 : heads ? above + 1 : Math.min(above, 0) - 1;
    const { text } = nodes.payloadOf(slot);
    if (heads) {
      const label = labelOf(nodes, slot, true);
      // Hashes at the end would be read as the end mark of the heading.
      if (!isDocument)
        lines.push("", `${"#".repeat(above + 1)} ${label}${label.endsWith("#") ? " #" : ""}`.trimEnd(), "");
      pushText(lines, text, "");
    } else {
      const indent = "  ".repeat(-Math.min(above, 0));
      const label = labelOf(nodes, slot, false);
      lines.push(`${indent}${isRule(`- ${label}`) ? "+" : "-"} ${label}`.trimEnd());
      pushText(lines, text, `${indent}  `);
    }
    if (++seen % 512 === 0) yield;
  }
  return `${trimLines(lines)}\n`;
}

/** Items after a sub-section would become the sub-section's when they are read back. */
function onlySectionsAfter(nodes: NodeRecords, slot: number): boolean {
  for (let at = nodes.nextOf(slot); at !== NO_SLOT; at = nodes.nextOf(at))
    if (nodes.typeOf(at) !== SECTION) return false;
  return true;
}

/** `[x] name (Type, key: value)`: type and properties only where Markdown has no sign for them. */
function labelOf(nodes: NodeRecords, slot: number, heading: boolean): string {
  const payload = nodes.payloadOf(slot);
  const type = nodes.typeOf(slot);
  const name = nodeName(payload) ?? "";
  const isTask = type === TASK && typeof payload["done"] === "boolean" && !heading;
  const known = heading ? type === SECTION : type === ITEM || isTask;
  const more = known ? [] : [type];
  for (const [key, value] of Object.entries(payload)) {
    if (value === name || key === "text" || (isTask && key === "done")) continue;
    more.push(`${oneLine(key)}: ${showValue(value)}`);
  }
  for (const tag of nodes.tagsOf(slot)) more.push(`#${oneLine(tag)}`);
  const box = isTask ? (payload["done"] === true ? "[x] " : "[ ] ") : "";
  return [`${box}${oneLine(name)}`, more.length === 0 ? "" : `(${more.map(oneLine).join(", ")})`]
    .join(" ")
    .trim();
}

function pushText(lines: string[], text: Json | undefined, indent: string): void {
  if (typeof text !== "string" || text === "") return;
  const fence = new Fence();
  if (indent === "") lines.push("");
  for (const line of text.split(/\r?\n/)) {
    const safe = fence.open ? line : escaped(line);
    lines.push(safe === "" ? "" : `${indent}${safe}`);
    fence.meet(line.trim());
  }
  if (fence.open) lines.push(`${indent}${fence.mark}`);
  if (indent === "") lines.push("");
}

/** Whether a line lies inside a fenced block. */
class Fence {
  mark = "";

  get open(): boolean {
    return this.mark !== "";
  }

  meet(line: string): void {
    const mark = line.startsWith("```") ? "```" : line.startsWith("~~~") ? "~~~" : "";
    if (mark === "") return;
    if (this.mark === "") this.mark = mark;
    else if (this.mark === mark && line === mark) this.mark = "";
  }
}

function named(text: string): JsonObject {
  const name = oneLine(text);
  return name === "" ? {} : { name };
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}

/** `# Title ##` is called Title. */
function withoutClosingHashes(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === "#") end--;
  return end === trimmed.length || (end > 0 && trimmed[end - 1] !== " ") ? trimmed : trimmed.slice(0, end);
}

/** Three or more of one of `- * _`, with blanks between: a rule across the page, no item. */
function isRule(text: string): boolean {
  const marks = text.replace(/\s+/g, "");
  const [mark] = marks;
  return (
    marks.length > 2 && (mark === "-" || mark === "*" || mark === "_") && marks === mark.repeat(marks.length)
  );
}

function indentOf(line: string): number {
  let columns = 0;
  for (const unit of line) {
    if (unit === " ") columns++;
    else if (unit === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

function withoutIndent(line: string, columns: number): string {
  let at = 0;
  let left = columns;
  while (left > 0 && (line[at] === " " || line[at] === "\t")) left -= line[at++] === "\t" ? 4 : 1;
  return line.slice(at).trimEnd();
}

/** A line of text that would be read as a heading or an item begins with a backslash. */
function escaped(line: string): string {
  return line.trimEnd().replace(/^(\s*)(?=\\|#{1,6}(?:\s|$)|(?:[-*+]|\d{1,9}[.)])(?:\s|$))/, "$1\\");
}

function unescaped(line: string): string {
  return line.replace(/^(\s*)\\(?=[\\#*+\d-])/, "$1");
}

/** Without blank lines at either end, and never two in a row. */
function trimLines(lines: readonly string[]): string {
  const fence = new Fence();
  const out: string[] = [];
  for (const line of lines) {
    if (line.trim() === "" && !fence.open) {
      if (out.length > 0 && out.at(-1) !== "") out.push("");
      continue;
    }
    out.push(line);
    fence.meet(line.trim());
  }
  while (out.at(-1) === "") out.pop();
  return out.join("\n");
}
