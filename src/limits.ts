// Owns: every number that bounds anything, with its default and its hard maximum.
// Must never: hold a limit that no code enforces.

import { echo, HoldfastError, say, sayAll, type Shown } from "./errors.ts";

/** One bound: what it counts, its default, and how far a host may move it. */
export interface Limit {
  /** What holds when the host sets nothing. */
  readonly default: number;
  /** The host may set any whole number from `min` to `max`. */
  readonly min: number;
  /** The greatest value that a host may set; more is refused with `invalid_argument` / `bad_limits`. */
  readonly max: number;
  /** What is counted, in words that messages use: "characters in one path segment". */
  readonly what: string;
}

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

/** The values in force for one session. */
export interface Limits {
  // paths
  /**
   * Characters in one segment of a path, 80 by default. Longer names are refused with `path_segment_too_long`; raise it
   * for trees of generated files.
   */
  readonly pathSegmentLength: number;
  /** Segments in a path, 16 by default. Deeper paths are refused with `path_too_deep`. */
  readonly pathDepth: number;
  /**
   * Characters in a glob, 1,000 by default. Longer ones are refused with `glob_too_long`. Matching costs glob times
   * path.
   */
  readonly globLength: number;
  /**
   * Patterns that the braces of one glob may stand for, 256 by default. More are refused with `glob_too_many_alternatives`. Each
   * is matched on its own, so time grows with them.
   */
  readonly globAlternatives: number;
  // files
  /**
   * Code points of text, or bytes, that one call may send, 48,000 by default: all strings of its input together, but for short
   * arguments such as paths. More is refused with `content_too_large`: larger files are appended to in parts. It also bounds what
   * a client's context pays for one call.
   */
  readonly writeSize: number;
  /**
   * Bytes in one file, 512 MB by default. A write that would pass it is refused with `file_too_large`, and nothing is
   * written.
   */
  readonly fileBytes: number;
  /**
   * Bytes in all files of a session, 4 GB by default. Checked by the store as part of the commit: a write that would
   * pass it is refused with `over_quota`.
   */
  readonly sessionBytes: number;
  /**
   * Files in a session, 100,000 by default. Checked by the store as part of the commit, like `sessionBytes`: a write that would
   * pass it is refused with `over_quota`.
   */
  readonly sessionFiles: number;
  /**
   * Entries that one mount, or the directory of a session, may hold, 1 million by default: all that are looked at, those that
   * are left out included. More are refused with `invalid_argument` / `mount_too_large`, and nothing is mounted. Looking costs
   * time for each entry.
   */
  readonly mountEntries: number;
  /**
   * Places of text that one `edit_file` or `replace_in_files` may change, 10,000 by default. More are refused with
   * `too_many_places`, and nothing is changed.
   */
  readonly replacePlaces: number;
  /**
   * Bytes of new text that one `edit_file` or `replace_in_files`, or one patch that copies or renames files, may put into files,
   * 4 MB by default: a text sent once is written at every place. More is refused with `too_much_text`, and nothing is changed.
   */
  readonly replaceBytes: number;
  /**
   * Milliseconds that one `search_files` may take, 5,000 by default. Then its result is partial, and its cursor goes on. One
   * `replace_in_files` that takes longer is refused with `search_too_long`, and nothing is changed.
   */
  readonly searchMillis: number;
  // calls
  /**
   * Calls a minute by one agent, 300 by default. Beyond it calls are refused with `rate_limited` / `too_many_calls`, and
   * `retryAfter` in seconds. Reads count too.
   */
  readonly callsPerMinute: number;
  /**
   * Calls that an agent may make at once before `callsPerMinute` holds it back, 60 by default. More are refused with
   * `rate_limited` / `too_many_calls`.
   */
  readonly callBurst: number;
  /**
   * Items that a tool which takes a list may take in one call, 500 by default. More are refused with `batch_too_large`,
   * and none is carried out.
   */
  readonly batchItems: number;
  /**
   * Bytes of one call's input, 4 MB by default. More are refused with `input_too_large`. Checked before anything is parsed, so
   * that a large input costs nothing.
   */
  readonly inputBytes: number;
  /**
   * Levels of nesting in one call's input, 1,100 by default. Deeper ones are refused with `input_too_deep`. Checked before
   * anything is parsed.
   */
  readonly inputDepth: number;
  /**
   * Characters in one result, 32,000 by default. Nothing is refused: what does not fit is cut at a line border and said so, with
   * a cursor where the tool pages. A call may lower it with `budget`, to 1,000, and never raise it.
   */
  readonly budgetChars: number;
  /**
   * Runs of one call when others write what it read, 5 by default. After the last it is refused with `conflict` / `contended`,
   * and nothing is written. The third run and later ones hold a turn for which others wait.
   */
  readonly contentionTries: number;
  /** Characters in an idempotency key, 200 by default. Longer ones are refused with `idempotency_key_too_long`. */
  readonly idempotencyKeyLength: number;
  /**
   * Days for which a result can be replayed by its idempotency key, 30 by default. Nothing is refused: older results go with the
   * next prune, and the same key then runs the call anew. A store has its own: `sqliteStore({ idempotencyDays })` sets it, the
   * limits of a session do not.
   */
  readonly idempotencyDays: number;
  /**
   * Audit entries of one session that its store keeps, 10,000 by default. Nothing is refused: the oldest go first. Records of
   * changes are not among them. A store has its own: `sqliteStore({ auditEntries })` sets it, the limits of a session do not.
   */
  readonly auditEntries: number;
  // json
  /**
   * Characters in a JSONPath, 4,000 by default. Longer ones are refused with `invalid_path`. Parsing costs its length.
   */
  readonly jsonPathLength: number;
  /**
   * Filters, parentheses and calls inside one another in a JSONPath, 32 by default. Deeper ones are refused with `invalid_path`.
   */
  readonly jsonPathNesting: number;
  /**
   * Characters in a pattern of `match` or `search`, 1,000 by default. Nothing is refused: a longer one never matches, and the
   * path carries a warning. Patterns run in linear time, with a factor that grows with their length.
   */
  readonly jsonPatternLength: number;
  /**
   * Nodes that one JSON query may look at, 50 million by default. Nothing is refused: at the bound the result is what was found
   * so far, marked as partial.
   */
  readonly jsonQuerySteps: number;
  /**
   * Milliseconds that one JSON query may take, 5,000 by default. Nothing is refused: at the bound the result is what was found
   * so far, marked as partial.
   */
  readonly jsonQueryMillis: number;
  /** Matches in one page of a JSON query, 100 by default. Nothing is refused: the rest comes with the cursor. */
  readonly jsonPageMatches: number;
  /** Edits of a JSON document in one call, 500 by default. More are refused with `too_many_edits`, and none is made. */
  readonly jsonEdits: number;
  /**
   * Containers inside one another in a JSON document, 4 million by default and at most. Deeper documents are refused with
   * `too_deep`, never walked by recursion.
   */
  readonly jsonDepth: number;
  /**
   * Bytes of memory for indexes of JSON documents, 64 MB by default. Nothing is refused: the least recently used go first, and
   * without its index a large document is scanned again.
   */
  readonly jsonIndexBytes: number;
  // patch
  /** Characters in the text of one patch, 16 million by default. Longer patches are refused with `too_large`. */
  readonly patchChars: number;
  /** Operations in one patch, 100,000 by default. More are refused with `too_large`. */
  readonly patchOperations: number;
  /** Files in one patch, 1,000 by default. More are refused with `too_large`. */
  readonly patchFiles: number;
  /** Lines in a file that is patched, 10 million by default. Longer files are refused with `too_large`. */
  readonly patchLines: number;
  /**
   * Problems of one patch that are listed, 200 by default. Nothing is refused for their number: of the others only the count is
   * said.
   */
  readonly patchProblems: number;
  // gates
  /**
   * Characters of an answer in which JSON is looked for, 1 million by default. Longer answers are refused with `too_long`, in
   * gates as `invalid_json`.
   */
  readonly answerLength: number;
  /**
   * Nesting of the JSON in an answer, 512 by default and at most. A deeper candidate is passed over; an answer without another
   * is refused with `too_deep`, in gates as `invalid_json`.
   */
  readonly answerDepth: number;
  // tree
  /** Trees in a session, 100 by default. More are refused with `too_many_trees`. */
  readonly treeCount: number;
  /**
   * Nodes of one tree, removed ones included (undo needs them), 4 million by default. More are refused with
   * `too_many_nodes`. A node costs about 100 bytes of memory besides its payload.
   */
  readonly treeNodes: number;
  /** Levels of a tree, 1,024 by default and at most. Deeper ones are refused with `too_deep`. */
  readonly treeDepth: number;
  /**
   * Payload types in one tree, 4,096 by default. More are refused with `too_many_types`, and with `bad_payload_types` where a
   * tree declares them.
   */
  readonly treeTypes: number;
  /**
   * Characters of one node's payload as JSON, 1 million by default. Larger ones are refused with `payload_too_large`: large text
   * belongs into a workspace file, its path into the node.
   */
  readonly treePayloadChars: number;
  /** Levels inside one payload, 64 by default. Deeper ones are refused with `payload_too_deep`. */
  readonly treePayloadDepth: number;
  /** Tags on one node, 64 by default. More are refused with `too_many_tags`. */
  readonly treeTags: number;
  /** Characters in a tag, label or type name, 100 by default. Longer ones are refused with `bad_text`. */
  readonly treeTagLength: number;
  /**
   * Characters in an imported node id, 200 by default. Nothing is refused: a node with a longer one gets an id of its own,
   * listed in `renamed`. Also of a property's path to sort or group by: longer ones are refused with `bad_text`.
   */
  readonly treeIdLength: number;
  /**
   * Nodes on one page, 200 by default. Nothing is refused: a page that asks for more has so many, and a note says so; only one
   * of fewer than 1 is refused with `bad_page_size`.
   */
  readonly treePageItems: number;
  /**
   * Snapshots that page tokens of one agent hold, 64 by default; the oldest go first, and their tokens are refused with
   * `snapshot_expired`. A snapshot costs memory only where the tree has changed since.
   */
  readonly treePins: number;
  /**
   * Minutes for which a page token stays valid, 30 by default. Later it is refused with `snapshot_expired`, and the first page
   * must be asked for again.
   */
  readonly treePinMinutes: number;
  /** Bookmarks of one agent, 1,000 by default. More are refused with `too_many_bookmarks`. */
  readonly treeBookmarks: number;
  /** Characters in a selector, 4,096 by default. Longer ones are refused with `selector_too_long`. */
  readonly selectorLength: number;
  /**
   * Compound parts in a selector, 32 by default and at most. More are refused with `selector_too_complex`. Selecting
   * costs nodes times parts.
   */
  readonly selectorParts: number;
  /**
   * Rules in a ruleset, 500 by default. More are refused with `bad_ruleset`. Validation costs nodes times the rules that concern
   * them.
   */
  readonly ruleCount: number;
  /**
   * Characters in a rule's pattern, 500 by default; a regular expression of a search may have twice as many. Longer ones are
   * refused with `bad_ruleset`, or `bad_pattern` in a search. Patterns run in linear time.
   */
  readonly rulePatternLength: number;
  // store
  /**
   * Sessions whose files a store keeps open at once, 64 by default. Nothing is refused: the least recently used file is closed,
   * and opened again when it is needed. `sqliteStore({ openJournals })` sets it, the limits of a session do not.
   */
  readonly openJournals: number;
  /**
   * Bytes of small blobs that a store keeps in memory, 32 MB by default; 0 keeps none. Nothing is refused: what is not kept is
   * read from disk. `sqliteStore({ blobCacheBytes })` sets it, the limits of a session do not.
   */
  readonly blobCacheBytes: number;
  // session
  /**
   * Bytes of changes after which a part of the state is checkpointed, 8 MB by default. Nothing is refused. Smaller: a session
   * opens faster and writes more. Larger: the other way round.
   */
  readonly checkpointBytes: number;
  /**
   * Bytes of one record's changes beyond which they live in a blob of their own, 64 KB by default. Nothing is refused. Smaller:
   * lists of records read less, and more commits write a blob besides. Larger: the other way round.
   */
  readonly packedBytes: number;
  /**
   * Pieces that a file may consist of before it is rewritten as one, 256 by default. Nothing is refused. Smaller: reads touch
   * less, edits of large files copy more often.
   */
  readonly contentExtents: number;
  /**
   * Bytes of one changed place that are compared line by line, 4 MB by default. Nothing is refused: above it a diff shows the
   * sizes only.
   */
  readonly diffBytes: number;
  /** Bytes of a file whose lines can be blamed, 64 MB by default. Larger files are refused with `too_large`. */
  readonly blameBytes: number;
  /**
   * Pieces of one file's history that undo, blame, rebases and plans look at, 1 million by default. Undo beneath later changes and
   * blame of a file with more are refused with `too_many_runs`: it can be restored.
   */
  readonly weaveRuns: number;
}

/**
 * Every bound with its default, least and greatest value. Set them with `openSession({ limits })`; a value out of range
 * is refused with all the others that are.
 */
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
  mountEntries: { default: 1_000_000, min: 1, max: 100_000_000, what: "entries that one mount looks at" },
  replacePlaces: { default: 10_000, min: 1, max: 1_000_000, what: "places of text that one call may change" },
  replaceBytes: {
    default: 4 * MB,
    min: 1,
    max: GB,
    what: "bytes of new text that one call may put into files",
  },
  searchMillis: { default: 5_000, min: 1, max: 600_000, what: "milliseconds one search in files may take" },
  // calls
  callsPerMinute: { default: 300, min: 1, max: 1_000_000, what: "calls a minute by one agent" },
  callBurst: { default: 60, min: 1, max: 1_000_000, what: "calls an agent may make at once" },
  batchItems: { default: 500, min: 1, max: 100_000, what: "items in one batch" },
  inputBytes: { default: 4 * MB, min: KB, max: 256 * MB, what: "bytes of one call's input" },
  inputDepth: { default: 1_100, min: 8, max: 5_000, what: "levels of nesting in one call's input" },
  budgetChars: { default: 32_000, min: 1_000, max: 4 * MB, what: "characters in one result" },
  contentionTries: { default: 5, min: 1, max: 50, what: "runs of one call when others write the same place" },
  idempotencyKeyLength: { default: 200, min: 16, max: 1_000, what: "characters in an idempotency key" },
  idempotencyDays: { default: 30, min: 1, max: 3_650, what: "days a stored result can be replayed" },
  auditEntries: { default: 10_000, min: 100, max: 10_000_000, what: "audit entries stored" },
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
  blobCacheBytes: { default: 32 * MB, min: 0, max: GB, what: "bytes of small blobs held in memory" },
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

/** The limits that `openSession({ limits })` takes: all but those of a store, which its sessions share. */
export type SessionLimits = Omit<
  Limits,
  "idempotencyDays" | "auditEntries" | "openJournals" | "blobCacheBytes"
>;

/** The limits of a store: options of the store, and none of a session. */
export const STORE_LIMITS: readonly Exclude<keyof Limits, keyof SessionLimits>[] = [
  "idempotencyDays",
  "auditEntries",
  "openJournals",
  "blobCacheBytes",
];

/** The defaults of {@link LIMITS}, as values. */
export const DEFAULT_LIMITS: Limits = Object.freeze(
  Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default])),
) as unknown as Limits;

/**
 * The defaults with the host's changes. Throws `invalid_argument` / `bad_limits` naming every unknown name and every
 * value out of range at once.
 *
 * @example resolveLimits({ callsPerMinute: 1_000 }).callsPerMinute // 1000
 */
export function resolveLimits(changes: { readonly [K in keyof Limits]?: number | undefined } = {}): Limits {
  const problems: Shown[] = [];
  const values: Record<string, number> = { ...DEFAULT_LIMITS };
  if (typeof changes !== "object" || changes === null)
    throw new HoldfastError(
      "invalid_argument",
      "bad_limits",
      say`Limits refused: send a plain object of numbers by name.`,
    );
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
