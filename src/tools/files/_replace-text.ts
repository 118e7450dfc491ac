// Owns: the splices that put another text into the places where one was found, in the line endings that the file has there.

import { encodeText, readBytes, type ByteSource, type Splice } from "../../text/index.ts";
import { CR, LF } from "../../text/lines.ts";
import { rawIndex, withLf, type TextPlace } from "./_find-text.ts";

const NEAR = 1 << 16;

/** What of the old text changes: its common whole lines with the new text, at both ends, stay as they are in the file. */
interface Middle {
  /** Bytes of the old text, every line break as LF. */
  readonly from: number;
  readonly to: number;
  /** With line breaks as LF. */
  readonly insert: string;
}

/** Makes splices of places that hold `oldText`. */
export class TextReplacement {
  readonly #source: ByteSource;
  readonly #middle: Middle;
  readonly #endings: PlaceEndings;
  readonly #newText: string;

  constructor(source: ByteSource, oldText: string, newText: string) {
    this.#source = source;
    this.#middle = middleOf(withLf(oldText), withLf(newText));
    this.#endings = new PlaceEndings(source);
    this.#newText = newText;
  }

  splice({ from, to }: TextPlace): Splice {
    const { from: start, to: end, insert } = this.#middle;
    const raw = readBytes(this.#source, from, to - from);
    const at = rawIndex(raw, start);
    // In a file without line breaks the new text keeps those that were sent.
    const text = this.#endings.taken(insert, { from, to }, this.#newText);
    return { at: from + at, remove: rawIndex(raw, end) - at, insert: encodeText(text) };
  }
}

/** The line endings of a file, which new text takes. */
export class PlaceEndings {
  readonly #source: ByteSource;
  #first: string | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * A text, whose line breaks are LF, with the line endings that the file has at a place; with those of `sent`, as which it was
   * sent, where the file has none.
   */
  taken(text: string, place: TextPlace, sent: string): string {
    if (!text.includes("\n")) return text;
    const ending = this.#at(place) ?? (sent.includes("\r\n") ? "\r\n" : "\n");
    return text.replaceAll("\n", ending);
  }

  /** The line ending in the match, else the next after it, else the last before it, else the first of the file. */
  #at({ from, to }: TextPlace): string | undefined {
    const inside = endingIn(readBytes(this.#source, from, to - from));
    const after = (): string | undefined => endingIn(readBytes(this.#source, to, NEAR));
    const before = (): string | undefined => {
      const start = Math.max(0, from - NEAR);
      const bytes = readBytes(this.#source, start, from - start);
      const last = bytes.lastIndexOf(LF);
      return last < 0 ? undefined : bytes[last - 1] === CR ? "\r\n" : "\n";
    };
    return inside ?? after() ?? before() ?? this.#ofFile();
  }

  #ofFile(): string | undefined {
    if (this.#first !== undefined) return this.#first;
    let found: string | undefined;
    let last = 0;
    for (let at = 0; at < this.#source.size && found === undefined; at += NEAR) {
      const bytes = readBytes(this.#source, at, NEAR);
      found = bytes[0] === LF && last === CR ? "\r\n" : endingIn(bytes);
      last = bytes[bytes.length - 1] ?? 0;
    }
    this.#first = found;
    return found;
  }
}

/** The first line ending in bytes. */
function endingIn(bytes: Uint8Array): string | undefined {
  const at = bytes.indexOf(LF);
  return at < 0 ? undefined : bytes[at - 1] === CR ? "\r\n" : "\n";
}

function middleOf(before: string, after: string): Middle {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, now.length) - 1;
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const size = (lines: readonly string[]): number => encodeText(lines.join("\n")).length;
  const from = head === 0 ? 0 : size(old.slice(0, head)) + 1;
  const to = size(old.slice(0, old.length - tail));
  return { from, to, insert: now.slice(head, now.length - tail).join("\n") };
}
