// Owns: the bytes of a blob file: how its checksums are written and checked.
//
// Format 1, named by 26 characters, is the content and nothing else. Format 2, named by 26 characters and `.2`, is
//
//   content | CRC-32 of each block of 64 KiB of it, the last one shorter | size of the content, 8 bytes | CRC-32 of the id and of
//                                                                                                         all between it and the content
//
// with numbers in little-endian order. So a block that changed or moved, a file that was cut, grew or took another's name does not fit.
//
// Must never: return bytes of format 2 that were not checked.

import { fstatSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { BlobRead } from "../_extents.ts";
import { blobLost } from "../lost-bytes.ts";
import { hasChecksums } from "../chain.ts";
import type { BlobId } from "../journal.ts";

const BLOCK = 64 * 1024;
const SUM = 4;
/** The size of the content and the last sum. */
const FOOT = 8 + SUM;

/** Takes in content piece by piece, and then gives what comes after it in the file. */
export class BlockSums {
  readonly #id: BlobId;
  readonly #sums: number[] = [];
  #sum = 0;
  #size = 0;

  constructor(id: BlobId) {
    this.#id = id;
  }

  get size(): number {
    return this.#size;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK - (this.#size % BLOCK));
      this.#sum = crc32(part, this.#sum);
      this.#size += part.length;
      at += part.length;
      if (this.#size % BLOCK === 0) this.#endBlock();
    }
  }

  #endBlock(): void {
    this.#sums.push(this.#sum);
    this.#sum = 0;
  }

  end(): Uint8Array {
    if (this.#size % BLOCK > 0) this.#endBlock();
    const tail = Buffer.alloc(this.#sums.length * SUM + FOOT);
    for (const [i, sum] of this.#sums.entries()) tail.writeUInt32LE(sum, i * SUM);
    tail.writeBigUInt64LE(BigInt(this.#size), tail.length - FOOT);
    tail.writeUInt32LE(tailSum(this.#id, tail), tail.length - SUM);
    return tail;
  }
}

function tailSum(id: BlobId, tail: Uint8Array): number {
  return crc32(tail.subarray(0, -SUM), crc32(id));
}

/** Opens the content of a blob file of either format. Throws `internal` / `blob_lost` when the file is not as it was written. */
export function openBlob(fd: number, id: BlobId): { readonly size: number; readonly read: BlobRead } {
  const length = fstatSync(fd).size;
  if (!hasChecksums(id))
    return {
      size: length,
      read: (at, into, offset, count) => readFully(fd, at, into, offset, count),
    };
  const tail = readTail(fd, id, length);
  return { size: length - tail.length, read: checkedRead(fd, length - tail.length, tail) };
}

function readTail(fd: number, id: BlobId, length: number): Buffer {
  // The content and its tail add up to the length in one way only.
  const blocks = Math.ceil((length - FOOT) / (BLOCK + SUM));
  const tail = Buffer.alloc(Math.max(0, blocks) * SUM + FOOT);
  if (length < tail.length || readFully(fd, length - tail.length, tail, 0, tail.length) !== tail.length)
    throw blobLost();
  const size = tail.readBigUInt64LE(tail.length - FOOT);
  if (size !== BigInt(length - tail.length)) throw blobLost();
  if (tailSum(id, tail) !== tail.readUInt32LE(tail.length - SUM)) throw blobLost();
  return tail;
}

interface Block {
  readonly index: number;
  readonly bytes: Uint8Array;
  /** What `bytes` lie in; a later block may take it over. */
  readonly buffer: Uint8Array;
}

function checkedRead(fd: number, size: number, tail: Buffer): BlobRead {
  /** The last two blocks of which only a part was wanted: an edit looks at the start of a document and at its place in turn. */
  let [edge, other]: [Block?, Block?] = [];

  const check = (index: number, bytes: Uint8Array): void => {
    if (crc32(bytes) !== tail.readUInt32LE(index * SUM)) throw blobLost();
  };
  const readBlock = (index: number, buffer: Uint8Array = new Uint8Array(Math.min(BLOCK, size))): Block => {
    const bytes = buffer.subarray(0, size - index * BLOCK);
    if (readFully(fd, index * BLOCK, bytes, 0, bytes.length) !== bytes.length) throw blobLost();
    check(index, bytes);
    return { index, bytes, buffer };
  };
  const edgeBlock = (index: number): Uint8Array => {
    if (edge?.index === index) return edge.bytes;
    const found = other?.index === index ? other : undefined;
    const buffer = other?.buffer;
    other = undefined;
    const block = found ?? readBlock(index, buffer);
    [edge, other] = [block, edge];
    return block.bytes;
  };

  return (from, into, offset, count) => {
    const end = Math.min(size, from + count);
    for (let at = from; at < end;) {
      const index = Math.floor(at / BLOCK);
      const start = index * BLOCK;
      const whole = at === start ? wholeBlocks(start, end, size) : 0;
      if (whole === 0) {
        const part = edgeBlock(index).subarray(at - start, end - start);
        into.set(part, offset + at - from);
        at += part.length;
        continue;
      }
      const bytes = into.subarray(offset + at - from, offset + at - from + whole);
      if (readFully(fd, at, bytes, 0, whole) !== whole) throw blobLost();
      for (let done = 0; done < whole; done += BLOCK)
        check(index + done / BLOCK, bytes.subarray(done, done + BLOCK));
      at += whole;
    }
    return Math.max(0, end - from);
  };
}

/** How many bytes from the start of a block are blocks that lie before `end` as a whole. */
function wholeBlocks(start: number, end: number, size: number): number {
  return end === size ? end - start : Math.floor((end - start) / BLOCK) * BLOCK;
}

function readFully(fd: number, at: number, into: Uint8Array, offset: number, length: number): number {
  let done = 0;
  while (done < length) {
    const got = readSync(fd, into, offset + done, length - done, at + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
