// Owns: ByteSource, how every room reads bytes: acquired asynchronously, read synchronously; and sources in memory.
// Must never: hold more than one window of a source that is not in memory already, except where the caller asks for all.

import { HoldfastError, say } from "../errors.ts";
import { badOptions, checkArgument } from "./options.ts";
import type { Steps } from "./steps.ts";
import { textBytes } from "./text-bytes.ts";

/** Immutable bytes that can be read at any place: memory, a host file, stored content. */
export interface ByteSource {
  /** Bytes in all. Never changes. */
  readonly size: number;
  /** Immutable content id: two sources with one id hold the same bytes. The key of any index. */
  readonly id: string;
  /** Copies up to `length` bytes at `at` to `into[offset..]` and returns how many; short only at the end. */
  read(at: number, into: Uint8Array, offset: number, length: number): number;
}

let unnamed = 0;

/**
 * A source over bytes in memory. They are not copied: never change them afterwards. Without `id` each source gets one of its
 * own.
 *
 * @example readBytes(bytesSource(bytes), 2, 3)  // bytes 2, 3 and 4
 */
export function bytesSource(bytes: Uint8Array, id: string = `memory:${++unnamed}`): ByteSource {
  checkArgument(say`The bytes of a source`, bytes, "bytes");
  // A view of its own: that of a subclass, such as Node's Buffer, is slower to take parts of.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    size: plain.length,
    id,
    read(at, into, offset, length) {
      const count = Math.max(0, Math.min(length, plain.length - at));
      into.set(plain.subarray(at, at + count), offset);
      return count;
    },
  };
}

/**
 * A source over the UTF-8 bytes of a text. Throws `invalid_argument` / `not_unicode` for half of a surrogate pair, which has no bytes.
 * Cost: the text is encoded once.
 *
 * @example textSource("h\u00e9").size  // 3
 */
export function textSource(text: string, id?: string): ByteSource {
  return bytesSource(textBytes(text), id);
}

/**
 * Takes bytes or a source; bytes become a source without a copy. Throws `invalid_argument` / `bad_options` for anything else.
 *
 * @example asSource(new Uint8Array(3)).size  // 3
 */
export function asSource(bytes: Uint8Array | ByteSource): ByteSource {
  if (bytes instanceof Uint8Array) return bytesSource(bytes);
  if (typeof (bytes as Partial<ByteSource> | null | undefined)?.read === "function") return bytes;
  throw badOptions(say`Bytes are a Uint8Array or a ByteSource`);
}

/**
 * Reads exactly the bytes `at .. at + length`, or what there is of them before the end. Throws `RangeError` when the
 * source returns fewer bytes than its size promised, and `invalid_argument` / `bad_options` for a place before its beginning.
 *
 * @example readBytes(source, source.size - 1, 10)  // the last byte
 */
export function readBytes(source: ByteSource, at: number, length: number): Uint8Array {
  checkReading(source, at);
  const wanted = Math.max(0, Math.min(length, source.size - at));
  const bytes = new Uint8Array(wanted);
  fill(source, at, bytes, wanted);
  return bytes;
}

const STEP_BYTES = 1 << 20;

/**
 * {@link readBytes} in steps of 1 MiB, for content of any size beside other work.
 *
 * @example await runPaced(readBytesSteps(source, 0, source.size))
 */
export function* readBytesSteps(source: ByteSource, at: number, length: number): Steps<Uint8Array> {
  checkReading(source, at);
  const bytes = new Uint8Array(Math.max(0, Math.min(length, source.size - at)));
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    if (from > 0) yield;
    const part = bytes.subarray(from, from + STEP_BYTES);
    fill(source, at + from, part, part.length);
  }
  return bytes;
}

/**
 * All bytes of a source, in a new array. Throws `invalid_argument` / `too_large` when there are more than `limit`, before
 * anything is read.
 *
 * @example readAll(source, 64 * 1024 * 1024)
 */
export function readAll(source: ByteSource, limit: number): Uint8Array {
  checkReading(source, 0);
  if (source.size > limit)
    throw new HoldfastError(
      "invalid_argument",
      "too_large",
      say`The content has ${source.size} bytes; at most ${limit} can be read at once. Read it in parts.`,
      { data: { size: source.size, limit } },
    );
  return readBytes(source, 0, source.size);
}

/** A part of a source, in a buffer that the next window reuses. */
export interface Window {
  /** Bytes before it. */
  readonly at: number;
  /** The bytes. They may share memory with the source: do not change them. */
  readonly bytes: Uint8Array;
}

const WINDOW_BYTES = 65_536;

/**
 * Reads a source from `from` to `to` in windows of `size` bytes, 64 KiB unless told. Copy what must outlive a step: the
 * buffer is used again.
 *
 * @example for (const { at, bytes } of windowsOf(source)) hash.update(bytes);
 */
export function* windowsOf(
  source: ByteSource,
  from = 0,
  to?: number,
  size: number = WINDOW_BYTES,
): Generator<Window, void, void> {
  checkReading(source, from);
  const end = to ?? source.size;
  if (!(size >= 1)) throw badOptions(say`The size of a window must be 1 byte or more`);
  const buffer = new Uint8Array(Math.max(0, Math.min(size, end - from)));
  for (let at = from; at < end;) {
    const length = Math.min(buffer.length, end - at);
    fill(source, at, buffer, length);
    yield { at, bytes: length === buffer.length ? buffer : buffer.subarray(0, length) };
    at += length;
  }
}

function fill(source: ByteSource, at: number, into: Uint8Array, length: number): void {
  let done = 0;
  while (done < length) {
    const count = source.read(at + done, into, done, length - done);
    if (count <= 0)
      throw new RangeError(`Source ended at ${at + done} though it promised ${source.size} bytes`);
    done += count;
  }
}

function checkReading(source: ByteSource, from: number): void {
  checkArgument(say`What is read`, source, "source");
  checkArgument(say`The place to read from`, from, "number");
}
