// Owns: what `old` and `new` say about lines: one ending at the end is dropped, inner breaks separate lines.

/** The text without one line ending at its end. */
export function dropEnding(text: string): string {
  if (!text.endsWith("\n")) return text;
  return text.slice(0, text.endsWith("\r\n") ? -2 : -1);
}

/** The lines that a `new` makes: at least one. */
export function linesOfNew(text: string): readonly string[] {
  const bare = dropEnding(text);
  if (!bare.includes("\n")) return [bare];
  const parts = bare.split("\n");
  for (let i = 0; i < parts.length - 1; i++) {
    const part = parts[i] as string;
    if (part.endsWith("\r")) parts[i] = part.slice(0, -1);
  }
  return parts;
}

/** How many lines a `new` makes, without making them. */
export function countLinesOfNew(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Do two texts mean the same lines? LF and CRLF between them are alike. */
export function sameLines(a: string, b: string): boolean {
  if (dropEnding(a) === dropEnding(b)) return true;
  if (!a.includes("\n") || !b.includes("\n")) return false;
  const x = linesOfNew(a);
  const y = linesOfNew(b);
  return x.length === y.length && x.every((line, i) => line === y[i]);
}
