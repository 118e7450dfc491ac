// Owns: checkpoints written: a forest as chunks of bytes, removed branches included, so that undo works after reopening.

import { ByteWriter } from "./_bytes.ts";
import { frame, LINKS, MAGIC, RUN, RUN_CHARS, type TreeHead } from "./_frames.ts";
import { TYPE } from "./_page.ts";
import type { Forest } from "./forest.ts";
import type { Tree } from "./tree.ts";

/**
 * A forest as bytes, in chunks that come as they are asked for. O(nodes), removed ones included; a chunk takes about a
 * millisecond. Never throws.
 *
 * @example for (const chunk of encode(forest)) file.write(chunk);
 */
export function* encode(forest: Forest): Iterable<Uint8Array> {
  const heads = [...forest.all.values()].map((tree): TreeHead => {
    const { ordinal, name, types, dropped } = tree.facts;
    const { size, live, deepest, typeNames } = tree;
    return {
      ordinal,
      name,
      ...(types === undefined ? {} : { types }),
      dropped,
      size,
      live,
      deepest,
      typeNames,
    };
  });
  const head = new ByteWriter();
  head.text(MAGIC);
  head.text(JSON.stringify(heads));
  yield frame(head.done());
  for (const tree of forest.all.values()) {
    const shared = new Map<number, number>();
    for (let from = 0; from < tree.size;) {
      const run = encodeRun(tree, from, shared);
      yield frame(run.bytes);
      from = run.to;
    }
  }
}

/** `shared` leads from each slot of a ring to its first: what is written follows from the rings, never from which objects happen to be one. */
function encodeRun(
  tree: Tree,
  from: number,
  shared: Map<number, number>,
): { readonly bytes: Uint8Array; readonly to: number } {
  const out = new ByteWriter(RUN * 10 + 64);
  const payloads: string[] = [];
  let chars = 0;
  const tags: [number, readonly string[]][] = [];
  const ids: [number, string][] = [];
  const twins: [number, number][] = [];
  const most = Math.min(tree.size, from + RUN);
  let slot = from;
  for (; slot < most && chars < RUN_CHARS; slot++) {
    const type = tree.field(slot, TYPE);
    out.int(type + 1);
    if (type < 0) continue;
    for (const field of LINKS) out.link(tree.field(slot, field), slot);
    out.int(tree.countOf(slot));
    const known = shared.get(slot);
    const twin = tree.twinOf(slot);
    if (twin !== slot) {
      twins.push([slot, twin]);
      if (known === undefined) for (let at = twin; at !== slot; at = tree.twinOf(at)) shared.set(at, slot);
    }
    const text = known === undefined ? JSON.stringify(tree.payloadOf(slot)) : String(known);
    payloads.push(text);
    chars += text.length;
    const tagged = tree.tagsOf(slot);
    if (tagged.length > 0) tags.push([slot, tagged]);
    const alias = tree.aliasOf(slot);
    if (alias !== undefined) ids.push([slot, alias]);
  }
  const rare = JSON.stringify([tags, ids, twins]);
  out.text(`[[${payloads.join(",")}],${rare.slice(1)}`);
  const framed = new ByteWriter(out.length + 8);
  framed.int(slot - from);
  framed.raw(out.done());
  return { bytes: framed.done(), to: slot };
}
