// Owns: a store in which something happens right before a commit.

import type { Append, Journal, Store } from "../../src/store/index.ts";

/** A store whose journals wait for `happens` before each append, and do not append when it throws. */
export function beforeAppend(
  store: Store,
  happens: (commit: Append, journal: Journal) => Promise<unknown> | void,
): Store {
  return {
    list: (query) => store.list(query),
    remove: (id) => store.remove(id),
    fork: (id, at, into, how) => store.fork(id, at, into, how),
    close: () => store.close(),
    async open(id, how) {
      const journal = await store.open(id, how);
      return new Proxy(journal, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "append")
            return async (commit: Append) => {
              await happens(commit, target);
              return target.append(commit);
            };
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
}
