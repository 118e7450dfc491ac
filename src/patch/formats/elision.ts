// Owns: which lines stand for text that was left out.

const COMMENT = String.raw`(?://|#|--|;|%|/\*+|\*|<!--|\{/\*|"""|')`;
const DOTS = String.raw`(?:\.{3,}|\u2026)`;
const WORDS =
  /\b(?:existing|rest|remaining|unchanged|other|previous|same|more|omitted|original|keep|as before|code|content|implementation|here|unmodified|truncated)\b/i;

const COMMENTED = new RegExp(String.raw`^\s*${COMMENT}\s*${DOTS}`);
const LEADING = new RegExp(String.raw`^\s*[[(<]?\s*${DOTS}`);
const TRAILING = new RegExp(String.raw`^\s*${COMMENT}.*${DOTS}\s*(?:\*/|-->|\*/\}|"""|')?\s*$`);
const REST =
  /^\s*(?:\/\/|#|\/\*+|<!--|\{\/\*)\s*(?:the )?(?:rest|remainder|remaining \w+)\b.*\b(?:code|file|function|method|class|implementation|unchanged|same|here)\b/i;
const BARE = new RegExp(String.raw`^\s*${DOTS}\s*$`);

/**
 * Does the line stand for others ("... existing code ...", "// rest of the file")? Three dots alone count too, except in Python,
 * where they are a statement. Lines of more than 200 characters are text. Cost: linear.
 */
export function isElision(line: string, file: string): boolean {
  if (line.length > 200) return false;
  if (BARE.test(line)) return !/\.pyi?$/.test(file);
  if (REST.test(line)) return true;
  if (COMMENTED.test(line)) return isShort(line) || WORDS.test(line);
  return (LEADING.test(line) || TRAILING.test(line)) && WORDS.test(line) && hasDotsBeside(line);
}

/** A comment that holds nothing but dots. */
function isShort(line: string): boolean {
  return line.replace(/[^A-Za-z0-9]/g, "") === "";
}

/** Dots that are a word of their own: not a spread (`...rest`) or a range. */
function hasDotsBeside(line: string): boolean {
  return /(?:\.{3,}|\u2026)(?:\s|$|[\])>*-])/.test(line);
}
