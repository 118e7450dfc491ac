// Owns: JSONC as JSON: comments and trailing commas replaced by blanks.

/** The same JSON without comments and trailing commas. The text must be valid JSONC. Linear, one pass. */
export function plainText(text: string): string {
  if (!text.includes("/") && !/,\s*[}\]]/.test(text)) return text;
  const out: string[] = [];
  let comma = -1;
  for (let i = 0; i < text.length;) {
    const start = i;
    const sign = text[i];
    if (sign === '"') {
      for (i++; text[i] !== '"' && i < text.length;) i += text[i] === "\\" ? 2 : 1;
      i++;
    } else if (sign === "/") {
      const line = text[i + 1] === "/";
      while (i < text.length && !(line ? text[i] === "\n" || text[i] === "\r" : text.startsWith("*/", i)))
        i++;
      i += line ? 0 : 2;
      out.push(" ");
      continue;
    } else i++;
    if (sign === ",") comma = out.length;
    else if (sign === "}" || sign === "]") {
      if (comma !== -1) out[comma] = " ";
      comma = -1;
    } else if (!/\s/.test(sign ?? "")) comma = -1;
    out.push(text.slice(start, i));
  }
  return out.join("");
}
