// Owns: the assumption that the first key of a name in the root is also the last, and the check of it afterwards.
//
// Of duplicate keys the last one counts, so finding a key of the root means walking over the whole document. A plan that
// assumes stops at the first one. The pass that validates the whole document afterwards sees the end of that member's
// value: then only what lies outside it has to be searched.

import type { Steps } from "../../text/steps.ts";
import { Keys, type Scanner, settle, Watch } from "../scan/scanner.ts";

export class AssumedLastKey {
  #taken: { readonly root: number; readonly name: string; readonly value: Watch } | undefined;

  /** The value at `start` was assumed to be that of the last member of this name. */
  take(root: number, name: string, start: number): void {
    this.#taken = { root, name, value: new Watch(start) };
  }

  /** What a check of the document should look out for. */
  get watch(): Watch | undefined {
    return this.#taken?.value;
  }

  /** Was the assumption right? Call it when the document has been checked. */
  *held(scanner: Scanner): Steps<boolean> {
    if (this.#taken === undefined) return true;
    const { root, name, value } = this.#taken;
    const keys = new Keys(name);
    yield* settle(scanner, scanner.find(root, keys));
    return keys.values[0] === value.start;
  }
}
