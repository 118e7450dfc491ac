// Owns: where things are in the kernel's memory. `scan/kernel.ts` repeats these numbers.

/** State of the structural walks, kept between windows. */
export const WALK: usize = 0;
/** State of a validation, kept between windows. */
export const VALID: usize = 128;
/** The test that rows are put to; see prefilter.as.ts. */
export const PREFILTER: usize = 256;
/** The text that it compares with. */
export const PREFILTER_TEXT: usize = 512;
/** Vectors that tell classes of bytes. */
export const CLASSES: usize = 3072;
/** The bytes 0 to 255, for `splat`. */
export const BYTES: usize = 3584;
/** Validation table: next state or action, by state (x 256) and byte. */
export const TABLE: usize = 4096;
/** Keys looked for: descriptors of 32 bytes, then their bytes. */
export const KEYS: usize = 8192;
/** Offsets that a walk returns. */
export const OUT: usize = 131072;
/** The window. Bytes before it down to `BACK` are those that went before in the document, when the scanner kept them. */
export const DATA: usize = 401408;
/** One byte for each open container of a validation. */
export const STACK: usize = 1048576;
