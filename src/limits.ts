// Owns: every number that bounds anything, with its default and its hard maximum.
// Must never: hold a limit that no code enforces.

import { echo, HoldfastError, say, sayAll, type Shown } from "./errors.ts";

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
  readonly globAlternatives: number;
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
  readonly inputDepth: number;
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
  readonly patchChars: number;
  readonly patchOperations: number;
  readonly patchFiles: number;
  readonly patchLines: number;
  readonly patchProblems: number;
  // gates
  readonly answerLength: number;
  readonly answerDepth: number;
  // tree
  readonly treeCount: number;
  readonly treeNodes: number;
  readonly treeDepth: number;
  readonly treeTypes: number;
  readonly treePayloadChars: number;
  readonly treePayloadDepth: number;
  readonly treeTags: number;
  readonly treeTagLength: number;
  readonly treeIdLength: number;
  readonly treePageItems: number;
  readonly treePins: number;
  readonly treePinMinutes: number;
  readonly treeBookmarks: number;
  readonly selectorLength: number;
  readonly selectorParts: number;
  readonly ruleCount: number;
  readonly rulePatternLength: number;
  // store
  readonly openJournals: number;
  readonly blobCacheBytes: number;
  // session
  readonly checkpointBytes: number;
  readonly packedBytes: number;
  readonly contentExtents: number;
  readonly diffBytes: number;
  readonly blameBytes: number;
  readonly weaveRuns: number;
}

export const LIMITS: { readonly [K in keyof Limits]: Limit } = {
  // paths
  pathSegmentLength: { default: 80, min: 1, max: 255, what: "characters in one path segment" },
  pathDepth: { default: 16, min: 1, max: 64, what: "segments in a path" },
  globLength: { default: 1_000, min: 1, max: 10_000, what: "characters in a glob" },
  globAlternatives: {
    default: 256,
    min: 1,
    max: 4_096,
    what: "patterns that the braces of a glob stand for",
  },
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
  inputDepth: { default: 1_100, min: 8, max: 5_000, what: "levels of nesting in one call's input" },
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
  patchChars: { default: 16 * MB, min: KB, max: 256 * MB, what: "characters in the text of one patch" },
  patchOperations: { default: 100_000, min: 1, max: 1_000_000, what: "operations in one patch" },
  patchFiles: { default: 1_000, min: 1, max: 100_000, what: "files in one patch" },
  patchLines: { default: 10_000_000, min: 1, max: 200_000_000, what: "lines in a file that is patched" },
  patchProblems: { default: 200, min: 1, max: 10_000, what: "problems of one patch that are listed" },
  // gates
  answerLength: {
    default: 1_000_000,
    min: 1_000,
    max: 16_000_000,
    what: "characters of an answer that JSON is looked for in",
  },
  answerDepth: { default: 512, min: 8, max: 512, what: "nesting of the JSON in an answer" },
  // tree
  treeCount: { default: 100, min: 1, max: 10_000, what: "trees in a session" },
  treeNodes: {
    default: 4_000_000,
    min: 1,
    max: 64_000_000,
    what: "nodes of one tree, removed ones included",
  },
  treeDepth: { default: 1_024, min: 1, max: 1_024, what: "levels of a tree" },
  treeTypes: { default: 4_096, min: 1, max: 65_536, what: "payload types in one tree" },
  treePayloadChars: { default: MB, min: 100, max: 64 * MB, what: "characters of one node's payload as JSON" },
  treePayloadDepth: { default: 64, min: 1, max: 256, what: "levels inside one payload" },
  treeTags: { default: 64, min: 1, max: 1_000, what: "tags on one node" },
  treeTagLength: { default: 100, min: 1, max: 1_000, what: "characters in a tag, label or type name" },
  treeIdLength: { default: 200, min: 36, max: 1_000, what: "characters in an imported node id" },
  treePageItems: { default: 200, min: 1, max: 10_000, what: "nodes on one page" },
  treePins: { default: 64, min: 1, max: 10_000, what: "snapshots that page tokens of one agent hold" },
  treePinMinutes: { default: 30, min: 1, max: 1_440, what: "minutes a page token stays valid" },
  treeBookmarks: { default: 1_000, min: 1, max: 100_000, what: "bookmarks of one agent" },
  selectorLength: { default: 4_096, min: 1, max: 65_536, what: "characters in a selector" },
  selectorParts: { default: 32, min: 1, max: 32, what: "compound parts in a selector" },
  ruleCount: { default: 500, min: 1, max: 10_000, what: "rules in a ruleset" },
  rulePatternLength: { default: 500, min: 1, max: 5_000, what: "characters in a rule's pattern" },
  // store
  openJournals: { default: 64, min: 1, max: 10_000, what: "sessions whose files are open at once" },
  blobCacheBytes: { default: 32 * MB, min: 0, max: GB, what: "bytes of small blobs kept in memory" },
  // session
  checkpointBytes: {
    default: 8 * MB,
    min: 4 * KB,
    max: GB,
    what: "bytes of changes after which a slice is checkpointed",
  },
  packedBytes: {
    default: 64 * KB,
    min: KB,
    max: 16 * MB,
    what: "bytes of one record's changes beyond which they live in a blob",
  },
  contentExtents: { default: 256, min: 2, max: 65_536, what: "pieces of a file before it is rewritten" },
  diffBytes: {
    default: 4 * MB,
    min: KB,
    max: 256 * MB,
    what: "bytes of one changed place that are compared",
  },
  blameBytes: { default: 64 * MB, min: KB, max: GB, what: "bytes of a file whose lines can be blamed" },
  weaveRuns: {
    default: 1_000_000,
    min: 1_000,
    max: 10_000_000,
    what: "pieces of one file's history that undo and blame look at",
  },
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
    if (limit === undefined) problems.push(say`${echo(name)} is not a limit`);
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
