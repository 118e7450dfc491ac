// A store that cuts landings off.

import type { Store } from "../../src/store/index.ts";
import { beforeAppend } from "../store/before-append.ts";

/** A store that refuses to end a landing while it is told to. */
export function interrupting(store: Store, isOn: () => boolean): Store {
  return beforeAppend(store, ({ kind }) => {
    if (isOn() && kind === "land") throw new Error("cut off");
  });
}
