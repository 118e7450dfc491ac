// Owns: which scanner a document gets. Everything above the byte level asks here.

import type { ByteSource } from "../text/byte-source.ts";
import { JsScanner } from "./_scan-js.ts";
import type { Scanner, ScannerOptions } from "./_scanner.ts";

/** A scanner over `source`. Costs nothing until it is used. */
export function openScanner(source: ByteSource, options: ScannerOptions = {}): Scanner {
  return new JsScanner(source, options);
}
