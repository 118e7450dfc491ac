// Owns: the difference between two states of a file that is not text, as `git apply` takes it.
// Must never: hold the thread for a large file.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { Pacer } from "../text/steps.ts";

const deflated = promisify(deflate);

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/** The first letter of a line says how many bytes it holds: A to Z for 1 to 26, a to z for 27 to 52. */
const LENGTHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LINE_BYTES = 52;
/** A quarter of a megabyte in whole lines. */
const PIECE = LINE_BYTES * 5_000;

/** Both states as a whole, so that the patch can be taken back. Undefined is a file that does not exist. */
export async function gitBinaryPatch(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
  pace: Pacer,
): Promise<string> {
  const names = `index ${blobName(before)}..${blobName(after)}\n`;
  return `${names}GIT binary patch\n${await literal(after, pace)}\n${await literal(before, pace)}\n`;
}

/** The name that git gives to the bytes: it applies a binary patch to no others. */
function blobName(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "0".repeat(40);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

async function literal(bytes: Uint8Array = new Uint8Array(0), pace: Pacer): Promise<string> {
  const packed = await deflated(bytes);
  let text = `literal ${bytes.length}\n`;
  for (let at = 0; at < packed.length; at += PIECE) {
    text += linesOf(packed.subarray(at, at + PIECE));
    await pace.step();
  }
  return text;
}

function linesOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    text += `${LENGTHS[line.length - 1] ?? ""}${base85(line)}\n`;
  }
  return text;
}

/** Four bytes are five digits, the highest first; what is missing at the end counts as zeros. */
function base85(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 256 + (bytes[at + i] ?? 0);
    let digits = "";
    for (let i = 0; i < 5; i++) {
      digits = (DIGITS[value % 85] ?? "") + digits;
      value = Math.floor(value / 85);
    }
    text += digits;
  }
  return text;
}
