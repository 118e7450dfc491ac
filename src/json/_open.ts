// Owns: which scanner a document gets. Everything above the byte level asks here.

import type { ByteSource } from "../text/byte-source.ts";
import { theKernel } from "./_kernel.ts";
import { JsScanner } from "./_scan-js.ts";
import { WasmScanner } from "./_scan-wasm.ts";
import type { Scanner, ScannerOptions } from "./_scanner.ts";

/** A scanner over `source`. Costs nothing until it is used. */
export function openScanner(source: ByteSource, options: ScannerOptions = {}): Scanner {
  const kernel = theKernel();
  return kernel === null ? new JsScanner(source, options) : new WasmScanner(source, kernel, options);
}
