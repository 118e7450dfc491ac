// Owns: what a file is at one moment, and what it was before its records.

import { applySplices, EXTENTS, invertSplices } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
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

/** What a file was before steps, given what it is after them. Begins at the first one that tells what was before it. */
export function* factsBeforeSteps(after: FileFacts, steps: readonly FileStep[]): Steps<FileFacts> {
  let facts = after;
  const changes = steps.flatMap((step) => [...plainChanges(step.changes)]);
  const told = changes.findIndex(({ op }) => op === "create" || op === "delete");
  for (let i = told < 0 ? changes.length - 1 : told; i >= 0; i--) {
    facts = before(facts, changes[i] as FileChange);
    yield;
  }
  return facts;
}

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
    case "splice": {
      // What the splices left may be stored elsewhere meanwhile; what they removed is where it was.
      const inverse = invertSplices(change.splices, change.removed, EXTENTS);
      const extents = applySplices(facts.content.extents, inverse, EXTENTS);
      return { ...facts, content: { size: EXTENTS.length(extents), extents } };
    }
    default:
      return facts;
  }
}
