// Owns: the file that tells a directory in which sessions are kept from any other.

/** Its name. */
export const STORE_MARK = "FORMAT";

/** What it says in stores of this version. */
export const STORE_FORMAT = "holdfast store 1\n";

/** It is never longer. */
export const STORE_MARK_BYTES = 1024;

/** Whether it is that of a store, of whatever version. */
export function isStoreMark(text: string): boolean {
  return text.startsWith("holdfast store ");
}
