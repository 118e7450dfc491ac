// Owns: which lines stand for text that was left out.

import type { BlockLine } from "./edit.ts";

const DOTS = /\.{3,}|\u2026/;

/** What may be before and after the words of a comment, by how it opens. In prose `#` is a heading and `*` an item of a list. */
const COMMENT = /^\s*(?:\/\/+|\/\*+|<!--+|\{\s*\/\*+|\(\*|--+|#+|;+|%+|\*+|"""|'''|')\s*/;
const PROSE_COMMENT = /^\s*(?:\/\/+|\/\*+|<!--+|\{\s*\/\*+)\s*/;
/** A comment, or dots, in place of the body of a function. */
const BODY = /\{\s*(?:\/\*+([^*]*)\*+\/|(\.{3,}|\u2026))\s*\}\s*[;,]?\s*$/;
/** A comment after code that begins with dots. */
const AFTER_CODE = /\S\s+(?:\/\/+|#+|--+)\s*(?=\.{3,}|\u2026)/;
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|org|tex|html?)$/i;
const PYTHON = /\.pyi?$/;
const YAML = /\.ya?ml$/i;
/** Words in brackets, alone on their line: two at least, since one may be a tag. */
const BRACKETED = /^\s*(?:<([a-z']+(?: [a-z']+)+)>|\[([a-z']+(?: [a-z']+)+)\])\s*$/i;

/** Words that say that something was left out, without dots too. */
const LEFT_OUT =
  /\b(?:unchanged|unmodified|untouched|unaltered|omitted|elided|snip|snipped|truncated|existing|remaining|remainder|rest|(?:no|without) (?:other )?changes?|not changed|(?:stays?|remains?|is|are|keeps?|kept) (?:all )?the same|(?:previous|original|other) \w+ (?:goes )?here|(?:previous|original) (?:code|content|contents|implementation|file|text|lines|logic|body)|(?:same|identical|exactly|as) (?:as |to )?(?:it was )?(?:before|above|previously|original|previous|is|in the original))\b/;
/** Words that say so beside dots. */
const BESIDE_DOTS =
  /\b(?:other|others|previous|same|more|original|keep|code|content|implementation|here|snip|so on)\b/;

/** A comment of nothing but these words says nothing of its own. */
const WORDS = new Set(
  (
    "a all also and any anything are as at be been before below above brevity but by clarity here goes go everything else etc exactly for " +
    "from has have in is it its of or original previous previously stay stays remain remains same snip snipped the their there these this " +
    "those to too unchanged unmodified untouched unaltered was were with without your our omitted elided truncated existing remaining " +
    "remainder rest other others more keep kept leave left no not change changes changed modified identical need needed " +
    "code codes content contents file files document page text line lines part parts section sections block blocks body " +
    "function functions method methods class classes component components implementation implementations logic definition " +
    "definitions declaration declarations statement statements import imports export exports test tests case cases route routes " +
    "handler handlers style styles rule rules prop props field fields property properties item items entry entries option options " +
    "config configuration setting settings markup html css jsx variable variables constant constants type types interface " +
    "interfaces tag tags element elements data module script program row rows column columns query queries so on value values key keys"
  ).split(" "),
);

const MOST_CHARS = 200;

/**
 * Does the line stand for others ("... existing code ...", "// rest of the file", "{ /* unchanged *\/ }")? It does if it is a comment
 * of nothing but words for what is left out, or such words beside dots. Three dots alone count too, except in Python, where they are a
 * statement. Lines of more than 200 characters are text. Cost: linear.
 */
export function isElision(line: string, file: string): boolean {
  if (line.length > MOST_CHARS) return false;
  if (/^\s*(?:\.{3,}|\u2026)\s*$/.test(line)) return !PYTHON.test(file);
  const isProse = PROSE.test(file);
  const comment = (isProse ? PROSE_COMMENT : COMMENT).exec(line);
  if (comment !== null) return saysNothing(line.slice(comment[0].length), !/^\s*[*'"]/.test(line));
  const bracketed = BRACKETED.exec(line);
  if (bracketed !== null && saysNothing(bracketed[1] ?? bracketed[2] ?? "", true)) return true;
  const body = isProse ? null : BODY.exec(line);
  if (body !== null) return body[1] === undefined || saysNothing(body[1], true);
  const after = AFTER_CODE.exec(line);
  if (after !== null && !isProse) return saysNothing(line.slice(after.index + after[0].length - 1), false);
  return startsOrEndsWithDots(line) && saysNothing(line, false);
}

/** The lines that come and stand for others. In YAML, three dots at the end of a document are its end. */
export function elisionsIn(lines: readonly BlockLine[], file: string): string[] {
  const left = lines.filter(({ kind }) => kind !== "-");
  return left.flatMap(({ kind, text }, i) =>
    kind === "+" && isElision(text, file) && !(YAML.test(file) && isDocumentEnd(left, i)) ? [text] : [],
  );
}

/** The lines to be found that stand for others. */
export function leftOutIn(lines: readonly BlockLine[], file: string): string[] {
  return lines.flatMap(({ kind, text }) => (kind !== "+" && isElision(text, file) ? [text] : []));
}

function isDocumentEnd(lines: readonly BlockLine[], at: number): boolean {
  if (lines[at]?.text.trimEnd() !== "...") return false;
  let next = at + 1;
  while (/^\s*(?:#.*)?$/.test(lines[next]?.text ?? "---")) next++;
  return /^(?:---|%)/.test(lines[next]?.text ?? "---");
}

/** Nothing but words for what is left out; without dots only where that is enough. */
function saysNothing(text: string, isEnough: boolean): boolean {
  const words = text
    .toLowerCase()
    .replace(/\.{3,}|\u2026|\*+\/\s*\}?|--+>|"""|'''|[()[\]<>*:;,.!=/'"_-]+/g, " ")
    .trim()
    .split(/\s+/);
  const hasDots = DOTS.test(text);
  if (words.length === 1 && words[0] === "") return hasDots;
  if (!words.every((word) => WORDS.has(word) || (hasDots && /^\d+$/.test(word)))) return false;
  const said = words.join(" ");
  return hasDots ? LEFT_OUT.test(said) || BESIDE_DOTS.test(said) : isEnough && LEFT_OUT.test(said);
}

/** Dots that are a word of their own: not a spread (`...rest`) or a range. */
function startsOrEndsWithDots(line: string): boolean {
  return (
    /^\s*[[(<]?\s*(?:\.{3,}|\u2026)(?:\s|[\])>*-])/.test(line) ||
    /\s(?:\.{3,}|\u2026)\s*[\])>]?\s*$/.test(line)
  );
}
