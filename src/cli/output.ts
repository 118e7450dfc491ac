// Owns: what commands print: results on standard output, as text or as one JSON value, in colour only on a terminal.
// Must never: let a file or a name speak to the terminal. What goes to one is shown with escapes; a pipe gets every byte as it is.

import { styleText } from "node:util";
import { LF } from "../text/lines.ts";
import { showLines } from "../text/show-hunks.ts";

/** Every command that prints a result takes it. */
export interface JsonFlag {
  readonly json?: boolean;
}

/** A stream as far as its looks go. */
interface Screen {
  readonly isTTY?: boolean;
}

/** One result: with --json `{"ok":true,...}` on one line, else the text, which is made only then. */
export function printResult(flags: JsonFlag, value: object, text: () => string | Uint8Array): void {
  if (flags.json === true) printJson({ ok: true, ...value });
  else printText(text());
}

export function printJson(value: object): void {
  printExact(`${JSON.stringify(value)}\n`);
}

/** The text with a line break at its end. Nothing for no text. */
export function printText(text: string | Uint8Array): void {
  if (text.length === 0) return;
  printExact(text);
  const isEnded = text.at(-1) === (typeof text === "string" ? "\n" : LF);
  if (!isEnded) process.stdout.write("\n");
}

/** Exactly this on standard output, or what a terminal may be shown of it. */
export function printExact(text: string | Uint8Array): void {
  process.stdout.write(
    process.stdout.isTTY ? forScreen(typeof text === "string" ? text : new TextDecoder().decode(text)) : text,
  );
}

/** Waits until all that was printed is written. False: it could not be, because the reader has left or there is no room. */
export function isPrinted(): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write("", (error) => resolve(error === null || error === undefined));
  });
}

/** What a person should know beside the result: standard error, so that a pipe does not read it. */
export function note(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? forScreen(text) : text}\n`);
}

type Style = "green" | "red" | "cyan" | "bold" | "dim";

/** Colours are for terminals, and for nobody who sets NO_COLOR. */
export function isColoured(stream: Screen = process.stdout): boolean {
  const { NO_COLOR: none, TERM: term } = process.env;
  return stream.isTTY === true && (none === undefined || none === "") && term !== "dumb";
}

/**
 * Stands for the escape character in our own colours until the text is printed: what files hold cannot know it, so that every other
 * escape is theirs.
 */
let ourEscape: string | undefined;

export function paint(style: Style, text: string, stream: Screen = process.stdout): string {
  if (!isColoured(stream)) return text;
  ourEscape ??= `<${crypto.randomUUID()}>`;
  return styleText(style, "\n", { validateStream: false } as never)
    .replaceAll(ESCAPE, ourEscape)
    .replace("\n", () => text);
}

/** A text that changes nothing on a terminal but by our colours: everything else that is no letter is written as an escape. */
export function forScreen(text: string): string {
  const shown = showLines(text);
  return ourEscape === undefined ? shown : shown.replaceAll(ourEscape, ESCAPE);
}

const ESCAPE = "\u001b";

/** A diff for the eye: coloured where the terminal takes colours, and with the CR of line endings where lines differ in it. */
export function paintDiff(diff: string): string {
  if (!process.stdout.isTTY) return diff;
  const lines = diff.split("\n");
  const changed = lines.filter((line) => /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line));
  const isMixed = changed.some(hasCr) && !changed.every(hasCr);
  return lines
    .map((line) => {
      const shown = hasCr(line) ? `${line.slice(0, -1)}${isMixed ? "\\r" : ""}` : line;
      const style = styleOf(line);
      return style === undefined ? shown : paint(style, shown);
    })
    .join("\n");
}

function hasCr(line: string): boolean {
  return line.endsWith("\r");
}

function styleOf(line: string): Style | undefined {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "bold";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}
