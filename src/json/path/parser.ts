// Owns: the grammar of segments and selectors, and the bounds on a query's length and nesting.

import { echo, say, type Shown } from "../../errors.ts";
import type { Query, Segment, PathSelector } from "./ast.ts";
import { QueryCursor, isShorthandChar } from "./cursor.ts";
import { operatorHint, parseFilter } from "./filter.ts";

export class PathParser {
  readonly cursor: QueryCursor;
  readonly warnings: Shown[] = [];
  private depth = 0;
  readonly maxPatternLength: number;
  private readonly maxDepth: number;

  constructor(text: string, maxDepth: number, maxPatternLength: number) {
    this.cursor = new QueryCursor(text);
    this.maxDepth = maxDepth;
    this.maxPatternLength = maxPatternLength;
  }

  enter(): void {
    if (++this.depth > this.maxDepth)
      throw this.cursor.fault(say`filters, parentheses and calls nest deeper than ${this.maxDepth}`);
  }

  leave(): void {
    this.depth--;
  }

  /** The whole text as one query. */
  whole(): Query {
    const { cursor } = this;
    if (!cursor.peek("$"))
      throw cursor.fault(
        cursor.done ? say`the path is empty` : say`a path starts with $, found ${cursor.found()}`,
        startHint(cursor.text),
      );
    const query = this.query("$");
    if (!cursor.done)
      throw cursor.fault(say`expected . or [ or the end, found ${cursor.found()}`, afterHint(cursor));
    return query;
  }

  /** A query whose first sign, `$` or `@`, is at the cursor. */
  query(root: "$" | "@"): Query {
    const { cursor } = this;
    cursor.at++;
    const segments: Segment[] = [];
    for (;;) {
      const before = cursor.at;
      cursor.blanks();
      const segment = this.segment();
      if (segment === undefined) {
        cursor.at = before;
        break;
      }
      segments.push(segment);
    }
    const singular = segments.every(
      ({ kind, selectors: [only, ...more] }) =>
        kind === "child" && more.length === 0 && (only?.kind === "name" || only?.kind === "index"),
    );
    return { root, segments, singular };
  }

  private segment(): Segment | undefined {
    const { cursor } = this;
    const at = cursor.at;
    if (cursor.peek("[")) return { kind: "child", selectors: this.bracketed(), at };
    const kind = cursor.take("..") ? "descendant" : cursor.take(".") ? "child" : undefined;
    if (kind === undefined) return undefined;
    if (cursor.take("*")) return { kind, selectors: [{ kind: "wildcard" }], at };
    if (kind === "descendant" && cursor.peek("[")) return { kind, selectors: this.bracketed(), at };
    const name = cursor.shorthand();
    if (name !== undefined) return { kind, selectors: [{ kind: "name", name }], at };
    throw cursor.fault(
      say`expected a name or * after ${kind === "child" ? say`.` : say`..`}, found ${cursor.found()}`,
      nameHint(cursor, kind),
    );
  }

  private bracketed(): readonly PathSelector[] {
    const { cursor } = this;
    const open = cursor.at++;
    const selectors: PathSelector[] = [];
    this.enter();
    for (;;) {
      cursor.blanks();
      selectors.push(this.selector());
      cursor.blanks();
      if (cursor.take("]")) break;
      if (cursor.done) throw cursor.fault(say`this [ is never closed`, undefined, open);
      if (!cursor.take(","))
        throw cursor.fault(say`expected , or ], found ${cursor.found()}`, operatorHint(this));
    }
    this.leave();
    return selectors;
  }

  private selector(): PathSelector {
    const { cursor } = this;
    if (cursor.take("*")) return { kind: "wildcard" };
    if (cursor.peek("'") || cursor.peek('"')) return { kind: "name", name: cursor.string() };
    if (cursor.take("?")) {
      cursor.blanks();
      return { kind: "filter", test: parseFilter(this) };
    }
    const start = cursor.integer();
    const afterStart = cursor.at;
    cursor.blanks();
    if (cursor.take(":")) return this.slice(start);
    if (start !== undefined) {
      cursor.at = afterStart;
      return { kind: "index", index: start };
    }
    throw cursor.fault(
      say`expected a quoted name, an index, a slice, * or ?, found ${cursor.found()}`,
      selectorHint(cursor.text.slice(cursor.at)),
    );
  }

  private slice(start: number | undefined): PathSelector {
    const { cursor } = this;
    cursor.blanks();
    const end = cursor.integer();
    const afterEnd = cursor.at;
    cursor.blanks();
    if (!cursor.take(":")) {
      cursor.at = afterEnd;
      return { kind: "slice", start, end, step: 1 };
    }
    const afterColon = cursor.at;
    cursor.blanks();
    const step = cursor.integer();
    if (step === undefined) cursor.at = afterColon;
    return { kind: "slice", start, end, step: step ?? 1 };
  }
}

function startHint(text: string): Shown | undefined {
  if (text === "") return say`The whole document is $.`;
  if (/^[ \t\r\n]/.test(text)) return say`Remove the blank before the path.`;
  if (text.startsWith("/")) return say`This looks like a JSON Pointer; /a/0 is written $.a[0].`;
  if (text.startsWith(".") || text.startsWith("[")) return say`Put $ before it: ${echo(`$${text}`)}.`;
  if (text.startsWith("@")) return say`@ is only known inside a filter.`;
  if (isShorthandChar(text.codePointAt(0))) return say`Put $. before it: ${echo(`$.${text}`)}.`;
  return undefined;
}

function afterHint(cursor: QueryCursor): Shown | undefined {
  const rest = cursor.text.slice(cursor.at);
  if (/^[ \t\r\n]+$/.test(rest)) return say`Remove the blank at the end.`;
  if (rest.startsWith("-") || rest.startsWith(" ") || rest.startsWith("/") || rest.startsWith(":"))
    return say`A name with signs other than letters, digits and _ is quoted: $['my-name'].`;
  if (rest.startsWith("]")) return say`There is no [ to close.`;
  if (isShorthandChar(rest.codePointAt(0))) return say`Put a dot before the name.`;
  return undefined;
}

function nameHint(cursor: QueryCursor, kind: "child" | "descendant"): Shown | undefined {
  const rest = cursor.text.slice(cursor.at);
  if (rest === "") return say`Remove the dot, or name a member.`;
  if (rest.startsWith("[")) return say`Remove the dot before [.`;
  if (rest.startsWith(".")) return say`Two dots search all levels: $..name.`;
  const digits = /^[0-9]{1,16}/.exec(rest);
  if (digits !== null) {
    const dots = kind === "child" ? say`` : say`..`;
    return say`An index is written ${dots}[${digits[0] as Shown}]; a name that starts with a digit is quoted.`;
  }
  if (/^["']/.test(rest)) return say`A quoted name goes in brackets: ['name'].`;
  if (/^[ \t\r\n]/.test(rest)) return say`Remove the blank after the dot.`;
  return say`A name with such a sign is quoted: ['name'].`;
}

function selectorHint(rest: string): Shown | undefined {
  if (rest.startsWith("]")) return say`All children are [*].`;
  if (rest.startsWith("(")) return say`There are no scripts; the last item is [-1], a filter is [?@.a == 1].`;
  if (rest.startsWith("@")) return say`A filter starts with ?: [?@.a == 1].`;
  if (/^[A-Za-z_]/.test(rest)) return say`Put the name in quotes: ['name'].`;
  if (rest.startsWith("+")) return say`Write the index without the plus.`;
  return undefined;
}
