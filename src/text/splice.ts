// Owns: Splice, the one form of an edit, and its laws.

/** Replace `remove` bytes at `at` of the original bytes with `insert`. */
export interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}
