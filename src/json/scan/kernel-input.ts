// Owns: what is written into the kernel's memory before it walks: the names it looks for, and the prefilter of rows.

import {
  type Kernel,
  KEY_BYTES_AT,
  KEY_BYTES_END,
  KEYS_AT,
  MAX_KEYS,
  PREFILTER_AT,
  PREFILTER_TEXT_AT,
  PREFILTER_TEXT_END,
} from "./kernel.ts";
import type { Prefilter } from "./rows.ts";
import { type Keys, writeName } from "./scanner.ts";

/** Tells the kernel which rows to leave out. A text too long for it leaves out none. */
export function setPrefilter(kernel: Kernel, prefilter: Prefilter | undefined): void {
  if (kernel.prefilter === prefilter) return;
  kernel.prefilter = prefilter;
  const view = new DataView(kernel.bytes.buffer, PREFILTER_AT);
  const { than = 0 } = prefilter ?? {};
  const fits = typeof than === "number" || than.length <= PREFILTER_TEXT_END - PREFILTER_TEXT_AT;
  view.setUint32(0, prefilter === undefined || !fits ? 0 : typeof than === "number" ? 1 : 2, true);
  if (prefilter === undefined || !fits) return;
  view.setUint32(4, prefilter.key, true);
  view.setUint32(8, prefilter.passing, true);
  view.setUint32(12, prefilter.final ? 1 : 0, true);
  if (typeof than === "number") view.setFloat64(16, than, true);
  else {
    view.setUint32(24, than.length, true);
    kernel.bytes.set(than, PREFILTER_TEXT_AT);
  }
}

/** Tells the kernel which names to look for; false when they do not fit. */
export function setKeys(kernel: Kernel, keys: Keys): boolean {
  if (kernel.keys === keys) return true;
  if (keys.names.length > MAX_KEYS) return false;
  kernel.keys = undefined;
  const { bytes, words } = kernel;
  let free = KEY_BYTES_AT;
  for (let i = 0; i < keys.names.length; i++) {
    const name = keys.names[i] ?? "";
    // Room for every spelling in UTF-8, so that a name left out here is one that is always escaped.
    if (free + 3 * name.length > KEY_BYTES_END) return false;
    const length = writeName(name, bytes, free, KEY_BYTES_END);
    const word = (KEYS_AT >> 2) + i * 8;
    words[word] = free;
    words[word + 1] = length;
    words[word + 2] = 0;
    words[word + 5] = length > 0 ? (bytes[free] ?? 0) : 0x22;
    if (length > 0) free += length;
  }
  kernel.keys = keys;
  return true;
}
