// Owns: plain JSON data from a host's own code: what is none is its mistake, told as a TypeError that says where and what to give instead.

import type { Json } from "../value.ts";
import { fieldOf } from "./field-name.ts";
import { takePlain, type PlainPlace, type PlainProblem, type PlainRules } from "./plain-json.ts";

/** A copy of `value`, as its JSON text reads back. `what` names it in the error. */
export function takeFromCode(
  value: unknown,
  what: string,
  how: Pick<PlainRules, "freeze" | "undefinedAsNull">,
): Json {
  const refuse = (problem: PlainProblem, part: unknown, place: PlainPlace): TypeError =>
    new TypeError(`${what} must be plain JSON data: ${placeOf(place)} ${mistakeIn(problem, part)}`);
  return takePlain(value, { ...how, refuse });
}

const SHOWN_STEPS = 20;

function placeOf(place: PlainPlace): string {
  return place.length === 0 ? "it" : fieldOf(place.slice(0, SHOWN_STEPS));
}

function mistakeIn(problem: PlainProblem, part: unknown): string {
  if (problem === "cycle") return "contains itself. Name what it refers to by an id";
  switch (typeof part) {
    case "number":
      return `is ${part}. Give a finite number, a string or null`;
    case "undefined":
      return "is undefined. Give null";
    case "bigint":
      return "is a BigInt. Give a number or a string";
    case "object":
      return `is an instance of ${classOf(part)}. Give its fields as a plain object, or a text of it`;
    default:
      return `is a ${typeof part}. Leave it out`;
  }
}

function classOf(value: unknown): string {
  const { constructor: made } = value as { readonly constructor?: unknown };
  return typeof made === "function" && made.name !== "" ? made.name : "a class";
}
