// Owns: known ways in which models break JSON that is complete, each as a change of its tokens.

import fc from "fast-check";
import type { Json } from "../../src/value.ts";

export interface Token {
  readonly what: "{" | "}" | "[" | "]" | ":" | "," | "key" | "string" | "number" | "literal";
  text: string;
  /** The kind of container around it. */
  readonly inObject: boolean;
  /** Blanks after it. */
  blank: string;
}

/** The tokens of a JSON text, laid out as JSON.stringify does it with this indent. */
export function tokensOf(root: Json, indent: number): Token[] {
  const tokens: Token[] = [];
  const push = (what: Token["what"], text: string, inObject: boolean, blank = ""): void => {
    tokens.push({ what, text, inObject, blank });
  };
  const line = (depth: number): string => (indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`);
  const write = (value: Json, inObject: boolean, depth: number): void => {
    if (typeof value === "string") push("string", JSON.stringify(value), inObject);
    else if (typeof value === "number") push("number", JSON.stringify(value), inObject);
    else if (typeof value !== "object" || value === null) push("literal", String(value), inObject);
    else if (Array.isArray(value)) {
      push("[", "[", inObject, value.length === 0 ? "" : line(depth + 1));
      value.forEach((item, index) => {
        write(item as Json, false, depth + 1);
        if (index < value.length - 1) push(",", ",", false, line(depth + 1));
        else (tokens.at(-1) as Token).blank = line(depth);
      });
      push("]", "]", inObject);
    } else {
      const members = Object.entries(value);
      push("{", "{", inObject, members.length === 0 ? "" : line(depth + 1));
      members.forEach(([key, item], index) => {
        push("key", JSON.stringify(key), true);
        push(":", ":", true, indent === 0 ? "" : " ");
        write(item, true, depth + 1);
        if (index < members.length - 1) push(",", ",", true, line(depth + 1));
        else (tokens.at(-1) as Token).blank = line(depth);
      });
      push("}", "}", inObject);
    }
  };
  write(root, false, 0);
  return tokens;
}

export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text, blank }) => text + blank).join("");
}

/** Breaks the tokens in one way at one place; undefined if there is no such place. */
export type Breakage = (tokens: Token[], pick: (count: number) => number) => string | undefined;

function oneOf(
  wanted: (token: Token, index: number, all: readonly Token[]) => boolean,
  change: (token: Token, index: number, all: Token[]) => void,
): Breakage {
  return (tokens, pick) => {
    const places = tokens.flatMap((token, index) => (wanted(token, index, tokens) ? [index] : []));
    if (places.length === 0) return undefined;
    const index = places[pick(places.length)] as number;
    change(tokens[index] as Token, index, tokens);
    return textOf(tokens);
  };
}

function all(change: (token: Token) => void): Breakage {
  return (tokens) => {
    tokens.forEach(change);
    return textOf(tokens);
  };
}

const is =
  (...what: Token["what"][]) =>
  (token: Token): boolean =>
    what.includes(token.what);
const put =
  (text: string) =>
  (token: Token): void => {
    token.text = text;
  };
const isString = (token: Token): boolean => token.what === "string" || token.what === "key";
const content = (token: Token): string => token.text.slice(1, -1);
/** Quotes around what JSON wrote: only for texts in which the new quote does not occur. */
const requote =
  (open: string, close: string) =>
  (token: Token): void => {
    if (isString(token) && !content(token).includes(open) && !content(token).includes(close))
      token.text = open + content(token).replaceAll('\\"', '"') + close;
  };
const isPlainKey = (token: Token): boolean =>
  token.what === "key" && /^"[A-Za-z_]\w{0,30}"$/.test(token.text);
const wide = (text: string): string => String.fromCharCode(text.charCodeAt(0) + 0xfee0);
export const BREAKAGES: Readonly<Record<string, Breakage>> = {
  "missing comma": oneOf(is(","), (token) => {
    token.text = token.blank === "" ? " " : "";
  }),
  "missing comma and blank": oneOf(
    (token, index, tokens) =>
      token.what === "," &&
      // A doubled quote is a quote in the string.
      tokens[index + 1]?.text !== '""' &&
      tokens[index - 1]?.text !== '""' &&
      // Two bare words without anything between them are one.
      !(
        is("number", "literal")(tokens[index - 1] as Token) &&
        is("number", "literal")(tokens[index + 1] as Token)
      ),
    (token) => {
      token.text = "";
      token.blank = "";
    },
  ),
  "no comma at all": all((token) => {
    if (token.what === ",") token.text = token.blank === "" ? " " : "";
  }),
  "missing colon": oneOf(is(":"), put(" ")),
  "semicolon for a comma": oneOf(is(","), put(";")),
  "full-width comma": oneOf(is(","), put("，")),
  "ideographic comma": oneOf(is(","), put("、")),
  "full-width semicolon": oneOf(is(","), put("；")),
  "full-width colon": oneOf(is(":"), put("：")),
  "full-width punctuation": all((token) => {
    if (/^[{}[\]:,]$/.test(token.text)) token.text = wide(token.text);
  }),
  "equals sign": oneOf(is(":"), put(" =")),
  arrow: oneOf(is(":"), put(" =>")),
  "trailing comma": oneOf(
    (_, index, tokens) => endsContainer(tokens, index),
    (token) => {
      token.text += ",";
    },
  ),
  "doubled comma": oneOf(is(","), put(",,")),
  "leading comma": oneOf(is("{", "["), (token, index, tokens) => {
    if (!is("}", "]")(tokens[index + 1] as Token)) token.text += ",";
  }),
  "block comment": oneOf(
    () => true,
    (token, index, tokens) => {
      if (index < tokens.length - 1) token.text += ' /* a, "b": {c} */ ';
    },
  ),
  "line comment": oneOf(
    () => true,
    (token, index, tokens) => {
      if (index < tokens.length - 1) token.text += ' // it\'s "odd"\n';
    },
  ),
  "leading ellipsis": oneOf(is("{", "["), (token, index, tokens) => {
    if (!is("}", "]")(tokens[index + 1] as Token)) token.text += "..., ";
  }),
  "ellipsis after a comma": oneOf(is(","), put(", ...,")),
  apostrophes: all(requote("'", "'")),
  "typographic quotes": all(requote("“", "”")),
  backticks: all(requote("`", "`")),
  "unquoted keys": all((token) => {
    if (isPlainKey(token)) token.text = content(token);
  }),
  "Python literals": all((token) => {
    if (token.what === "literal")
      token.text = token.text === "null" ? "None" : token.text === "true" ? "True" : "False";
  }),
  "raw line breaks": all((token) => {
    if (token.what === "string")
      token.text = token.text.replace(/\\(.)/g, (escape, c) =>
        c === "n" ? "\n" : c === "t" ? "\t" : escape,
      );
  }),
  "missing opening brace": (tokens) => {
    (tokens[0] as Token).text = "";
    return (tokens[1] as Token).what === "key" ? textOf(tokens) : undefined;
  },
  "HTML escapes": (tokens) =>
    textOf(tokens).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  "one closer too many": (tokens, pick) => textOf(tokens) + ["}", "]", "}}"][pick(3)],
  "no-break spaces": all((token) => {
    token.blank = token.blank.replaceAll(" ", "\u00a0");
  }),
  "digit groups": oneOf(
    (token) => token.what === "number" && token.inObject && /^-?\d{4,9}$/.test(token.text),
    (token) => {
      token.text = Number(token.text).toLocaleString("en-US");
    },
  ),
  "missing opening quote of a key": oneOf(isPlainKey, (token) => {
    token.text = token.text.slice(1);
  }),
  "missing closing quote of a key": oneOf(isPlainKey, (token) => {
    token.text = token.text.slice(0, -1);
  }),
  "missing closing quote before a line's end": oneOf(
    (token, index, tokens) =>
      token.what === "string" &&
      token.inObject &&
      /^"[\w .]*[\w.]"$/.test(token.text) &&
      tokens[index + 1]?.what === ",",
    (token) => {
      token.text = token.text.slice(0, -1);
    },
  ),
  "missing opening quote of a value": oneOf(
    (token) => token.what === "string" && token.inObject && /^"[A-Za-z][\w ]*"$/.test(token.text),
    (token) => {
      token.text = token.text.slice(1);
    },
  ),
  "a bracket that closes a brace": oneOf(
    (token, index, tokens) => is("]")(token) && is("}")(tokens[index + 1] ?? token),
    (token) => {
      token.text = "";
    },
  ),
};

function endsContainer(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  return next !== undefined && is("}", "]")(next) && !is("{", "[")(tokens[index] as Token);
}

const word = fc.constantFrom(
  "Add water",
  "bake it",
  "a",
  "x y",
  "Yes",
  "it's",
  "5 apples",
  "true",
  "null",
  "a: b",
  "one, two",
  "1",
  "é門",
  "(see)",
  "{x}",
  "[1]",
  'say "hi"',
  "",
  "line\nbreak",
  "back\\slash",
  "a/b",
  "50%",
  "-",
  "no; yes",
  "tab\t.",
);
const oddText = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const number = fc.oneof(fc.integer({ min: -2000, max: 2_000_000 }), fc.constantFrom(0, 0.5, -1.25, 1e21));

/** Objects with all kinds of values beside one another. */
function objectsOf(text: fc.Arbitrary<string>): fc.Arbitrary<{ readonly [key: string]: Json }> {
  const key = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("a", "b", "name", "items", "1_data", "k_2", "title") },
    { weight: 1, arbitrary: text },
  );
  return fc
    .letrec<{ value: Json; array: Json[]; object: { [key: string]: Json } }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 4, arbitrary: text },
        { weight: 2, arbitrary: number },
        { weight: 2, arbitrary: fc.constantFrom(true, false, null) },
        { weight: 2, arbitrary: tie("array") },
        { weight: 2, arbitrary: tie("object") },
      ) as fc.Arbitrary<Json>,
      array: fc.array(tie("value"), { maxLength: 4 }),
      object: fc
        .array(fc.tuple(key, tie("value")), { maxLength: 4 })
        .map((members) => Object.fromEntries(members) as { [key: string]: Json }),
    }))
    .object.filter((value) => Object.keys(value).length > 0);
}

/** With strings that hold any characters. */
export const oddObject = objectsOf(oddText);

/** With strings as people write them. Where a quote is missing, a string of quotes and braces can mean anything. */
export const plainObject = objectsOf(word);
