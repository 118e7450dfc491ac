// Owns: finding a text in a file's bytes, a line break in it being LF or CRLF.
// Must never: decode the file, so that bytes which are no text stay what they are; or hold more than a window of it.

import { bisect } from "../../text/bisect.ts";
import type { ByteSource, Steps } from "../../text/index.ts";
import { CR, LF } from "../../text/lines.ts";
import { Needle } from "./_needle.ts";

/** Bytes `from .. to` of a source. */
export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

export interface FindOptions {
  /** The search ends when it has found so many. */
  readonly most: number;
  /** Places may overlap: for counting them. Otherwise the next begins where one ends. */
  readonly overlap?: boolean;
}

const WINDOW = 1 << 20;

/** A text with every line break as LF. */
export function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/**
 * The places that hold `text`, in order. Bytes are compared, with the CR of every CRLF left out on both sides; a match never
 * begins or ends inside a CRLF. Cost: one pass over the source in windows of 1 MiB.
 */
export function* findTextSteps(
  source: ByteSource,
  text: string,
  { most, overlap = false }: FindOptions,
): Steps<TextPlace[]> {
  const needle = new Needle(withLf(text));
  const { length: size } = needle.bytes;
  const places: TextPlace[] = [];
  if (size === 0 || size > source.size) return places;
  const breaks = /[\r\n]/.test(text);
  // A match takes at most this many bytes, and it takes one more to know that a CR at its end is no half of a CRLF.
  const reach = (breaks ? 2 : 1) * size + 1;
  const buffer = Buffer.allocUnsafe(Math.min(source.size, WINDOW + reach));
  let next = 0;
  let before = 0;
  for (let at = 0; at < source.size; at += WINDOW) {
    const length = source.read(at, buffer, 0, Math.min(buffer.length, source.size - at));
    const raw = buffer.subarray(0, length);
    const view = breaks ? new LfView(raw, before === CR) : new PlainView(raw);
    for (;;) {
      const index = needle.indexIn(view.bytes, view.indexOf(Math.max(0, next - at)));
      if (index < 0) break;
      const from = at + view.rawOf(index);
      // What begins in the next window is found there.
      if (from >= at + WINDOW) break;
      const to = at + view.rawOf(index + size);
      places.push({ from, to });
      if (places.length === most) return places;
      next = overlap ? at + view.rawOf(index + 1) : to;
    }
    before = raw[WINDOW - 1] ?? 0;
    yield;
  }
  return places;
}

/** Where byte `index` of a match's LF form lies in its raw bytes; a CRLF begins at its CR. */
export function rawIndex(raw: Uint8Array, index: number): number {
  let at = 0;
  for (let left = index; left > 0; left--) at += raw[at] === CR && raw[at + 1] === LF ? 2 : 1;
  return at;
}

/** A window as it is. */
class PlainView {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  indexOf(raw: number): number {
    return raw;
  }
  rawOf(index: number): number {
    return index;
  }
}

/** A window without the CR of every CRLF. `dropped` are their places in the window, in order. */
class LfView {
  readonly bytes: Buffer;
  readonly #dropped: readonly number[];
  /** The window begins with the second half of a CRLF. */
  readonly #isCut: boolean;

  constructor(raw: Buffer, afterCr: boolean) {
    this.#isCut = afterCr && raw[0] === LF;
    const dropped: number[] = [];
    for (let at = raw.indexOf("\r\n"); at >= 0; at = raw.indexOf("\r\n", at + 2)) dropped.push(at);
    this.#dropped = dropped;
    this.bytes = dropped.length === 0 ? raw : without(raw, dropped);
  }

  /** The index in `bytes` of the raw place, or of the next whole character after it. */
  indexOf(raw: number): number {
    return Math.max(
      this.#isCut ? 1 : 0,
      raw - bisect(this.#dropped.length, (i) => (this.#dropped[i] as number) < raw),
    );
  }

  /** Where `bytes[index]` begins in the window, and `bytes[index - 1]` ends: a CRLF begins at its CR. */
  rawOf(index: number): number {
    return index + bisect(this.#dropped.length, (i) => (this.#dropped[i] as number) - i < index);
  }
}

function without(raw: Buffer, dropped: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(raw.length - dropped.length);
  let to = 0;
  let from = 0;
  for (const at of [...dropped, raw.length]) {
    to += raw.copy(bytes, to, from, at);
    from = at + 1;
  }
  return bytes;
}
