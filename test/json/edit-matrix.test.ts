import fc from "fast-check";
import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { editJson, type JsonEdit, type JsonEditResult } from "../../src/json/edit.ts";
import { memorySource } from "../../src/json/memory-source.ts";
import { normalizedPath } from "../../src/json/path/normalized.ts";
import { type Naive, naiveAt, naiveEdit, naiveParse, naiveText, type Steps } from "./support/naive-json.ts";
import { type OwnedComment, Random, type StyledDocument, styledDocument } from "./support/styled-document.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const RUNS = LONG ? 200_000 : 6_000;
const LONG_ENOUGH = LONG ? 3_600_000 : 60_000;

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

interface Planned {
  readonly edit: JsonEdit;
  /** The place that was picked. */
  readonly steps: Steps;
  /** What the document must mean afterwards. */
  readonly expected: Naive;
  /** The member that goes, for a delete. */
  readonly gone?: Steps;
  readonly target?: { readonly steps: Steps; readonly raw: string };
}

function plan(random: Random, document: StyledDocument, root: Naive): Planned | undefined {
  const place = random.pick(document.places);
  const json = random.pick(VALUES);
  const value = naiveParse(json, false);
  const { steps } = place;
  const path = normalizedPath(steps);
  const parent = steps.slice(0, -1);
  const step = steps.at(-1);
  switch (random.below(8)) {
    case 0:
    case 1: {
      if (step === undefined) return undefined;
      const expected = naiveEdit(root, parent, {
        items: (items) => (items[step as number] = value),
        members: (members) => members.set(step as string, value),
      });
      return { steps, edit: { op: "set", path, json }, expected, target: { steps, raw: naiveText(value) } };
    }
    case 2: {
      if (place.kind !== "object") return undefined;
      const name = random.pick(["new", "__proto__", "7", "", "a b", "é"]);
      if ((naiveAt(root, [...steps, name]) ?? undefined) !== undefined) return undefined;
      const expected = naiveEdit(root, steps, { members: (members) => members.set(name, value) });
      const op = random.pick(["set", "insert"] as const);
      const target = { steps: [...steps, name], raw: naiveText(value) };
      return { steps, edit: { op, path: normalizedPath([...steps, name]), json }, expected, target };
    }
    case 3:
    case 4: {
      if (step === undefined) return undefined;
      const expected = naiveEdit(root, parent, {
        items: (items) => items.splice(step as number, 1),
        members: (members) => members.delete(step as string),
      });
      return { steps, edit: { op: "delete", path }, expected, gone: steps };
    }
    case 5: {
      if (place.kind !== "array") return undefined;
      const expected = naiveEdit(root, steps, { items: (items) => items.push(value) });
      const target = { steps: [...steps, place.size], raw: naiveText(value) };
      return { steps, edit: { op: "append", path, json }, expected, target };
    }
    case 6: {
      if (place.kind !== "array") return undefined;
      const index = random.below(place.size + 1);
      const expected = naiveEdit(root, steps, { items: (items) => items.splice(index, 0, value) });
      const target = { steps: [...steps, index], raw: naiveText(value) };
      return {
        steps,
        edit: { op: "insert", path: normalizedPath([...steps, index]), json },
        expected,
        target,
      };
    }
    default: {
      if (typeof step !== "string") return undefined;
      const name = `renamed ${random.below(10)}`;
      const expected = naiveEdit(root, parent, {
        members: (members) => {
          const entries = [...members].map(([key, held]): [string, Naive] => [
            key === step ? name : key,
            held,
          ]);
          members.clear();
          for (const [key, held] of entries) members.set(key, held);
        },
      });
      return { steps, edit: { op: "rename", path, name }, expected };
    }
  }
}

function applied(text: string, result: JsonEditResult): string {
  const bytes = new TextEncoder().encode(text);
  const out: number[] = [];
  let at = 0;
  for (const { at: start, remove, insert } of result.splices) {
    expect(start).toBeGreaterThanOrEqual(at);
    out.push(...bytes.subarray(at, start), ...insert);
    at = start + remove;
  }
  out.push(...bytes.subarray(at));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(out));
}

/** Order does not matter for what an object means, and a rename or a dropped twin moves it. */
function meaning(value: Naive): string {
  if (value.kind === "scalar") return value.raw;
  if (value.kind === "array") return `[${value.items.map(meaning).join(",")}]`;
  const members = [...value.members].map(([key, inner]) => `${JSON.stringify(key)}:${meaning(inner)}`);
  return `{${members.toSorted().join(",")}}`;
}

function isUnder(path: string, gone: Steps): boolean {
  if (path === "") return false;
  const steps = JSON.parse(path) as Steps;
  return gone.every((step, i) => steps[i] === step);
}

function lineWith(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at) >>> 0);
}

function checkComments(
  document: StyledDocument,
  after: string,
  gone: Steps | undefined,
  replaced: Steps | undefined,
): void {
  for (const comment of document.comments) {
    const leaves = gone !== undefined && isUnder(comment.path, gone);
    const loose = comment.where === "loose" && gone !== undefined && JSON.stringify(gone) === comment.path;
    expect(after.includes(comment.text), `${comment.text} of ${comment.path}`).toBe(!leaves && !loose);
    // Behind a value that now has several lines, the comment is on the last of them.
    if (!leaves && !loose && JSON.stringify(replaced) !== comment.path)
      checkOwner(comment, document.text, after);
  }
}

/** A comment still stands with the member it belongs to, as far as that can be told by unique text. */
function checkOwner({ text, where, token }: OwnedComment, before: string, after: string): void {
  if (token === undefined || !isOnce(before, token) || !isOnce(after, token)) return;
  if (where === "behind" || where === "before") expect(lineWith(after, text)).toContain(token);
  else if (where === "above") {
    const below = after.slice(after.indexOf(text) + text.length);
    const next = below.replace(/^(?:\s|\/\/[^\r\n]*|\/\*.*?\*\/)*/, "");
    expect(next.startsWith(token), `${text} is no longer above ${token}`).toBe(true);
  }
}

function isOnce(text: string, part: string): boolean {
  return text.split(part).length === 2;
}

/** Lines that are empty or end in blanks: a clean edit makes none. */
function untidy(text: string): number {
  return text.split(/\r?\n/).filter((line) => /[ \t]$/.test(line) || /^[ \t]*$/.test(line)).length;
}

function check(seed: number, tally: Map<string, number>): void {
  const random = new Random(seed * 7 + 1);
  const document = styledDocument(seed);
  const { text, jsonc } = document;
  const root = naiveParse(text, jsonc);
  const planned = plan(random, document, root);
  if (planned === undefined) return;
  const { edit } = planned;
  const result = editJson(memorySource(text), [edit], jsonc ? { mode: "jsonc" } : {});
  const after = applied(text, result);
  tally.set(edit.op, (tally.get(edit.op) ?? 0) + 1);
  try {
    judge(document, planned, result, after);
  } catch (error) {
    const shown = `--- before\n${text}\n--- ${JSON.stringify(edit)}\n${after}\n---`;
    throw new Error(`${String(error)}\n${shown}`, { cause: error });
  }
}

function judge(document: StyledDocument, planned: Planned, result: JsonEditResult, after: string): void {
  const { text, jsonc } = document;
  const { edit, expected, gone, target } = planned;
  const [report] = result.reports;

  // Every byte outside the reported range is identical, and so is its length.
  const before = Buffer.from(text);
  const now = Buffer.from(after);
  const { at, removed, inserted } = report ?? { at: 0, removed: 0, inserted: 0 };
  expect(now.subarray(0, at).equals(before.subarray(0, at))).toBe(true);
  expect(now.subarray(at + inserted).equals(before.subarray(at + removed))).toBe(true);
  expect([result.sizeBefore, result.sizeAfter]).toEqual([before.length, now.length]);

  // Valid by two other readers, and it means what was asked for.
  const errors: ParseError[] = [];
  parseJsonc(after.replace(/^\ufeff/, ""), errors, { allowTrailingComma: jsonc, disallowComments: !jsonc });
  expect(errors).toEqual([]);
  const read = naiveParse(after, jsonc);
  expect(meaning(read)).toBe(meaning(expected));
  if (target !== undefined) {
    const found = naiveAt(read, target.steps);
    expect(found === undefined ? undefined : naiveText(found)).toBe(target.raw);
  }

  // A value that is replaced takes the comments inside it along.
  const replaced = edit.op === "set" && gone === undefined && target !== undefined ? target.steps : undefined;
  // A rename drops the earlier twins of its key, comments included.
  const twins = edit.op === "rename" && report?.duplicates !== undefined ? planned.steps : undefined;
  const inside = document.comments.filter(
    (comment) =>
      (replaced !== undefined && isInside(comment, replaced)) ||
      (twins !== undefined && isUnder(comment.path, twins)),
  );
  checkComments(
    { ...document, comments: document.comments.filter((c) => !inside.includes(c)) },
    after,
    gone,
    replaced,
  );
  expect(untidy(after)).toBeLessThanOrEqual(untidy(text));
  expect(bareBreaks(after)).toBeLessThanOrEqual(text.includes("\r\n") ? 0 : Infinity);
}

function bareBreaks(text: string): number {
  return text.split("\n").length - text.split("\r\n").length;
}

function isInside({ path, where }: OwnedComment, steps: Steps): boolean {
  if (path === "") return false;
  const deeper = (JSON.parse(path) as Steps).length > steps.length || where === "loose";
  return deeper && isUnder(path, steps);
}

describe("a matrix of edits on documents in every style", () => {
  const tally = new Map<string, number>();

  test(
    `[JEDIT-13] [JEDIT-14] [JEDIT-17] [JEDIT-18] [JEDIT-23] ${RUNS} random edits change only what was asked for`,
    () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => check(seed, tally)),
        { numRuns: RUNS },
      );
      for (const op of ["set", "delete", "append", "insert", "rename"])
        expect(tally.get(op) ?? 0, op).toBeGreaterThan(RUNS / 100);
    },
    LONG_ENOUGH,
  );
});
