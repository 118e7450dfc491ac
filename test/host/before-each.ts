// Owns: what happens at the worst moment: right before a call of the walk.

import { PinnedDirectory } from "../../src/host/pinned-directory.ts";

/** Has something happen right before each call of a method of the walk; returns what ends that. */
export function beforeEach(
  method: "rename" | "stat" | "link" | "unlink",
  happens: (name: string, into: unknown, as: unknown) => void,
): () => void {
  const own = Object.getOwnPropertyDescriptor(PinnedDirectory.prototype, method) as PropertyDescriptor;
  const call = own.value as (this: PinnedDirectory, ...values: unknown[]) => unknown;
  Object.defineProperty(PinnedDirectory.prototype, method, {
    ...own,
    value(this: PinnedDirectory, ...values: [name: string, into: unknown, as: unknown]): unknown {
      happens(...values);
      return call.apply(this, values);
    },
  });
  return () => void Object.defineProperty(PinnedDirectory.prototype, method, own);
}
