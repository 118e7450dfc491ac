// Owns: queries that name at most one place: the keys and positions they name, and which may be written to.

import { say, type Reason, type Shown } from "../../errors.ts";
import type { GivenPath, JsonPathStep, Query, Segment } from "./ast.ts";
import { pathError } from "./path-error.ts";
import { parsedPath, type ParseJsonPathOptions } from "./parse.ts";

/**
 * The keys and positions that a singular query names, one for each level; undefined when it can select several nodes.
 * Cost: its length. Never throws.
 *
 * @example singularPath(parseJsonPath("$.a[0]")) // ["a", 0]
 */
export function singularPath(query: Query): readonly JsonPathStep[] | undefined {
  if (!query.singular) return undefined;
  return query.segments.map(stepOf);
}

/** The step of a segment of a singular query. */
export function stepOf(segment: Segment): JsonPathStep {
  const only = segment.selectors[0];
  return only?.kind === "index" ? only.index : only?.kind === "name" ? only.name : 0;
}

/**
 * The keys and positions of a path that is to be written to. A quoted name may contain any sign: `$['*']` names one key.
 *
 * Cost: its length. Throws `invalid_argument`: `invalid_path` for what is no path, and, pointing at the first segment that
 * can select several places, `wildcard_write`, `descendant_write`, `slice_write`, `filter_write` or `union_write`.
 *
 * @example writablePath("$.users[0].name") // ["users", 0, "name"]
 */
export function writablePath(path: GivenPath, options: ParseJsonPathOptions = {}): readonly JsonPathStep[] {
  const parsed = parsedPath(path, options);
  for (const segment of parsed.segments) {
    const fault = writeFault(segment);
    if (fault !== undefined)
      throw pathError({
        text: parsed.text,
        at: segment.at,
        reason: fault.reason,
        message: say`a write needs a path to one place, and ${fault.what}`,
        hint: say`Find the places with a query first, then write to each normalized path it returns.`,
      });
  }
  return parsed.segments.map(stepOf);
}

function writeFault(segment: Segment): { readonly reason: Reason; readonly what: Shown } | undefined {
  if (segment.kind === "descendant") return { reason: "descendant_write", what: say`.. searches all levels` };
  if (segment.selectors.length > 1) return { reason: "union_write", what: say`this bracket names several` };
  switch (segment.selectors[0]?.kind) {
    case "wildcard":
      return { reason: "wildcard_write", what: say`* stands for all children` };
    case "slice":
      return { reason: "slice_write", what: say`a slice stands for several items` };
    case "filter":
      return { reason: "filter_write", what: say`a filter can select several` };
    default:
      return undefined;
  }
}
