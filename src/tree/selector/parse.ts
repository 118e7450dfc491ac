// Owns: reading a selector. One pass, no backtracking; every error has a position and a hint.
// Must never: read a mistake as something else. What it does not know it refuses.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../limits.ts";
import type { Json } from "../../value.ts";
import type { AttributeOp, Combinator, Complex, Compound, Simple } from "./ast.ts";

const OPERATORS: readonly AttributeOp[] = ["!=", "^=", "$=", "*=", "~=", "<=", ">=", "=", "<", ">"];
const PLAIN_PSEUDOS = ["root", "leaf", "scope", "first-child", "last-child"] as const;
const KNOWN_PSEUDOS = say`:root, :leaf, :scope, :first-child, :last-child, :nth-child(), :is(), :not(), :has()`;

/**
 * Reads a selector. Throws `invalid_argument` / `bad_selector` with `data.position` (1-based). O(characters).
 *
 * @example parseSelector("Plan > Task, Note").length  // 2
 */
export function parseSelector(text: string, limits: Limits = DEFAULT_LIMITS): readonly Complex[] {
  if (text.length > limits.selectorLength)
    throw new HoldfastError(
      "invalid_argument",
      "selector_too_long",
      say`A selector has at most ${limits.selectorLength} characters; this one has ${text.length}. Split it into several calls.`,
      { data: { limit: limits.selectorLength } },
    );
  const parser = new Parser(text, limits);
  const list = parser.list(false);
  if (!parser.ended) parser.fail(say`expected a combinator, "," or the end`);
  return list;
}

class Parser {
  readonly #text: string;
  readonly #limits: Limits;
  #at = 0;
  #parts = 0;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  get ended(): boolean {
    return this.#at >= this.#text.length;
  }

  fail(what: Shown, hint: Shown = this.#hint(), at: number = this.#at): never {
    const rest = this.#text.slice(at, at + 20);
    const found = rest === "" ? say`the end` : echo(rest, 20);
    throw new HoldfastError(
      "invalid_argument",
      "bad_selector",
      say`Selector, position ${at + 1}: ${what}, found ${found}.${hint === "" ? say`` : say` ${hint}`}`,
      { data: { position: at + 1 } },
    );
  }

  /** What people write from habit, and what to write here. */
  #hint(): Shown {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith("//") || rest.startsWith("/"))
      return say`This is no XPath or regular expression: use a space for "below", > for "child", *= ^= $= for text.`;
    if (rest.startsWith("==")) return say`Write a single =.`;
    if (rest.startsWith("&&") || /^and\b/i.test(rest))
      return say`Join conditions by writing brackets side by side: [a=1][b=2].`;
    if (rest.startsWith("||") || rest.startsWith("|")) return say`Write a comma for "or".`;
    if (rest.startsWith("!")) return say`Write :not(...).`;
    if (rest.startsWith("@")) return say`Properties go into brackets without @: [title="x"].`;
    return say``;
  }

  #unit(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : -1;
  }

  #blanks(): boolean {
    const from = this.#at;
    while (isBlank(this.#unit())) this.#at++;
    return this.#at > from;
  }

  #take(literal: string): boolean {
    if (!this.#text.startsWith(literal, this.#at)) return false;
    this.#at += literal.length;
    return true;
  }

  list(relative: boolean): readonly Complex[] {
    const list: Complex[] = [];
    do {
      this.#blanks();
      list.push(this.#complex(relative));
      this.#blanks();
    } while (this.#take(","));
    return list;
  }

  #combinator(): Combinator | undefined {
    const char = this.#text[this.#at];
    if (char !== ">" && char !== "+" && char !== "~") return undefined;
    this.#at++;
    this.#blanks();
    return char;
  }

  #complex(relative: boolean): Complex {
    const parts: Compound[] = [];
    const combinators: Combinator[] = [(relative ? this.#combinator() : undefined) ?? " "];
    for (;;) {
      parts.push(this.#compound());
      const blank = this.#blanks();
      const combinator = this.#combinator();
      if (combinator === undefined && (!blank || this.ended || this.#isEnd())) break;
      combinators.push(combinator ?? " ");
    }
    return { parts, combinators };
  }

  #isEnd(): boolean {
    const char = this.#text[this.#at];
    return char === "," || char === ")";
  }

  #compound(): Compound {
    if (++this.#parts > this.#limits.selectorParts)
      throw new HoldfastError(
        "invalid_argument",
        "selector_too_complex",
        say`A selector has at most ${this.#limits.selectorParts} parts. Split it into several calls.`,
        { data: { limit: this.#limits.selectorParts, position: this.#at + 1 } },
      );
    const tests: Simple[] = [];
    if (this.#take("*")) tests.push({ kind: "any" });
    else if (isNameUnit(this.#unit())) tests.push({ kind: "type", name: this.#name() });
    for (;;) {
      if (this.#take("#")) tests.push({ kind: "id", name: this.#nameAfter(say`a node id`) });
      else if (this.#take(".")) tests.push({ kind: "tag", name: this.#nameAfter(say`a tag`) });
      else if (this.#take("[")) tests.push(this.#attribute());
      else if (this.#text[this.#at] === ":") tests.push(this.#pseudo());
      else break;
    }
    if (tests.length === 0) this.fail(say`expected a type, *, #id, .tag, [property] or :pseudo-class`);
    return tests;
  }

  #nameAfter(what: Shown): string {
    if (!isNameUnit(this.#unit())) this.fail(say`expected ${what}`);
    return this.#name();
  }

  #name(): string {
    let name = "";
    while (isNameUnit(this.#unit())) {
      if (this.#unit() === 92) name += this.#escape();
      else name += this.#text[this.#at++] as string;
    }
    return name;
  }

  /** A backslash with what it means. */
  #escape(): string {
    this.#at++;
    let hex = "";
    while (hex.length < 6 && isHex(this.#unit())) hex += this.#text[this.#at++] as string;
    if (hex !== "") {
      if (isBlank(this.#unit())) this.#at++;
      const point = Number.parseInt(hex, 16);
      return point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
        ? "\ufffd"
        : String.fromCodePoint(point);
    }
    if (this.ended) this.fail(say`expected a character after the backslash`);
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
    this.#at += char.length;
    return char;
  }

  #string(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++] as string;
    let value = "";
    for (;;) {
      if (this.ended) this.fail(say`this quote is never closed`, say``, start);
      const char = this.#text[this.#at] as string;
      if (char === quote) {
        this.#at++;
        return value;
      }
      if (char === "\\") value += this.#escape();
      else {
        value += char;
        this.#at++;
      }
    }
  }

  #isQuote(): boolean {
    const char = this.#text[this.#at];
    return char === '"' || char === "'";
  }

  #attribute(): Simple {
    this.#blanks();
    const path: string[] = [];
    do {
      if (this.#isQuote()) path.push(this.#string());
      else path.push(this.#nameAfter(say`a property name`));
    } while (this.#take("."));
    this.#blanks();
    if (this.#take("]")) return { kind: "has-attribute", path };
    const op = OPERATORS.find((operator) => this.#take(operator));
    if (op === undefined) this.fail(say`expected ] or one of = != ^= $= *= ~= < <= > >=`);
    if (this.#text[this.#at] === "=") this.fail(say`expected a value`, say`Write a single =.`);
    this.#blanks();
    const at = this.#at;
    const value = this.#value();
    if (typeof value !== "string" && (op === "^=" || op === "$=" || op === "*="))
      this.fail(say`${op as unknown as Shown} needs text`, say`Put the value in quotes.`, at);
    if ((typeof value === "boolean" || value === null) && (op.startsWith("<") || op.startsWith(">")))
      this.fail(say`${op as unknown as Shown} needs a number or text`, say``, at);
    this.#blanks();
    let ignoreCase = false;
    if (this.#take("i") || this.#take("I")) ignoreCase = true;
    else if (!this.#take("s")) this.#take("S");
    this.#blanks();
    if (!this.#take("]")) this.fail(say`expected ]`, say`Put values with blanks or signs in quotes.`);
    return { kind: "attribute", path, op, value, ignoreCase };
  }

  #value(): Json {
    if (this.#isQuote()) return this.#string();
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\]\s])/.exec(
      this.#text.slice(this.#at, this.#at + 40),
    );
    if (number !== null) {
      this.#at += number[0].length;
      return Number(number[0]);
    }
    if (!isNameUnit(this.#unit()))
      this.fail(say`expected a value`, say`A value is "text", a number, true, false or null.`);
    const escaped = this.#unit() === 92;
    const name = this.#name();
    if (escaped) return name;
    return name === "true" ? true : name === "false" ? false : name === "null" ? null : name;
  }

  #pseudo(): Simple {
    const at = this.#at;
    this.#at++;
    if (this.#text[this.#at] === ":") this.fail(say`there are no pseudo-elements`, say``, at);
    const name = this.#nameAfter(say`a pseudo-class`).toLowerCase();
    const plain = PLAIN_PSEUDOS.find((known) => known === name);
    if (plain !== undefined) return { kind: plain };
    if (name !== "is" && name !== "not" && name !== "has" && name !== "nth-child") {
      const hint =
        name === "contains" || name === "matches"
          ? say`For text write [title*="x"].`
          : name === "empty"
            ? say`Write :leaf.`
            : name === "where" || name === "any"
              ? say`Write :is().`
              : say`Known: ${KNOWN_PSEUDOS}.`;
      this.fail(say`unknown pseudo-class`, hint, at);
    }
    if (!this.#take("(")) this.fail(say`expected ( after :${name as unknown as Shown}`);
    let simple: Simple;
    if (name === "nth-child") simple = this.#nth();
    else simple = { kind: name, list: this.list(name === "has") };
    this.#blanks();
    if (!this.#take(")")) this.fail(say`expected )`);
    return simple;
  }

  #nth(): Simple {
    this.#blanks();
    const from = this.#at;
    const end = this.#text.indexOf(")", from);
    const text = this.#text
      .slice(from, end < 0 ? from : Math.min(end, from + 40))
      .trim()
      .toLowerCase();
    const kind = "nth-child";
    this.#at = end < 0 ? from : end;
    if (text === "odd") return { kind, a: 2, b: 1 };
    if (text === "even") return { kind, a: 2, b: 0 };
    const whole = /^[+-]?\d{1,9}$/.exec(text);
    if (whole !== null) return { kind, a: 0, b: Number(text) };
    const formula = /^([+-]?\d{0,9})n(?: {0,9}([+-]) {0,9}(\d{1,9}))?$/.exec(text);
    if (formula === null) this.fail(say`expected odd, even, a number or a formula like 2n+1`, say``, from);
    const a = formula[1] === "" || formula[1] === "+" ? 1 : formula[1] === "-" ? -1 : Number(formula[1]);
    const b = formula[3] === undefined ? 0 : Number(`${formula[2] ?? ""}${formula[3]}`);
    return { kind, a, b };
  }
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 10 || unit === 12 || unit === 13;
}

function isHex(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 70) || (unit >= 97 && unit <= 102);
}

/** Letters, digits, - and _, everything from U+00A0 on, and the backslash that begins an escape. */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 48 && unit <= 57) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 97 && unit <= 122) ||
    unit === 45 ||
    unit === 95 ||
    unit === 92 ||
    unit >= 0xa0
  );
}
