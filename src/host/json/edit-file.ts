// Owns: edits of a JSON file on the host: plan, prove, write, and carry the index over.
// Must never: write a file that is not valid JSON, or that changed since it was read.

import { say } from "../../errors.ts";
import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import {
  editJsonSteps,
  type JsonEdit,
  type JsonEditOptions,
  type JsonEditResult,
  planEditsSteps,
} from "../../json/edit/edit.ts";
import { AssumedLastKey } from "../../json/edit/assumed-last-key.ts";
import { carryIndexSteps, openScanner } from "../../json/scan/open.ts";
import { NONE, settle } from "../../json/scan/scanner.ts";
import { sharedIndexes } from "../../json/scan/index-store.ts";
import { fileChanged, type HostFile, openHostFile } from "./host-file.ts";
import { type SpliceFileOptions, spliceFileSteps } from "./splice-file.ts";

const OPTIONS: OptionNames<EditFileOptions> = {
  mode: true,
  maxEdits: true,
  indexes: true,
  sync: true,
  hardLinks: ["refuse", "break"],
  to: true,
};

/** How a JSON file on the host is edited. */
export interface EditFileOptions
  extends
    Pick<JsonEditOptions, "mode" | "maxEdits" | "indexes">,
    Pick<SpliceFileOptions, "sync" | "hardLinks" | "to"> {}

/** Above this a first look at a file is validated while it is copied, so that it is read once less. */
const FUSE_FROM = 1 << 20;

/**
 * Edits a JSON file in place, atomically: a reader sees the old bytes or the new ones. Every byte outside the changed
 * ranges is kept, and so are mode and symbolic links. The file must be valid JSON (JSONC when it holds comments).
 *
 * Cost on a file that was looked at before: a copy. On first sight: one scan to the place, then one pass that validates
 * and copies. Holds the thread: {@link editJsonFileSteps} yields.
 *
 * Throws what {@link editJsonSteps} throws, `not_found` / `no_such_file`, and `conflict` / `file_changed` when another process
 * changed the file meanwhile; then nothing was written. Edits by several processes at once are never lost: repeat one that is
 * refused. A program that writes the file by other means is noticed until just before the rename.
 *
 * @example editJsonFile("app.json", [{ op: "set", path: "$.features.rollout.percent", value: 25 }]);
 */
export function editJsonFile(
  path: string,
  edits: readonly JsonEdit[],
  options: EditFileOptions = {},
): JsonEditResult {
  return runNow(editJsonFileSteps(path, edits, options));
}

/**
 * {@link editJsonFile} in steps of a few milliseconds; the calls to disk at the end (sync, rename) are one step. Throws what that
 * throws; one that is not run to its end writes nothing.
 *
 * @example
 * const steps = editJsonFileSteps("app.json", [{ op: "set", path: "$.port", value: 8080 }]);
 * let step = steps.next();
 * for (; step.done !== true; step = steps.next()) await new Promise(setImmediate);
 * step.value.splices; // what was changed
 */
export function* editJsonFileSteps(
  path: string,
  edits: readonly JsonEdit[],
  options: EditFileOptions = {},
): Steps<JsonEditResult> {
  checkOptionNames(say`editJsonFile`, options, OPTIONS);
  const file = openHostFile(path);
  try {
    const asked = { ...options, mode: options.mode ?? (path.endsWith(".jsonc") ? "jsonc" : "auto") } as const;
    const result = (yield* fused(path, file, edits, asked)) ?? (yield* plain(path, file, edits, asked));
    if (result.splices.length > 0) yield* carry(options.to ?? path, file, result, options);
    return result;
  } finally {
    file.close();
  }
}

const PAUSE_EVERY = 8;

/** Plans, validating first, then copies. */
function* plain(
  path: string,
  file: HostFile,
  edits: readonly JsonEdit[],
  options: EditFileOptions,
): Steps<JsonEditResult> {
  const result = yield* editJsonSteps(file, edits, { ...options, pauseEvery: PAUSE_EVERY });
  if (!file.unchanged()) throw fileChanged();
  if (result.splices.length > 0 || options.to !== undefined)
    yield* spliceFileSteps(path, file, result.splices, options);
  return result;
}

/**
 * Plans as if the document were valid, then validates and copies in one pass. Undefined when that did not work out:
 * then nothing has been written, and the plain way says why.
 */
function* fused(
  path: string,
  file: HostFile,
  edits: readonly JsonEdit[],
  options: EditFileOptions,
): Steps<JsonEditResult | undefined> {
  const indexes = options.indexes ?? (options.indexes === null ? null : sharedIndexes());
  if (file.size < FUSE_FROM || options.mode === "jsonc") return undefined;
  const known = indexes?.get(file.id);
  if (known?.isValid("json") === true) return undefined;
  // Several edits need one another's knowledge of the way; one value in an unknown document does not.
  const alone = known === undefined && edits.length === 1 && edits[0]?.op === "set";
  const assumedLastKey = alone ? new AssumedLastKey() : undefined;
  let result: JsonEditResult;
  try {
    result = yield* planEditsSteps(file, edits, {
      ...options,
      ...(assumedLastKey === undefined ? {} : { assumedLastKey }),
      validated: "json",
      pauseEvery: PAUSE_EVERY,
    });
  } catch {
    return undefined;
  }
  if (result.splices.length === 0) return undefined;
  const through = function* (source: Parameters<typeof openScanner>[0]): Steps<boolean> {
    const scanner = openScanner(source, { pauseEvery: PAUSE_EVERY, indexes });
    if ((yield* settle(scanner, scanner.check("json", assumedLastKey?.watch))) !== NONE) return false;
    return assumedLastKey === undefined || (yield* assumedLastKey.held(scanner));
  };
  return (yield* spliceFileSteps(path, file, result.splices, { ...options, through })) ? result : undefined;
}

function* carry(path: string, file: HostFile, result: JsonEditResult, options: EditFileOptions): Steps<void> {
  if (options.indexes === null) return;
  const after = openHostFile(path);
  try {
    if (after.size === result.sizeAfter)
      yield* carryIndexSteps(file, after, result.splices, true, options.indexes ?? sharedIndexes());
  } finally {
    after.close();
  }
}
