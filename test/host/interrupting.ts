// A store that cuts landings off.

import type { Journal, Store } from "../../src/store/index.ts";

/** A store that refuses to end a landing while it is told to. */
export function interrupting(store: Store, isOn: () => boolean): Store {
  const over = <T extends object>(target: T, methods: object): T =>
    new Proxy(target, {
      get(object, name) {
        if (Object.hasOwn(methods, name)) return (methods as Record<PropertyKey, unknown>)[name];
        const value: unknown = Reflect.get(object, name, object);
        return typeof value === "function" ? (value.bind(object) as unknown) : value;
      },
    });
  const cut = (journal: Journal): Journal =>
    over(journal, {
      append: (...args: Parameters<Journal["append"]>) => {
        if (isOn() && args[0].kind === "land") throw new Error("cut off");
        return journal.append(...args);
      },
    });
  return over(store, { open: async (...args: Parameters<Store["open"]>) => cut(await store.open(...args)) });
}
