// Owns: every number that bounds anything, with its default and its hard maximum.
// Must never: hold a limit that no code enforces.

import { HoldfastError, say, sayAll, type Shown } from "./errors.ts";

export interface Limit {
  readonly default: number;
  /** The host may set any whole number from `min` to `max`. */
  readonly min: number;
  readonly max: number;
  readonly what: string;
}

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

/** The values in force for one session. */
export interface Limits {
  // paths
  readonly pathSegmentLength: number;
  readonly pathDepth: number;
  readonly globLength: number;
  // files
  readonly writeSize: number;
  readonly fileBytes: number;
  readonly sessionBytes: number;
  readonly sessionFiles: number;
  // calls
  readonly callsPerMinute: number;
  readonly callBurst: number;
  readonly batchItems: number;
  readonly inputBytes: number;
  readonly budgetChars: number;
  readonly contentionTries: number;
  readonly idempotencyKeyLength: number;
  readonly idempotencyDays: number;
  readonly auditEntries: number;
  // json
  readonly jsonPathLength: number;
  readonly jsonPathNesting: number;
  readonly jsonPatternLength: number;
  readonly jsonQuerySteps: number;
  readonly jsonQueryMillis: number;
  readonly jsonPageMatches: number;
  readonly jsonEdits: number;
  readonly jsonDepth: number;
  readonly jsonIndexBytes: number;
  // patch
  // gates
  // tree
  // store
}

export const LIMITS: { readonly [K in keyof Limits]: Limit } = {
  // paths
  pathSegmentLength: { default: 80, min: 1, max: 255, what: "characters in one path segment" },
  pathDepth: { default: 16, min: 1, max: 64, what: "segments in a path" },
  globLength: { default: 1_000, min: 1, max: 10_000, what: "characters in a glob" },
  // files
  writeSize: {
    default: 48_000,
    min: 1,
    max: 64 * MB,
    what: "code points of text, or bytes, sent in one call",
  },
  fileBytes: { default: 512 * MB, min: 1, max: 16 * GB, what: "bytes in one file" },
  sessionBytes: { default: 4 * GB, min: 1, max: 1024 * GB, what: "bytes in all files of a session" },
  sessionFiles: { default: 100_000, min: 1, max: 10_000_000, what: "files in a session" },
  // calls
  callsPerMinute: { default: 300, min: 1, max: 1_000_000, what: "calls a minute by one agent" },
  callBurst: { default: 60, min: 1, max: 1_000_000, what: "calls an agent may make at once" },
  batchItems: { default: 500, min: 1, max: 100_000, what: "items in one batch" },
  inputBytes: { default: 4 * MB, min: KB, max: 256 * MB, what: "bytes of one call's input" },
  budgetChars: { default: 32_000, min: 200, max: 4 * MB, what: "characters in one answer" },
  contentionTries: { default: 5, min: 1, max: 50, what: "runs of one call when others write the same place" },
  idempotencyKeyLength: { default: 200, min: 16, max: 1_000, what: "characters in an idempotency key" },
  idempotencyDays: { default: 30, min: 1, max: 3_650, what: "days a stored result can be replayed" },
  auditEntries: { default: 10_000, min: 100, max: 10_000_000, what: "audit entries kept" },
  // json
  jsonPathLength: { default: 4_000, min: 16, max: 100_000, what: "characters in a JSONPath" },
  jsonPathNesting: { default: 32, min: 2, max: 128, what: "levels of brackets and calls inside a JSONPath" },
  jsonPatternLength: {
    default: 1_000,
    min: 1,
    max: 10_000,
    what: "characters in a pattern of match or search",
  },
  jsonQuerySteps: { default: 50_000_000, min: 100, max: 1e12, what: "nodes one JSON query may look at" },
  jsonQueryMillis: { default: 5_000, min: 1, max: 3_600_000, what: "milliseconds one JSON query may take" },
  jsonPageMatches: { default: 100, min: 1, max: 100_000, what: "matches in one page of a JSON query" },
  jsonEdits: { default: 500, min: 1, max: 100_000, what: "edits of a JSON document in one call" },
  jsonDepth: {
    default: 4 * MB,
    min: 1,
    max: 4 * MB,
    what: "containers inside one another in a JSON document",
  },
  jsonIndexBytes: {
    default: 64 * MB,
    min: 64 * KB,
    max: 4 * GB,
    what: "bytes of memory for indexes of JSON documents",
  },
  // patch
  // gates
  // tree
  // store
};

/** The defaults of {@link LIMITS}, as values. */
export const DEFAULT_LIMITS: Limits = Object.freeze(
  Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default])),
) as unknown as Limits;

/**
 * The defaults with the host's changes. Throws `invalid_argument` / `bad_limits` naming every unknown name and every
 * value out of range at once.
 */
export function resolveLimits(changes: { readonly [K in keyof Limits]?: number | undefined } = {}): Limits {
  const problems: Shown[] = [];
  const values: Record<string, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name as keyof Limits] : undefined;
    if (limit === undefined) problems.push(say`${JSON.stringify(name) as Shown} is not a limit`);
    else if (!Number.isSafeInteger(value) || value < limit.min || value > limit.max)
      problems.push(say`${name as Shown} must be a whole number from ${limit.min} to ${limit.max}`);
    else values[name] = value;
  }
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_limits",
      say`Limits refused: ${sayAll(problems, "; ")}.`,
    );
  return Object.freeze(values) as unknown as Limits;
}
