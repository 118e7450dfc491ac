// Owns: what a file is at one moment, and what it was before its records.

import type { Content } from "../../store/journal.ts";
import { EXTENTS, invertSplices } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
import { textSteps } from "../../text/weave-text.ts";
import { Weave } from "../../text/weave.ts";
import { EMPTY_CONTENT } from "../content.ts";
import type { FileBody, FileChange } from "./file-change.ts";
import { plainChanges, type FileStep } from "./file-history.ts";
import type { FileEntry } from "./file-state.ts";

/** Of a file that does not exist: where it was last. */
export interface FileFacts extends FileBody {
  readonly exists: boolean;
  readonly path: string;
  readonly created: string;
}

export function factsOf(entry: FileEntry): FileFacts {
  const { path, content, encoding, executable, created } = entry;
  return { exists: true, path, content, encoding, executable, created: created.toISOString() };
}

export function noFile(path: string): FileFacts {
  const created = new Date(0).toISOString();
  return { exists: false, path, content: EMPTY_CONTENT, encoding: null, executable: false, created };
}

/** What a file was before steps, given what it is after them. Throws `invalid_argument` / `too_many_runs` beyond `maxRuns`. */
export function* factsBeforeSteps(
  after: FileFacts,
  steps: readonly FileStep[],
  maxRuns: number,
): Steps<FileFacts> {
  const changes = steps.flatMap((step) => plainChanges(step.changes));
  let facts = after;
  // The first that tells the content before it makes all later ones needless.
  const told = changes.findIndex(({ op }) => op === "create" || op === "delete");
  for (let i = told < 0 ? changes.length - 1 : told; i >= 0; i--)
    facts = before(facts, changes[i] as FileChange);
  yield;
  return { ...facts, content: yield* contentBeforeSteps(after.content, changes, maxRuns) };
}

/** What of a file is not text, before a change. */
function before(facts: FileFacts, change: FileChange): FileFacts {
  switch (change.op) {
    case "create":
      return noFile(change.from ?? change.path);
    case "delete":
      return { exists: true, path: change.path, created: change.created, ...change.body };
    case "move":
      return { ...facts, path: change.path };
    case "replace":
      return { ...facts, ...change.before };
    default:
      return facts;
  }
}

/**
 * The content before changes. What splices left may be stored elsewhere meanwhile; what they removed is where it was. A weave
 * takes their inverses, newest first: as a plain list of extents, a long history would cost its square.
 */
function* contentBeforeSteps(
  after: Content,
  changes: readonly FileChange[],
  maxRuns: number,
): Steps<Content> {
  const told = changes.findIndex(({ op }) => op === "create" || op === "delete" || op === "replace");
  const splices = changes.slice(0, told < 0 ? changes.length : told).filter(isSplice);
  const content = told < 0 ? after : contentTold(changes[told] as FileChange);
  if (splices.length === 0) return content;
  const weave = new Weave({ seq: 0, content: content.extents }, EXTENTS, { maxRuns });
  for (const [i, change] of splices.toReversed().entries()) {
    yield* weave.addSteps({
      seq: i + 1,
      splices: invertSplices(change.splices, change.removed, EXTENTS),
    });
    yield;
  }
  const extents = yield* textSteps(weave, weave.standing());
  return { size: weave.size, extents };
}

/** The content before a change that tells it. */
function contentTold(change: FileChange): Content {
  if (change.op === "delete") return change.body.content;
  return change.op === "replace" ? change.before.content : EMPTY_CONTENT;
}

function isSplice(change: FileChange): change is Extract<FileChange, { op: "splice" }> {
  return change.op === "splice";
}
