// Owns: an agent's views and bookmarks as bytes and back.

import { ByteReader, ByteWriter, damaged } from "./_bytes.ts";
import type { AgentViews, TreeView } from "./view.ts";

/**
 * An agent's views as bytes; runs of equal words are written once. O(views). Never throws.
 *
 * @example const bytes = encodeViews(views);
 */
export function encodeViews(views: AgentViews): Uint8Array {
  const out = new ByteWriter();
  out.text(
    JSON.stringify({
      form: 1,
      filters: views.filters,
      bookmarks: [...views.bookmarks],
      trees: [...views.trees].map(([id, view]) => [id, view.defaultExpanded, view.known.length]),
    }),
  );
  for (const view of views.trees.values()) for (const words of [view.known, view.open]) writeRuns(out, words);
  return out.done();
}

function writeRuns(out: ByteWriter, words: Uint32Array): void {
  for (let at = 0; at < words.length;) {
    let end = at + 1;
    while (end < words.length && words[end] === words[at]) end++;
    out.int(end - at);
    out.int(words[at] as number);
    at = end;
  }
}

/**
 * Reads what {@link encodeViews} wrote. Throws `internal` / `damaged_tree_data` for other bytes. O(bytes).
 *
 * @example decodeViews(encodeViews(views))  // the same views
 */
export function decodeViews(bytes: Uint8Array): AgentViews {
  const input = new ByteReader(bytes);
  const head = input.json() as {
    form: number;
    filters: AgentViews["filters"];
    bookmarks: [string, string][];
    trees: [string, boolean, number][];
  };
  if (head.form !== 1) throw damaged();
  const trees = new Map<string, TreeView>();
  for (const [id, defaultExpanded, words] of head.trees) {
    const known = readRuns(input, words);
    trees.set(id, { defaultExpanded, known, open: readRuns(input, words) });
  }
  return { trees, filters: head.filters, bookmarks: new Map(head.bookmarks) };
}

function readRuns(input: ByteReader, length: number): Uint32Array {
  const words = new Uint32Array(length);
  for (let at = 0; at < length;) {
    const run = input.int();
    const word = input.int();
    if (run < 1 || at + run > length) throw damaged();
    words.fill(word, at, at + run);
    at += run;
  }
  return words;
}
