// Owns: the short ids of nodes and trees: how a tree's ordinal and a slot are written and read back.
// Must never: write one id for two places. Imported ids that look like ours are therefore never used as foreign ids.

/**
 * The id of a slot: `n4f` in the first tree, `n4f-2` in the second. Base 36, lower case, no leading zero, so that every
 * place has exactly one id and an id is also a valid `#id` in a selector. O(1). Never throws.
 *
 * @example nodeIdOf(2, 4)  // "n4-2"
 */
export function nodeIdOf(ordinal: number, slot: number): string {
  return ordinal === 1 ? `n${slot.toString(36)}` : `n${slot.toString(36)}-${ordinal.toString(36)}`;
}

/**
 * The id of a tree: `t1`, `t2`, ... O(1). Never throws.
 *
 * @example treeIdOf(1)  // "t1"
 */
export function treeIdOf(ordinal: number): string {
  return `t${ordinal.toString(36)}`;
}

/**
 * Reads an id of our own form; `undefined` for any other text. O(1). Never throws.
 *
 * @example parseNodeId("n4-2")  // { ordinal: 2, slot: 4 }
 */
export function parseNodeId(id: string): { readonly ordinal: number; readonly slot: number } | undefined {
  if (id.charCodeAt(0) !== 110 || id.length > 14) return undefined;
  const dash = id.indexOf("-");
  const slot = digits(id, 1, dash < 0 ? id.length : dash);
  if (slot < 0) return undefined;
  if (dash < 0) return { ordinal: 1, slot };
  const ordinal = digits(id, dash + 1, id.length);
  return ordinal < 2 ? undefined : { ordinal, slot };
}

/** Six base-36 digits stay below 2^31, the width of a link column. */
function digits(text: string, from: number, to: number): number {
  const length = to - from;
  if (length < 1 || length > 6 || (length > 1 && text.charCodeAt(from) === 48)) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 48 && unit <= 57) value = value * 36 + unit - 48;
    else if (unit >= 97 && unit <= 122) value = value * 36 + unit - 87;
    else return -1;
  }
  return value < 0x7fffffff ? value : -1;
}
