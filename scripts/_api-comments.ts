// Owns: what the comments of the public surface must say beyond being there: examples, and how a limit refuses.

import { commentText, type ApiItem } from "./_api-reference.ts";

/** Types that a host calls: every method of them has an example. */
const CALLED: readonly string[] = [
  "Agent",
  "Budget",
  "Files",
  "GateDesk",
  "Glob",
  "HostFiles",
  "LineIndex",
  "ReadCtx",
  "ReadonlyFiles",
  "Session",
  "WriteCtx",
];

/** Types that a host implements: one whole example is worth more than one for each method. */
const IMPLEMENTED: readonly string[] = ["Journal", "Slice", "Store"];

const LIMITS = "Limits";
const TYPES: ReadonlySet<string> = new Set([...CALLED, ...IMPLEMENTED, LIMITS]);

/** What is left unsaid in the comments of all doors, each thing once. `models` are the parsed `.api.json` of the doors. */
export function unsaid(models: readonly ApiItem[]): string[] {
  const items = models.flatMap((model) => model.members?.[0]?.members ?? []);
  const functions = items.filter(({ kind }) => kind === "Function");
  const types = new Map(
    items.flatMap((item) => (TYPES.has(item.name ?? "") ? [[item.name ?? "", item] as const] : [])),
  );
  return [
    ...withoutExample(functions).map((name) => `${name}: its comment has no @example`),
    ...[...TYPES].filter((name) => !types.has(name)).map((name) => `${name}: no door exports this type`),
    ...CALLED.flatMap((type) =>
      withoutExample(methodsOf(types.get(type))).map(
        (name) => `${type}.${name}: its comment has no @example`,
      ),
    ),
    ...IMPLEMENTED.filter((name) => types.has(name) && !hasExample(types.get(name))).map(
      (name) => `${name}: its comment has no @example`,
    ),
    ...(types.get(LIMITS)?.members ?? [])
      .filter((limit) => !saysHowItHolds(limit))
      .map(
        ({ name = "" }) =>
          `${LIMITS}.${name}: its comment says what holds "by default", and "refused with" and a reason in backticks, or "Nothing is refused"`,
      ),
  ];
}

function methodsOf(type: ApiItem | undefined): readonly ApiItem[] {
  return (type?.members ?? []).filter(({ kind }) => kind === "Method" || kind === "MethodSignature");
}

/** Names of which no overload has an example. */
function withoutExample(items: readonly ApiItem[]): string[] {
  const names = new Set(items.map(({ name = "" }) => name));
  for (const item of items) if (hasExample(item)) names.delete(item.name ?? "");
  return [...names];
}

function hasExample(item: ApiItem | undefined): boolean {
  return /^\s*(?:\/\*)?\*+\s*@example\s+(?:\*\s+)*[^\s*]/m.test(item?.docComment ?? "");
}

function saysHowItHolds({ docComment }: ApiItem): boolean {
  const text = commentText(docComment).replaceAll("\n", " ");
  const isRefusal = /refused with (?:`[a-z_]+` \/ )?`[a-z]+(?:_[a-z]+)*`/.test(text);
  return text.includes("by default") && (isRefusal || text.includes("Nothing is refused"));
}
