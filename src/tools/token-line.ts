// Owns: where the text of a write says its token: on a line of its own, after the first line, which says what was done.

/** `text` with the line `[Token T]` after its first. A dry run has no token and gets no such line. */
export function withToken(text: string, token: string | undefined): string {
  if (token === undefined) return text;
  const [first = "", ...rest] = text.split("\n");
  return [first, `[Token ${token}]`, ...rest].join("\n");
}
