// Owns: the options that both OpenAI bridges take.
// Must never: hold an option of one of them alone.

import type { BridgeOptions } from "./bridge.ts";

/** How function tools are described. */
export interface OpenaiOptions extends BridgeOptions {
  /**
   * True: tools are strict wherever their schema can be said so (every property required, those that were optional nullable). False
   * unless told.
   */
  readonly strict?: boolean;
}
