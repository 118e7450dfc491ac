// Owns: a number with its word, so that no message says "1 bytes".

/** `plural(1, "byte")` is "1 byte", `plural(2, "byte")` "2 bytes"; a word with another plural brings it along. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
