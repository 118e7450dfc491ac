// Owns: the grammar and the types of filter expressions: logic, comparisons, function calls.
// Depth: expressions nest, so these functions call each other; every level is counted against the nesting limit.

import { echo, say, type Shown } from "../../errors.ts";
import type { ComparisonOp, LogicalExpr, Query, ValueExpr } from "./ast.ts";
import type { PathParser } from "./parser.ts";
import { patternProblem } from "./iregexp.ts";

// Before it is known where an expression is, it is one of these. `at` is where it starts in the text.
type Operand =
  | { readonly as: "value"; readonly expr: ValueExpr; readonly at: number }
  | { readonly as: "query"; readonly query: Query; readonly at: number }
  | { readonly as: "logical"; readonly expr: LogicalExpr; readonly at: number };

/** The expression after `?`. */
export function parseFilter(p: PathParser): LogicalExpr {
  return asLogical(p, parseOr(p));
}

function parseOr(p: PathParser): Operand {
  return parseChain(p, "or", "||", parseAnd);
}

function parseAnd(p: PathParser): Operand {
  return parseChain(p, "and", "&&", parseBasic);
}

function parseChain(
  p: PathParser,
  kind: "or" | "and",
  sign: string,
  next: (p: PathParser) => Operand,
): Operand {
  const first = next(p);
  p.cursor.blanks();
  if (!p.cursor.take(sign)) return first;
  const parts = [asLogical(p, first)];
  do {
    p.cursor.blanks();
    parts.push(asLogical(p, next(p)));
    p.cursor.blanks();
  } while (p.cursor.take(sign));
  return { as: "logical", expr: { kind, parts }, at: first.at };
}

function parseBasic(p: PathParser): Operand {
  const { cursor } = p;
  const at = cursor.at;
  if (cursor.peek("!") && !cursor.peek("!=")) {
    cursor.at++;
    cursor.blanks();
    const part = cursor.peek("(") ? parseParenthesis(p) : parseOperand(p);
    const negated = asLogical(p, part);
    refuseComparison(p, say`Put the comparison in parentheses: !(@.a == 1).`);
    return { as: "logical", expr: { kind: "not", part: negated }, at };
  }
  if (cursor.peek("(")) {
    const inner = parseParenthesis(p);
    refuseComparison(p, say`Compare the value itself: @.a == 1.`);
    return inner;
  }
  const left = parseOperand(p);
  cursor.blanks();
  const op = takeComparison(p);
  if (op === undefined) return left;
  cursor.blanks();
  const right = parseOperand(p);
  const expr: LogicalExpr = {
    kind: "compare",
    op,
    left: asComparable(p, left),
    right: asComparable(p, right),
  };
  cursor.blanks();
  refuseComparison(p, say`Join two comparisons with &&.`);
  return { as: "logical", expr, at };
}

function parseParenthesis(p: PathParser): Operand {
  const { cursor } = p;
  const at = cursor.at++;
  p.enter();
  cursor.blanks();
  const expr = asLogical(p, parseOr(p));
  cursor.blanks();
  if (!cursor.take(")"))
    throw cursor.fault(
      say`expected ) to close the parenthesis, found ${cursor.found()}`,
      operatorHint(p) ?? undefined,
    );
  p.leave();
  return { as: "logical", expr, at };
}

const COMPARISONS: readonly ComparisonOp[] = ["==", "!=", "<=", ">=", "<", ">"];

function takeComparison(p: PathParser): ComparisonOp | undefined {
  const { cursor } = p;
  const at = cursor.at;
  const op = COMPARISONS.find((sign) => cursor.take(sign));
  if (op === "<" && cursor.peek(">"))
    throw cursor.fault(say`${echo("<>")} is not an operator`, say`Inequality is written !=.`, at);
  if (op !== undefined && cursor.peek("="))
    throw cursor.fault(say`${echo(`${op}=`)} is not an operator`, say`Write ${op as Shown}.`, at);
  return op;
}

function refuseComparison(p: PathParser, hint: Shown): void {
  const { cursor } = p;
  cursor.blanks();
  if (COMPARISONS.some((sign) => cursor.peek(sign))) throw cursor.fault(say`a test cannot be compared`, hint);
}

function parseOperand(p: PathParser): Operand {
  const { cursor } = p;
  const at = cursor.at;
  const sign = cursor.text[at];
  if (sign === "$" || sign === "@") return { as: "query", query: p.query(sign), at };
  if (sign === "'" || sign === '"') return literal(cursor.string(), at);
  if (sign === "-" || (sign !== undefined && sign >= "0" && sign <= "9")) return literal(cursor.number(), at);
  const word = cursor.word();
  if (cursor.peek("(") && word !== "") return parseCall(p, word, at);
  if (word === "true" || word === "false") return literal(word === "true", at);
  if (word === "null") return literal(null, at);
  cursor.at = at;
  throw cursor.fault(
    say`expected a value, a path starting with @ or $, or a function, found ${cursor.found()}`,
    operandHint(cursor.text.slice(at)),
  );
}

function literal(value: null | boolean | number | string, at: number): Operand {
  return { as: "value", expr: { kind: "literal", value }, at };
}

const FUNCTIONS = ["length", "count", "value", "match", "search"] as const;
type FunctionName = (typeof FUNCTIONS)[number];

function parseCall(p: PathParser, name: string, at: number): Operand {
  const { cursor } = p;
  if (!isFunction(name))
    throw cursor.fault(
      say`there is no function ${echo(name)}`,
      say`The functions are length, count, value, match and search.`,
      at,
    );
  const args = parseArguments(p);
  const wanted = name === "match" || name === "search" ? 2 : 1;
  if (args.length !== wanted)
    throw cursor.fault(
      say`${name as Shown}() takes ${wanted} argument${wanted === 1 ? say`` : say`s`}, not ${args.length}`,
      undefined,
      at,
    );
  const [first, second] = args as [Operand, Operand];
  switch (name) {
    case "length":
      return { as: "value", expr: { kind: "length", of: asValue(p, first, name) }, at };
    case "count":
    case "value":
      return { as: "value", expr: { kind: name, query: asNodes(p, first, name) }, at };
    default: {
      const { maxPatternLength } = p;
      const pattern = asValue(p, second, name);
      const call = { kind: name, text: asValue(p, first, name), pattern, maxPatternLength } as const;
      if (call.pattern.kind === "literal") warnOfPattern(p, call.pattern.value, second.at);
      return { as: "logical", expr: { kind: "test", call }, at };
    }
  }
}

function isFunction(name: string): name is FunctionName {
  return (FUNCTIONS as readonly string[]).includes(name);
}

function parseArguments(p: PathParser): readonly Operand[] {
  const { cursor } = p;
  const args: Operand[] = [];
  cursor.at++;
  p.enter();
  cursor.blanks();
  if (!cursor.take(")"))
    for (;;) {
      args.push(parseOr(p));
      cursor.blanks();
      if (cursor.take(")")) break;
      if (!cursor.take(","))
        throw cursor.fault(say`expected , or ) after an argument, found ${cursor.found()}`);
      cursor.blanks();
    }
  p.leave();
  return args;
}

function warnOfPattern(p: PathParser, pattern: null | boolean | number | string, at: number): void {
  const problem =
    typeof pattern === "string"
      ? patternProblem(pattern, p.maxPatternLength)
      : say`a pattern must be a string`;
  if (problem !== undefined) p.warnings.push(say`The pattern at offset ${at} never matches: ${problem}.`);
}

function asLogical(p: PathParser, operand: Operand): LogicalExpr {
  if (operand.as === "logical") return operand.expr;
  if (operand.as === "query") return { kind: "exists", query: operand.query };
  const what = operand.expr.kind === "literal" ? say`a literal` : say`the value of a function`;
  throw p.cursor.fault(
    say`${what} is not a test by itself`,
    operatorHint(p) ?? say`Compare it with something, as in @.size > 10.`,
    operand.at,
  );
}

function asComparable(p: PathParser, operand: Operand): ValueExpr {
  if (operand.as === "value") return operand.expr;
  if (operand.as === "query") {
    if (operand.query.singular) return { kind: "single", query: operand.query };
    throw p.cursor.fault(
      say`only a path to one value can be compared`,
      say`Use names and single indexes, or count(...) or value(...) around the path.`,
      operand.at,
    );
  }
  throw p.cursor.fault(
    say`a test cannot be compared`,
    say`match() and search() are already true or false: use them alone, or with !.`,
    operand.at,
  );
}

function asValue(p: PathParser, operand: Operand, name: FunctionName): ValueExpr {
  if (operand.as === "value") return operand.expr;
  if (operand.as === "query" && operand.query.singular) return { kind: "single", query: operand.query };
  throw p.cursor.fault(
    say`${name as Shown}() takes one value here`,
    operand.as === "query"
      ? say`This path can select several values: use count(...) to count them, or value(...) around it.`
      : undefined,
    operand.at,
  );
}

function asNodes(p: PathParser, operand: Operand, name: FunctionName): Query {
  if (operand.as === "query") return operand.query;
  throw p.cursor.fault(
    say`${name as Shown}() takes a path`,
    say`Give it a path such as @.items[*].`,
    operand.at,
  );
}

/** What people write between two operands where RFC 9535 has another sign. */
export function operatorHint(p: PathParser): Shown | undefined {
  const rest = p.cursor.text.slice(p.cursor.at, p.cursor.at + 12);
  if (rest.startsWith("=~")) return say`Patterns are functions: match(@.a, 'x.*') or search(@.a, 'x').`;
  if (rest.startsWith("=")) return say`Equality is written ==.`;
  if (rest.startsWith("&")) return say`"And" is written &&.`;
  if (rest.startsWith("|")) return say`"Or" is written ||.`;
  if (/^(and|AND|And)\b/.test(rest)) return say`"And" is written &&.`;
  if (/^(or|OR|Or)\b/.test(rest)) return say`"Or" is written ||.`;
  if (/^(in|IN|nin|contains|like)\b/.test(rest))
    return say`There is no such operator: write @.a == 'x' || @.a == 'y', or search(@.a, 'x').`;
  if (/^[-+*/%]/.test(rest)) return say`Filters cannot calculate.`;
  return undefined;
}

function operandHint(rest: string): Shown | undefined {
  if (/^(True|TRUE|False|FALSE)\b/.test(rest)) return say`Write true or false in lower case.`;
  if (/^(None|nil|Null|NULL|undefined)\b/.test(rest)) return say`Write null.`;
  if (/^[[{]/.test(rest)) return say`Objects and arrays cannot be written in a filter.`;
  if (rest.startsWith("=")) return say`Equality is written ==.`;
  if (/^(not|NOT)\b/.test(rest)) return say`"Not" is written !.`;
  if (/^[+.]/.test(rest)) return say`A number starts with a digit or a minus: 0.5, -3.`;
  if (rest.startsWith("/")) return say`Patterns are functions: match(@.a, 'x.*').`;
  if (/^[A-Za-z_]/.test(rest)) return say`Put text in quotes; a member of the current node is @.name.`;
  return undefined;
}
