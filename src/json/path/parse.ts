// Owns: the way into JSONPath: a text becomes a checked query, or an error that says where and what to write instead.

import { HoldfastError, say } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import type { GivenPath, JsonPath, JsonPathStep } from "./ast.ts";
import { PathParser } from "./parser.ts";
import { normalizedPath } from "./normalized.ts";
import { pathError } from "./path-error.ts";

/** How a JSONPath is read. */
export interface ParseJsonPathOptions {
  /** Characters in the query: 4,000 when left out. A longer one is refused with `invalid_path`. */
  readonly maxLength?: number;
  /** Levels of brackets, parentheses and calls inside each other: 32 when left out. More are refused with `invalid_path`. */
  readonly maxNesting?: number;
  /** Characters in a pattern of `match` or `search`: a longer one never matches. */
  readonly maxPatternLength?: number;
}

const PARSE_OPTIONS: OptionNames<ParseJsonPathOptions> = {
  maxLength: true,
  maxNesting: true,
  maxPatternLength: true,
};

/**
 * Parses and type-checks an RFC 9535 query. Time and memory grow with the text, which is bounded.
 *
 * Throws `invalid_argument` / `invalid_path`; the message has the column, a frame with a caret and, for the usual
 * mistakes, what to write instead.
 *
 * @example parseJsonPath("$.users[?@.age >= 18].name").singular // false
 */
export function parseJsonPath(text: string, options: ParseJsonPathOptions = {}): JsonPath {
  checkOptionNames(say`parseJsonPath`, options, PARSE_OPTIONS);
  if (typeof text !== "string") throw notAPath();
  const maxLength = options.maxLength ?? DEFAULT_LIMITS.jsonPathLength;
  if (text.length > maxLength)
    throw pathError({ text, at: maxLength, message: say`the path is longer than ${maxLength} characters` });
  const parser = new PathParser(
    text,
    options.maxNesting ?? DEFAULT_LIMITS.jsonPathNesting,
    options.maxPatternLength ?? DEFAULT_LIMITS.jsonPatternLength,
  );
  const query = parser.whole();
  return Object.freeze({
    root: "$",
    segments: query.segments,
    singular: query.singular,
    text,
    warnings: parser.warnings,
  });
}

/** A path given as text or parsed before. Throws `invalid_argument` / `invalid_path` for anything else. */
export function parsedPath(path: GivenPath, options: ParseJsonPathOptions = {}): JsonPath {
  checkOptionNames(say`A path`, options, PARSE_OPTIONS);
  if (typeof path === "string") return parseJsonPath(path, options);
  const given: unknown = path;
  if (Array.isArray(given) && given.every(isStep)) return parseJsonPath(normalizedPath(given), options);
  if (typeof given === "object" && given !== null && "segments" in given) return given as JsonPath;
  throw notAPath();
}

function notAPath(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "invalid_path",
    say`A path is a text that starts with $, such as $.users[0].name, or a list of its names and indexes.`,
  );
}

function isStep(step: unknown): step is JsonPathStep {
  return typeof step === "string" || Number.isSafeInteger(step);
}
