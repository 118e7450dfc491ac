// A slow, obvious model of ndpatch, written from docs/spec/ndpatch.md alone: arrays of small objects, one operation after
// another, no bytes, no sorting. And the generators that feed it and the real thing.

import fc from "fast-check";
import type { Eol, Operation } from "../../src/patch/index.ts";

const ENDING = { lf: "\n", crlf: "\r\n", none: "" } as const;

interface ModelLine {
  text: string;
  ending: string;
}

export function modelLines(text: string): ModelLine[] {
  const lines: ModelLine[] = [];
  let rest = text;
  while (rest !== "") {
    const at = rest.indexOf("\n");
    const whole = at < 0 ? rest : rest.slice(0, at + 1);
    const ending = whole.endsWith("\r\n") ? "\r\n" : whole.endsWith("\n") ? "\n" : "";
    lines.push({ text: whole.slice(0, whole.length - ending.length), ending });
    rest = rest.slice(whole.length);
  }
  return lines;
}

function bare(text: string): string {
  return text.endsWith("\r\n") ? text.slice(0, -2) : text.endsWith("\n") ? text.slice(0, -1) : text;
}

interface Piece {
  text: string;
  eol: Eol | undefined;
  /** Ending it takes unless told. */
  style: string;
  /** Original ending: the line is untouched. */
  kept?: string;
}

export type ModelResult = { ok: true; text: string } | { ok: false; failed: number[] };

export function modelApply(whole: string, ops: readonly Omit<Operation, "file">[]): ModelResult {
  const bom = whole.startsWith("\ufeff") ? "\ufeff" : "";
  const lines = modelLines(whole.slice(bom.length));
  const n = lines.length;
  const endingAt = (line: number): string => lines[line - 1]?.ending ?? "";
  const styleBefore = (line: number): string =>
    endingAt(line - 1) || endingAt(line - 2) || endingAt(line) || "\n";
  const inserts: Piece[][] = Array.from({ length: n + 2 }, () => []);
  const now: (Piece | "deleted")[] = lines.map((l) => ({
    text: l.text,
    eol: undefined,
    style: l.ending,
    kept: l.ending,
  }));
  const failed: number[] = [];
  ops.forEach((op, i) => {
    const { line } = op;
    if (op.op === "insert") {
      if (line > n + 1) failed.push(i);
      else inserts[line]?.push({ text: bare(op.new ?? ""), eol: op.eol, style: styleBefore(line) });
      return;
    }
    const there = now[line - 1];
    if (there === undefined || there === "deleted") failed.push(i);
    else if (
      op.old !== undefined &&
      bare(op.old).replaceAll("\r\n", "\n") !== there.text.replaceAll("\r\n", "\n")
    )
      failed.push(i);
    else if (op.op === "delete") now[line - 1] = "deleted";
    else
      now[line - 1] = { text: bare(op.new ?? ""), eol: op.eol, style: endingAt(line) || styleBefore(line) };
  });
  if (failed.length > 0) return { ok: false, failed };
  const pieces: Piece[] = [];
  for (let line = 1; line <= n + 1; line++) {
    pieces.push(...(inserts[line] ?? []));
    const there = now[line - 1];
    if (there !== undefined && there !== "deleted") pieces.push(there);
  }
  const lacksFinal = n > 0 && endingAt(n) === "";
  let text = bom;
  for (const [i, piece] of pieces.entries()) {
    const isLast = i === pieces.length - 1;
    if (piece.eol === "none" && !isLast) return { ok: false, failed: [] };
    const inner = piece.eol === "lf" || piece.eol === "crlf" ? ENDING[piece.eol] : piece.style;
    text += piece.kept === undefined ? piece.text.split(/\r?\n/).join(inner) : piece.text;
    if (isLast && piece.eol !== undefined) text += ENDING[piece.eol];
    else if (isLast && lacksFinal) continue;
    else if (piece.kept === "") text += styleBefore(n + 1);
    else text += piece.kept ?? inner;
  }
  return { ok: true, text };
}

// ---------------------------------------------------------------------------------------------------------- generators

/** The text of a line: small alphabets make lines equal often; some are long, odd or empty. */
export const lineText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("", "a", "b", "c", "  a", "a ", "}", "x y") },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }).map((s) => s.replaceAll("\n", "")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a\rb", "é", "e\u0301", "𝒳", "\u2028", "\u0000", "日本語", "\ufeff", "x\r"),
  },
);

const ending = fc.constantFrom("\n", "\n", "\n", "\r\n");

/** A text with LF and CRLF mixed, with or without a final ending, with or without a byte order mark. */
export function textOfLines(maxLength: number): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(fc.tuple(lineText, ending), { maxLength, size: "max" }),
      fc.boolean(),
      fc.constantFrom("", "", "", "\ufeff"),
    )
    .map(([lines, final, bom]) => {
      const text = lines.map(([t, e]) => t + e).join("");
      const end = final ? text : text.replace(/\r?\n$/, "");
      return end.startsWith("\ufeff") ? end : bom + end;
    });
}

export const eolChoice: fc.Arbitrary<Eol | undefined> = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  "lf" as const,
  "crlf" as const,
  "none" as const,
);
