// Random edits of random documents: what is asked, and what must come of it by the naive reader alone.

import type { JsonEdit } from "../../../src/json/edit/edit.ts";
import { normalizedPath } from "../../../src/json/path/normalized.ts";
import {
  type Naive,
  naiveAt,
  naiveEdit,
  naiveMerge,
  naiveParse,
  naiveText,
  type Steps,
} from "./naive-json.ts";
import type { OwnedComment, Place, Random, StyledDocument } from "./styled-document.ts";

const VALUES = [
  "1",
  "1.0",
  "1e400",
  "12345678901234567890",
  '"text"',
  '"\\u00e9\\/"',
  "null",
  "true",
  "{}",
  "[]",
  '{"n":1.0}',
  '{ "n" : [1 ,2e5, {"m": "x"}] }',
  '["p",{"q":[]}]',
];

const NEW_NAMES = ["new", "__proto__", "7", "", "a b", "é"];

export interface Planned {
  readonly edit: JsonEdit;
  /** The place that was picked. */
  readonly steps: Steps;
  /** What the document must mean afterwards. */
  readonly expected: Naive;
  /** The member that goes, for a delete. */
  readonly gone?: Steps;
  /** What must be read back, place by place. */
  readonly targets: readonly Target[];
  /** What the report must count: items after an append or insert, values set by a merge. */
  readonly count?: number;
}

export interface Target {
  readonly steps: Steps;
  readonly raw: string;
}

export function planEdit(random: Random, document: StyledDocument, root: Naive): Planned {
  for (let tries = 0; tries < 1_000; tries++) {
    const planned = planOnce(random, document, root);
    if (planned !== undefined) return planned;
  }
  throw new Error("nothing can be asked of this document");
}

function planOnce(random: Random, document: StyledDocument, root: Naive): Planned | undefined {
  const place = random.pick(document.places);
  const { steps } = place;
  switch (random.below(11)) {
    case 0:
    case 1:
      return planSet(random, root, steps);
    case 2:
      return place.kind === "object" ? planMember(random, root, steps) : undefined;
    case 3:
    case 4:
      return planDelete(root, steps);
    case 5:
    case 6:
      return place.kind === "array" ? planItem(random, root, place) : undefined;
    case 7:
      return planRename(random, root, steps);
    default:
      return place.kind === "object" ? planMerge(random, root, steps) : undefined;
  }
}

function planSet(random: Random, root: Naive, steps: Steps): Planned | undefined {
  const step = steps.at(-1);
  if (step === undefined) return undefined;
  const json = random.pick(VALUES);
  const value = naiveParse(json, false);
  const expected = naiveEdit(root, steps.slice(0, -1), {
    items: (items) => (items[step as number] = value),
    members: (members) => members.set(step as string, value),
  });
  const edit: JsonEdit = { op: "set", path: normalizedPath(steps), json };
  return { steps, edit, expected, targets: [{ steps, raw: naiveText(value) }] };
}

function planMember(random: Random, root: Naive, steps: Steps): Planned | undefined {
  const inner = [...steps, random.pick(NEW_NAMES)];
  if (naiveAt(root, inner) !== undefined) return undefined;
  const json = random.pick(VALUES);
  const value = naiveParse(json, false);
  const expected = naiveEdit(root, steps, {
    members: (members) => members.set(inner.at(-1) as string, value),
  });
  const edit: JsonEdit = { op: random.pick(["set", "insert"] as const), path: normalizedPath(inner), json };
  return { steps, edit, expected, targets: [{ steps: inner, raw: naiveText(value) }] };
}

function planDelete(root: Naive, steps: Steps): Planned | undefined {
  const step = steps.at(-1);
  if (step === undefined) return undefined;
  const expected = naiveEdit(root, steps.slice(0, -1), {
    items: (items) => items.splice(step as number, 1),
    members: (members) => members.delete(step as string),
  });
  return { steps, edit: { op: "delete", path: normalizedPath(steps) }, expected, gone: steps, targets: [] };
}

function planItem(random: Random, root: Naive, { steps, size }: Place): Planned {
  const append = random.chance(50);
  const index = append ? size : random.below(size + 1);
  const json = random.pick(VALUES);
  const value = naiveParse(json, false);
  const expected = naiveEdit(root, steps, { items: (items) => items.splice(index, 0, value) });
  const edit: JsonEdit = append
    ? { op: "append", path: normalizedPath(steps), json }
    : { op: "insert", path: normalizedPath([...steps, index]), json };
  const targets = [{ steps: [...steps, index], raw: naiveText(value) }];
  return { steps, edit, expected, targets, count: size + 1 };
}

function planRename(random: Random, root: Naive, steps: Steps): Planned | undefined {
  const step = steps.at(-1);
  if (typeof step !== "string") return undefined;
  const name = `renamed ${random.below(10)}`;
  const parent = steps.slice(0, -1);
  if (name !== step && naiveAt(root, [...parent, name]) !== undefined) return undefined;
  const expected = naiveEdit(root, parent, {
    members: (members) => {
      const entries = [...members].map(([key, held]): [string, Naive] => [key === step ? name : key, held]);
      members.clear();
      for (const [key, held] of entries) members.set(key, held);
    },
  });
  return { steps, edit: { op: "rename", path: normalizedPath(steps), name }, expected, targets: [] };
}

function planMerge(random: Random, root: Naive, steps: Steps): Planned {
  const deep = random.chance(50);
  const json = updatesFor(random, naiveAt(root, steps), 0);
  const updates = naiveParse(json, false);
  const targets: Target[] = [];
  const merged = naiveMerge(naiveAt(root, steps) as Naive, updates, deep, (inner, value) =>
    targets.push({ steps: [...steps, ...inner], raw: naiveText(value) }),
  );
  const expected = naiveEdit(root, steps, {
    members: (members) => {
      members.clear();
      if (merged.kind === "object") for (const [key, value] of merged.members) members.set(key, value);
    },
  });
  const edit: JsonEdit = { op: "merge", path: normalizedPath(steps), json, ...(deep ? { deep } : {}) };
  return { steps, edit, expected, targets, count: targets.length };
}

/** The text of an object to merge into `target`: keys that it has and has not, in odd spacing, some of them twice. */
function updatesFor(random: Random, target: Naive | undefined, depth: number): string {
  const known = target?.kind === "object" ? [...target.members.keys()] : [];
  const blank = random.pick(["", "", " ", "\n  "]);
  const names: string[] = [];
  const members: string[] = [];
  for (let n = random.pick([0, 1, 1, 2, 3, 5]); n > 0; n--) {
    const again = names.length > 0 && random.chance(10);
    const name = again
      ? random.pick(names)
      : random.pick(known.length > 0 && random.chance(60) ? known : [...NEW_NAMES, `n${n}`]);
    names.push(name);
    const held = target?.kind === "object" ? target.members.get(name) : undefined;
    const value =
      depth < 3 && random.chance(held?.kind === "object" ? 60 : 15)
        ? updatesFor(random, held, depth + 1)
        : held !== undefined && random.chance(20)
          ? naiveText(held)
          : random.pick(VALUES);
    members.push(`${blank}${spelled(random, name)}${random.pick([":", " : "])}${value}`);
  }
  return `{${members.join(",")}${blank}}`;
}

function spelled(random: Random, name: string): string {
  if (name === "" || random.chance(85)) return JSON.stringify(name);
  return `"${Array.from({ length: name.length }, (_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`;
}

/** The document that an edit left, with its comments and places as they are now. */
export function editedDocument(
  document: StyledDocument,
  { edit, steps, gone, targets }: Planned,
  text: string,
): StyledDocument {
  const moved = (comment: OwnedComment): OwnedComment => {
    if (comment.path === "") return comment;
    const path = JSON.parse(comment.path) as (string | number)[];
    const put = targets[0]?.steps ?? [];
    if (gone !== undefined) shift(path, gone, -1);
    else if (edit.op === "append" || edit.op === "insert") shift(path, put, 1);
    else if (edit.op === "rename" && isUnder(path, steps)) {
      path[steps.length - 1] = edit.name;
      const own = path.length === steps.length && comment.token !== undefined;
      return {
        ...comment,
        path: JSON.stringify(path),
        token: own ? JSON.stringify(edit.name) : comment.token,
      };
    }
    // What was given anew may start otherwise, and end on another line.
    const anew = targets.some((target) => JSON.stringify(target.steps) === comment.path);
    const token = anew && (comment.where !== "above" || edit.op === "set") ? undefined : comment.token;
    return { ...comment, path: JSON.stringify(path), token };
  };
  // A comment alone in its container looks like that of the first member that comes below it.
  const filled = new Set(targets.map((target) => JSON.stringify(target.steps.slice(0, -1))));
  const empty = new Set(
    document.places.filter(({ size }) => size === 0).map((place) => JSON.stringify(place.steps)),
  );
  const comments = document.comments
    .filter(({ path, text: own }) => text.includes(own) && !(filled.has(path) && empty.has(path)))
    .map(moved);
  return { text, jsonc: document.jsonc, comments, places: placesOf(naiveParse(text, document.jsonc), []) };
}

/** Moves a path that leads through a later item of the array that `at` is in. */
function shift(path: (string | number)[], at: Steps, by: number): void {
  const parent = at.slice(0, -1);
  const index = at.at(-1);
  const held = path[parent.length];
  if (typeof index !== "number" || typeof held !== "number" || !isUnder(path, parent)) return;
  if (held >= index) path[parent.length] = held + by;
}

export function isUnder(path: Steps, above: Steps): boolean {
  return above.every((step, i) => path[i] === step);
}

function placesOf(value: Naive, steps: Steps): Place[] {
  if (value.kind === "scalar") return [{ steps, kind: "scalar", size: 0 }];
  const inner: [string | number, Naive][] =
    value.kind === "array" ? [...value.items.entries()] : [...value.members];
  const own: Place = { steps, kind: value.kind, size: inner.length };
  return [own, ...inner.flatMap(([step, held]) => placesOf(held, [...steps, step]))];
}
