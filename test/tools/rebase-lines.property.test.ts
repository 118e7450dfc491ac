// Stale edits of whole lines against a model that knows nothing but lines.

import fc from "fast-check";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { defineTool, fileTarget, type Session } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

const PATH = "a.txt";

/** One splice, as it is sent. */
const spliceTool = defineTool({
  name: "splice",
  toolset: "test",
  access: "write",
  title: "Splice",
  description: "Replaces bytes.",
  input: z.object({ path: z.string(), at: z.int(), remove: z.int(), insert: z.string() }),
  output: z.object({ version: z.int() }),
  rebase: {},
  resolve: (input, ctx) => ({ ...input, path: ctx.path(input.path, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, at, remove, insert }) {
    const { version } = await ctx.files.splice(path, [
      { at, remove, insert: new TextEncoder().encode(insert) },
    ]);
    return { version };
  },
  text: ({ version }) => `Spliced, version ${version}`,
});

/** A line by what it is: an equal line that comes later is another one. A text is its lines with line feeds between them. */
interface Line {
  readonly text: string;
}

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");

/** `remove` lines at `at`, and `insert` in their place. */
interface LineEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly Line[];
}

/** What is asked of random: places are taken modulo what there is. */
interface Wish {
  readonly kind: "insert" | "replace" | "remove" | "fill" | "undo";
  readonly at: number;
  readonly count: number;
  readonly isBlank: boolean;
  /** Whether the line feed before the lines goes with them, or that after them. */
  readonly isBefore: boolean;
  /** Whether only what differs is sent, or the whole text (an overwrite). */
  readonly isWhole: boolean;
}

const kinds = fc.constantFrom<Wish["kind"]>("insert", "replace", "remove", "fill", "undo");
const wish: fc.Arbitrary<Wish> = fc.record({
  kind: kinds,
  at: fc.nat(9),
  count: fc.integer({ min: 1, max: 2 }),
  isBlank: fc.boolean(),
  isBefore: fc.boolean(),
  isWhole: fc.boolean(),
});

function lineEdit(lines: readonly Line[], wanted: Wish, name: string): LineEdit {
  const { kind, count, isBlank } = wanted;
  const isInsert = kind === "insert" || kind === "undo";
  const blanks = lines.flatMap(({ text }, i) => (text === "" ? [i] : []));
  const at = kind === "fill" ? blanks[wanted.at % blanks.length] : undefined;
  const place = at ?? wanted.at % (lines.length + (isInsert ? 1 : 0));
  const insert = Array.from({ length: count }, (_, i): Line => ({
    text: isBlank && i === 0 && kind !== "fill" ? "" : `${name}${i}`,
  }));
  if (isInsert) return { at: place, remove: 0, insert };
  if (kind === "remove" && lines.length > 1) return { at: place, remove: 1, insert: [] };
  return { at: place, remove: 1, insert: kind === "fill" ? insert.slice(0, 1) : insert };
}

/** The edit as a splice of the text: whole lines come and go with the line feed before or after them. */
function spliceOf(lines: readonly Line[], { at, remove, insert }: LineEdit, isBefore: boolean) {
  const start = textOf(lines.slice(0, at)).length + (at > 0 ? 1 : 0);
  const old = textOf(lines.slice(at, at + remove)).length;
  const text = textOf(insert);
  if (remove > 0 && insert.length > 0) return { at: start, remove: old, insert: text };
  const hasBefore = at > 0 && (isBefore || at + remove === lines.length);
  const from = hasBefore ? start - 1 : start;
  if (remove > 0) return { at: from, remove: old + 1, insert: "" };
  return { at: from, remove: 0, insert: hasBefore ? `\n${text}` : `${text}\n` };
}

const applied = (lines: readonly Line[], { at, remove, insert }: LineEdit): Line[] =>
  lines.toSpliced(at, remove, ...insert);

async function must(
  call: Promise<{ readonly ok: boolean; readonly text: string; readonly token?: string | undefined }>,
) {
  const result = await call;
  if (!result.ok) throw new Error(result.text);
  return result.token ?? "";
}

/** The other agent's edits, and their undos, on the text and on the lines. Returns the lines after each. */
async function work(session: Session, start: readonly Line[], wishes: readonly Wish[]): Promise<Line[][]> {
  const bob = session.as(OTHER);
  const after = [[...start]];
  const undoable: Line[][] = [];
  for (const [i, one] of wishes.entries()) {
    const lines = after.at(-1) as Line[];
    const before = one.kind === "undo" ? undoable.pop() : undefined;
    if (before !== undefined) {
      await must(bob.call("undo_changes", {}));
      after.push(before);
      continue;
    }
    const edit = lineEdit(lines, one, `bob${i}_`);
    const next = applied(lines, edit);
    if (textOf(next) === textOf(lines)) continue;
    const sent = one.isWhole
      ? bob.call("write_file", { path: PATH, content: textOf(next), mode: "overwrite" })
      : bob.call("splice", { path: PATH, ...spliceOf(lines, edit, one.isBefore) });
    await must(sent);
    undoable.push(lines);
    after.push(next);
  }
  return after;
}

const sorted = (lines: readonly Line[]): string[] => lines.map(({ text }) => text).toSorted();

const seen = { landed: 0, conflicts: 0, untouched: 0 };

describe("a stale edit of whole lines", () => {
  test(
    "[CALL-123] lands as whole lines beside the others' whole lines, or not at all",
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
          fc.array(wish, { maxLength: 2 }),
          fc.array(wish, { minLength: 1, maxLength: 4 }),
          wish,
          async (blanks, earlier, later, mine) => {
            const { session } = await bench({ tools: [spliceTool] });
            const start = blanks.map((isBlank, i): Line => ({ text: isBlank ? "" : `line${i}` }));
            const ann = session.as(EDITOR);
            await must(ann.call("write_file", { path: PATH, content: textOf(start) }));
            const states = await work(session, start, [...earlier, ...later]);
            const version = Math.min(earlier.length, states.length - 1);
            const old = states[version] as Line[];
            const now = states.at(-1) as Line[];
            const log = await session.log({ limit: 99 });
            const seq = log.map((record) => record.seq).toSorted((a, b) => a - b)[version] ?? 0;
            const { hash } = log.find((record) => record.seq === seq) ?? { hash: "" };
            const edit = lineEdit(old, mine, "ann");
            fc.pre(textOf(applied(old, edit)) !== textOf(old));
            const done = await ann.call<unknown>("splice", {
              path: PATH,
              ...spliceOf(old, edit, mine.isBefore),
              expectedVersion: `${seq}-${hash.slice(0, 8)}`,
              onConflict: "rebase",
            });
            const result = new TextDecoder().decode(await session.workspace.read(PATH));
            const around = old.slice(Math.max(0, edit.at - 1), edit.at + Math.max(1, edit.remove));
            // Which of two line feeds went with a removed line is not known; a last line that gets or loses its own is changed.
            const ends = states.slice(version).map((lines) => lines.at(-1));
            const isSame = (line: Line): boolean => now.includes(line) && !ends.includes(line);
            // Nor is it, in an overwrite, which of two blank lines is the new one.
            const isTold = ({ kind, isWhole, isBlank }: Wish): boolean =>
              kind !== "remove" && kind !== "undo" && !(isWhole && isBlank);
            const isUntouched = edit.insert.length > 0 && around.every(isSame) && later.every(isTold);
            if (isUntouched) seen.untouched++;
            if (!done.ok) {
              seen.conflicts++;
              expect(done.error?.reason).toBe("stale_version");
              expect(result).toBe(textOf(now));
              expect(isUntouched).toBe(false);
              return;
            }
            seen.landed++;
            const removed = old.slice(edit.at, edit.at + edit.remove).map(({ text }) => text);
            const wanted = sorted([...now, ...edit.insert]);
            for (const text of removed) wanted.splice(wanted.indexOf(text), 1);
            expect(result.split("\n").toSorted()).toEqual(wanted);
            // In order: theirs as they were, ours next to each other. Of blank lines it cannot be told whose they are.
            const isOurs = ({ text }: Line): boolean => text.startsWith("ann");
            const named = (text: string): boolean => text !== "" && !text.startsWith("ann");
            const kept = now.map(({ text }) => text).filter((text) => named(text) && !removed.includes(text));
            expect(result.split("\n").filter(named)).toEqual(kept);
            const ours = textOf(edit.insert.filter(isOurs));
            if (ours !== "") expect(`\n${result}\n`).toContain(`\n${ours}\n`);
          },
        ),
        runs(200),
      );
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
    },
  );
});
