import fc from "fast-check";
import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import {
  editJson,
  type JsonEdit,
  type JsonEditReport,
  type JsonEditResult,
} from "../../src/json/edit/edit.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { editedDocument, isUnder, planEdit, type Planned } from "./support/edit-plan.ts";
import { type Naive, naiveAt, naiveParse, naiveText, type Steps } from "./support/naive-json.ts";
import { type OwnedComment, Random, type StyledDocument, styledDocument } from "./support/styled-document.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const RUNS = LONG ? 200_000 : 1_000;
const LONG_ENOUGH = LONG ? 3_600_000 : 60_000;

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

function belongsUnder({ path }: OwnedComment, steps: Steps): boolean {
  return path !== "" && isUnder(JSON.parse(path) as Steps, steps);
}

function lineWith(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at) >>> 0);
}

function checkComments(
  document: StyledDocument,
  after: string,
  gone: Steps | undefined,
  anew: ReadonlySet<string>,
): void {
  for (const comment of document.comments) {
    const leaves = gone !== undefined && belongsUnder(comment, gone);
    expect(after.includes(comment.text), `${comment.text} of ${comment.path}`).toBe(!leaves);
    // Behind a value that now has several lines, the comment is on the last of them.
    if (!leaves && !anew.has(comment.path)) checkOwner(comment, document.text, after);
  }
}

/** A comment is still with the member it belongs to, as far as that can be told by unique text. */
function checkOwner({ text, where, token }: OwnedComment, before: string, after: string): void {
  if (token === undefined || !isOnce(before, token) || !isOnce(after, token)) return;
  if (where === "after" || where === "before") expect(lineWith(after, text)).toContain(token);
  else if (where === "above") {
    const below = after.slice(after.indexOf(text) + text.length);
    const next = below.replace(/^(?:\s|,|\/\/[^\r\n]*|\/\*.*?\*\/)*/, "");
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

function lineAt(text: Buffer, at: number): number {
  return text.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
}

/** Plans an edit, carries it out and judges it; returns the document it left. */
function checkOne(
  random: Random,
  document: StyledDocument,
  tally: Map<string, number>,
): { next: StyledDocument; edit: JsonEdit; report: JsonEditReport | undefined } {
  const { text, jsonc } = document;
  const root = naiveParse(text, jsonc);
  const planned = planEdit(random, document, root);
  const { edit } = planned;
  const result = editJson(memorySource(text), [edit], jsonc ? { mode: "jsonc" } : {});
  const after = applied(text, result);
  const name = edit.op === "merge" && edit.deep === true ? "deep merge" : edit.op;
  tally.set(name, (tally.get(name) ?? 0) + 1);
  try {
    judge(document, planned, result, after);
  } catch (error) {
    const shown = `--- before\n${text}\n--- ${JSON.stringify(edit)}\n${after}\n---`;
    throw new Error(`${String(error)}\n${shown}`, { cause: error });
  }
  return { next: editedDocument(document, planned, after), edit, report: result.reports[0] };
}

/** Several edits in one call give what they give one by one, each judged by itself. */
function checkMany(seed: number, tally: Map<string, number>): void {
  const random = new Random(seed * 7 + 3);
  const first = styledDocument(seed);
  const edits: JsonEdit[] = [];
  const reports: (JsonEditReport | undefined)[] = [];
  let document = first;
  for (let many = 2 + random.below(5); many > 0; many--) {
    const done = checkOne(random, document, tally);
    edits.push(done.edit);
    reports.push(done.report);
    document = done.next;
  }
  const result = editJson(memorySource(first.text), edits, first.jsonc ? { mode: "jsonc" } : {});
  expect(applied(first.text, result), JSON.stringify({ text: first.text, edits })).toBe(document.text);
  expect(result.reports).toEqual(reports);
  const sizes = [first.text, document.text].map((text) => Buffer.byteLength(text));
  expect([result.sizeBefore, result.sizeAfter]).toEqual(sizes);
}

function judge(document: StyledDocument, planned: Planned, result: JsonEditResult, after: string): void {
  const { text, jsonc } = document;
  const { expected, gone, targets } = planned;
  const [report] = result.reports;
  if (report === undefined) throw new Error("no report");

  // Every byte outside the reported range is identical, and so is its length.
  const before = Buffer.from(text);
  const now = Buffer.from(after);
  const { at, removed, inserted } = report;
  expect(now.subarray(0, at).equals(before.subarray(0, at))).toBe(true);
  expect(now.subarray(at + inserted).equals(before.subarray(at + removed))).toBe(true);
  expect([result.sizeBefore, result.sizeAfter]).toEqual([before.length, now.length]);

  // The report says neither more nor less than what was done.
  expect(report.changed).toBe(after !== text);
  expect(report.count).toBe(planned.count);
  const [head, tail] = [result.splices[0], result.splices.at(-1)];
  if (head === undefined || tail === undefined)
    expect([report.changed, removed, inserted]).toEqual([false, 0, 0]);
  else expect([at, at + removed]).toEqual([head.at, tail.at + tail.remove]);
  expect(report.line).toBeGreaterThanOrEqual(lineAt(before, at));
  expect(report.line).toBeLessThanOrEqual(Math.max(lineAt(before, at + removed), lineAt(now, at + inserted)));

  // Valid by two other readers, and it means what was asked for.
  const errors: ParseError[] = [];
  parseJsonc(after.replace(/^\ufeff/, ""), errors, { allowTrailingComma: jsonc, disallowComments: !jsonc });
  expect(errors).toEqual([]);
  const read = naiveParse(after, jsonc);
  expect(meaning(read)).toBe(meaning(expected));
  for (const { steps, raw } of targets) {
    const found = naiveAt(read, steps);
    expect(found === undefined ? undefined : naiveText(found)).toBe(raw);
  }

  checkComments(
    { ...document, comments: document.comments.filter((comment) => !goesAlong(comment, planned, report)) },
    after,
    gone,
    new Set(targets.map(({ steps }) => JSON.stringify(steps))),
  );
  expect(untidy(after)).toBeLessThanOrEqual(untidy(text));
  expect(bareBreaks(after)).toBeLessThanOrEqual(text.includes("\r\n") ? 0 : Infinity);
}

/** May the comment go with what the edit replaces or drops? */
function goesAlong(
  comment: OwnedComment,
  { edit, steps, targets }: Planned,
  report: JsonEditReport,
): boolean {
  // A rename drops the earlier twins of its key, comments included.
  if (edit.op === "rename") return report.duplicates !== undefined && belongsUnder(comment, steps);
  // A value that is replaced takes the comments inside it along.
  const replaces = edit.op === "set" || edit.op === "merge";
  return replaces && targets.some((target) => isInside(comment, target.steps));
}

function bareBreaks(text: string): number {
  return text.split("\n").length - text.split("\r\n").length;
}

function isInside(comment: OwnedComment, steps: Steps): boolean {
  if (!belongsUnder(comment, steps)) return false;
  return (JSON.parse(comment.path) as Steps).length > steps.length || comment.where === "loose";
}

describe("a matrix of edits on documents in every style", () => {
  const seeds = fc.integer({ min: 1, max: 2 ** 31 });

  test(
    `[JEDIT-4] [JEDIT-13] [JEDIT-14] [JEDIT-17] [JEDIT-18] [JEDIT-20] [JEDIT-22] [JEDIT-23] ${RUNS} random edits change only what was asked for`,
    () => {
      const tally = new Map<string, number>();
      fc.assert(
        fc.property(seeds, (seed) => {
          checkOne(new Random(seed * 7 + 1), styledDocument(seed), tally);
        }),
        { numRuns: RUNS },
      );
      for (const op of ["set", "delete", "append", "insert", "rename", "merge", "deep merge"])
        expect(tally.get(op) ?? 0, op).toBeGreaterThan(RUNS / 100);
      if (LONG) console.log("edits:", Object.fromEntries(tally));
    },
    LONG_ENOUGH,
  );

  test(
    `[JEDIT-6] [JEDIT-13] [JEDIT-14] [JEDIT-18] ${RUNS / 10} calls with several edits give what the edits give one by one`,
    () => {
      const tally = new Map<string, number>();
      fc.assert(
        fc.property(seeds, (seed) => checkMany(seed, tally)),
        { numRuns: RUNS / 10 },
      );
      if (LONG) console.log("edits in calls of several:", Object.fromEntries(tally));
    },
    LONG_ENOUGH,
  );
});
