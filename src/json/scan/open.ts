// Owns: which scanner a document gets. Everything above the byte level asks here.

import { say } from "../../errors.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { badOptions } from "../../text/options.ts";
import type { Splice } from "../../text/splice.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { shiftIndexSteps } from "./index-shift.ts";
import { type JsonIndexes, sharedIndexes } from "./index-store.ts";
import { theKernel } from "./kernel.ts";
import { IndexedScanner } from "./indexed-scanner.ts";
import { JsScanner } from "./js-scanner.ts";
import { WasmScanner } from "./wasm-scanner.ts";
import type { ScannerOptions, IndexableScanner } from "./scanner.ts";
import { WINDOW } from "./window.ts";

export interface OpenOptions extends ScannerOptions {
  /** Where to remember what is learned about large documents; null: nowhere. Default: shared by the process. */
  readonly indexes?: JsonIndexes | null;
}

/** A scanner over `source`. Costs nothing until it is used. */
export function openScanner(source: ByteSource, options: OpenOptions = {}): IndexableScanner {
  if (typeof (source as Partial<ByteSource> | null | undefined)?.read !== "function")
    throw badOptions(say`A JSON document is a ByteSource: make one of text or bytes with memorySource`);
  const plain = plainScanner(source, options);
  // A document of one window is scanned faster than looked up.
  if (options.indexes === null || source.size <= WINDOW) return plain;
  return new IndexedScanner(plain, options.indexes ?? sharedIndexes());
}

function plainScanner(source: ByteSource, options: ScannerOptions): IndexableScanner {
  const kernel = theKernel();
  if (kernel === null) return new JsScanner(source, options);
  return new WasmScanner(source, kernel, options);
}

/**
 * Carries what is known about `before` over to `after`, the bytes that `splices` made of it, so that the next read of
 * the edited document is as cheap as the last one of the old. `proven` says that `after` is valid wherever `before` was.
 *
 * Cost: a short scan around each edit, and what is known of the document; nothing for one of a window (256 KB) or less.
 * Never fails. With other splices than those between the two, or `proven` where nothing was proven, later reads of
 * `after` return wrong results.
 *
 * @example carryIndex(source, edited, editJson(source, edits).splices, true);
 */
export function carryIndex(
  before: ByteSource,
  after: ByteSource,
  splices: readonly Splice[],
  proven: boolean,
  indexes: JsonIndexes = sharedIndexes(),
): void {
  runNow(carryIndexSteps(before, after, splices, proven, indexes));
}

/**
 * {@link carryIndex} in steps.
 *
 * @example await runPaced(carryIndexSteps(source, edited, splices, true));
 */
export function* carryIndexSteps(
  before: ByteSource,
  after: ByteSource,
  splices: readonly Splice[],
  proven: boolean,
  indexes: JsonIndexes = sharedIndexes(),
): Steps<void> {
  if (after.size <= WINDOW) return;
  yield* shiftIndexSteps(indexes, plainScanner(before, {}), plainScanner(after, {}), splices, proven);
}
