// Owns: the frames of a checkpoint: what they hold, and how they are told from damaged ones.

import type { PayloadTypes } from "./payload-types.ts";
import { FIRST, LAST, NEXT, PARENT, PREV } from "./_page.ts";

/*
 * A stream of frames, each with its length and a checksum in front (4 bytes each, little-endian).
 *   first frame: the text "holdfast tree 2", then JSON: one head per tree
 *   then, per tree, frames for some slots each, one after another: how many; per slot type + 1 (0: empty) and, if not
 *   empty, the five links as distances and the count; then one JSON list [payloads, tags, ids, twins]. A payload that
 *   is a number means the payload of that slot (they share it); tags, ids and twins are lists of [slot, value].
 */
export const MAGIC = "holdfast tree 2";

/** A frame ends after so many slots or characters of payload. Reading one takes about a millisecond: time to pause. */
export const RUN = 1_024;
export const RUN_CHARS: number = 64 * 1_024;
export const LINKS: readonly number[] = [PARENT, PREV, NEXT, FIRST, LAST];

/** What a checkpoint says of a tree before its slots. */
export interface TreeHead {
  readonly ordinal: number;
  readonly name: string;
  readonly types?: PayloadTypes;
  readonly dropped: boolean;
  readonly size: number;
  readonly live: number;
  readonly deepest: number;
  readonly typeNames: readonly string[];
}

/** Length and checksum in front of a frame. */
export const FRAME_HEAD = 8;

export function frame(bytes: Uint8Array): Uint8Array {
  const framed = new Uint8Array(bytes.length + FRAME_HEAD);
  const head = new DataView(framed.buffer);
  head.setUint32(0, bytes.length, true);
  head.setUint32(4, checksum(bytes), true);
  framed.set(bytes, FRAME_HEAD);
  return framed;
}

/** Every step is reversible, so that a change of one word always shows. */
export function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.length & ~3;
  let sum = 0x811c9dc5 ^ bytes.length;
  for (let at = 0; at < words; at += 4) {
    sum = Math.imul(sum ^ view.getUint32(at, true), 0x01000193);
    sum ^= sum >>> 15;
  }
  for (let at = words; at < bytes.length; at++) sum = Math.imul(sum ^ (bytes[at] as number), 0x01000193);
  return sum >>> 0;
}
