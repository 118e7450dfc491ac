// Owns: what commands print: results on standard output, as text or as one JSON value, in colour only on a terminal.

import { styleText } from "node:util";

/** Every command that prints a result takes it. */
export interface JsonFlag {
  readonly json?: boolean;
}

/** One result: with --json `{"ok":true,...}` on one line, else the text, which is made only then. */
export function printResult(flags: JsonFlag, value: object, text: () => string | Uint8Array): void {
  if (flags.json === true) printJson({ ok: true, ...value });
  else printText(text());
}

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The text with a line break at its end. Nothing for no text. */
export function printText(text: string | Uint8Array): void {
  if (text.length === 0) return;
  process.stdout.write(text);
  const isEnded = text.at(-1) === (typeof text === "string" ? "\n" : LF);
  if (!isEnded) process.stdout.write("\n");
}

/** What a person should know beside the result: standard error, so that a pipe does not read it. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

const LF = 10;

type Style = "green" | "red" | "cyan" | "bold" | "dim";

/** Colours are for terminals, and for nobody who sets NO_COLOR. */
export function isColoured(stream: { readonly isTTY?: boolean } = process.stdout): boolean {
  const { NO_COLOR: none, TERM: term } = process.env;
  return stream.isTTY === true && (none === undefined || none === "") && term !== "dumb";
}

export function paint(style: Style, text: string): string {
  return isColoured() ? styleText(style, text, { validateStream: false } as never) : text;
}

/** A diff with its lines coloured where the terminal takes colours. */
export function paintDiff(diff: string): string {
  if (!isColoured()) return diff;
  return diff
    .split("\n")
    .map((line) => {
      const style = styleOf(line);
      return style === undefined ? line : paint(style, line);
    })
    .join("\n");
}

function styleOf(line: string): Style | undefined {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "bold";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}
