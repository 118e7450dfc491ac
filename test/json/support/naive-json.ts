// A naive reader of JSON and JSONC for tests: recursive, on strings, with every literal kept. It shares no code with src.

export type Naive =
  | { readonly kind: "scalar"; readonly raw: string }
  | { readonly kind: "array"; readonly items: readonly Naive[] }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Naive> };

/** Throws on anything that is not valid in the mode. Of duplicate keys the last counts, at the place of the first. */
export function naiveParse(text: string, jsonc: boolean): Naive {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const fail = (): never => {
    throw new Error(`naive: bad at ${at}: ${JSON.stringify(text.slice(at, at + 20))}`);
  };
  const skip = (): void => {
    for (;;) {
      const blank = /^[ \t\r\n]+/.exec(text.slice(at, at + 10_000));
      if (blank !== null) at += blank[0].length;
      else if (jsonc && text.startsWith("//", at)) {
        while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
      } else if (jsonc && text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end < 0) fail();
        at = end + 2;
      } else return;
    }
  };
  const scalar = (): string => {
    const rest = text.slice(at, at + 100_000);
    const found =
      /^(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/.exec(
        rest,
      );
    if (found === null) return fail();
    at += found[0].length;
    return found[0];
  };
  const list = (close: string, one: () => void): void => {
    at++;
    skip();
    let first = true;
    while (text[at] !== close) {
      if (!first) {
        if (text[at] !== ",") fail();
        at++;
        skip();
        if (jsonc && text[at] === close) break;
      }
      first = false;
      one();
      skip();
    }
    at++;
  };
  const value = (): Naive => {
    skip();
    if (text[at] === "[") {
      const items: Naive[] = [];
      list("]", () => items.push(value()));
      return { kind: "array", items };
    }
    if (text[at] !== "{") return { kind: "scalar", raw: scalar() };
    const members = new Map<string, Naive>();
    list("}", () => {
      const key = JSON.parse(scalar()) as unknown;
      if (typeof key !== "string") return fail();
      skip();
      if (text[at] !== ":") fail();
      at++;
      members.set(key, value());
      return undefined;
    });
    return { kind: "object", members };
  };
  const root = value();
  skip();
  if (at !== text.length) fail();
  return root;
}

/** One spelling of a value, for comparison: raw literals, keys in order. */
export function naiveText(value: Naive): string {
  if (value.kind === "scalar") return value.raw;
  if (value.kind === "array") return `[${value.items.map(naiveText).join(",")}]`;
  return `{${[...value.members].map(([key, inner]) => `${JSON.stringify(key)}:${naiveText(inner)}`).join(",")}}`;
}

export type Steps = readonly (string | number)[];

/** A copy with the container at `steps` changed by `change`. */
export function naiveEdit(
  root: Naive,
  steps: Steps,
  change: {
    readonly items?: (items: Naive[]) => void;
    readonly members?: (members: Map<string, Naive>) => void;
  },
): Naive {
  const [step, ...rest] = steps;
  if (root.kind === "array") {
    const items = [...root.items];
    if (step === undefined) change.items?.(items);
    else items[step as number] = naiveEdit(items[step as number] as Naive, rest, change);
    return { kind: "array", items };
  }
  if (root.kind === "object") {
    const members = new Map(root.members);
    if (step === undefined) change.members?.(members);
    else members.set(step as string, naiveEdit(members.get(step as string) as Naive, rest, change));
    return { kind: "object", members };
  }
  throw new Error("naive: no container there");
}

/** What a merge gives; `put` hears of every value that is set, with the way to it. */
export function naiveMerge(
  target: Naive,
  updates: Naive,
  deep: boolean,
  put: (steps: Steps, value: Naive) => void,
  steps: Steps = [],
): Naive {
  if (target.kind !== "object" || updates.kind !== "object") throw new Error("naive: no objects to merge");
  const members = new Map(target.members);
  for (const [key, value] of updates.members) {
    const held = members.get(key);
    const way = [...steps, key];
    if (deep && held?.kind === "object" && value.kind === "object")
      members.set(key, naiveMerge(held, value, deep, put, way));
    else {
      members.set(key, value);
      put(way, value);
    }
  }
  return { kind: "object", members };
}

export function naiveAt(root: Naive, steps: Steps): Naive | undefined {
  let at: Naive | undefined = root;
  for (const step of steps) {
    if (at?.kind === "array") at = at.items[step as number];
    else if (at?.kind === "object") at = at.members.get(step as string);
    else return undefined;
  }
  return at;
}
