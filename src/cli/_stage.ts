// Owns: how the tour looks: numbered steps, calls with their input, results as an agent reads them, within a width, and a pause
// between steps where there is a terminal.

import { withoutLastBreak } from "../text/show-hunks.ts";
import type { Agent, CallResult } from "../tools/index.ts";
import { askLine, INTERRUPTED_CODE } from "./ask.ts";
import { forScreen, paint, paintDiff, printExact } from "./output.ts";

const WIDTH = 80;
const INDENT = "    ";

/** Somewhere to show things, step by step. */
export class Stage {
  readonly #steps: number;
  readonly #pauses: boolean;
  #step = 0;

  constructor(steps: number, pauses: boolean) {
    this.#steps = steps;
    this.#pauses = pauses;
  }

  /** Begins a step. False when the reader has had enough. */
  async step(title: string, about: string): Promise<boolean> {
    if (this.#step > 0 && this.#pauses && !(await isGoingOn())) return false;
    this.#step++;
    print(`\n${paint("bold", `${this.#step}/${this.#steps}  ${title}`)}`);
    this.say(about);
    return true;
  }

  /** A paragraph. */
  say(text: string): void {
    print(wrap(text, ""));
  }

  /** Lines as they are, only indented. */
  show(text: string): void {
    print(withoutLastBreak(text).replace(/^(?=.)/gm, INDENT));
  }

  /** Calls a tool and shows what was sent and what the agent read. */
  async call(agent: Agent, tool: string, input: Readonly<Record<string, unknown>> = {}): Promise<CallResult> {
    const { id } = agent.identity;
    const lines = inputLines(input);
    const [only = ""] = lines;
    const isShort = lines.length <= 1 && id.length + tool.length + only.length + 3 <= WIDTH;
    print(`\n${paint("cyan", `${id}>`)} ${tool}${isShort && only !== "" ? ` ${only}` : ""}`);
    if (!isShort) print(lines.map((line) => wrap(line, "  ")).join("\n"));
    const result = await agent.call(tool, input);
    const text = wrap(withoutLastBreak(result.text), INDENT).replaceAll("\r", "");
    const hunk = result.ok ? 0 : text.search(/^ {4}@@/m);
    const refusal = hunk < 0 ? text : text.slice(0, hunk);
    print((refusal === "" ? "" : paint("red", refusal)) + indentedDiff(text.slice(refusal.length)));
    return result;
  }
}

/** One line of JSON, or a line for each part where that is too long or holds line breaks. */
function inputLines(input: Readonly<Record<string, unknown>>): string[] {
  const parts = Object.entries(input);
  if (parts.length === 0) return [];
  const json = JSON.stringify(input);
  const hasText = parts.some(([, value]) => typeof value === "string" && value.includes("\n"));
  if (json.length <= WIDTH - 20 && !hasText) return [json];
  return parts.flatMap(([name, value]) => {
    if (typeof value !== "string" || !value.includes("\n")) return [`${name}: ${JSON.stringify(value)}`];
    return [
      `${name}:`,
      ...value
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`),
    ];
  });
}

/** Breaks lines at spaces, so that none with its indentation is longer than the width unless one word is. */
function wrap(text: string, indent: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const lines: string[] = [];
      let rest = line;
      while (indent.length + rest.length > WIDTH) {
        const at = rest.lastIndexOf(" ", WIDTH - indent.length);
        if (at <= rest.search(/\S/)) break;
        lines.push(rest.slice(0, at));
        rest = rest.slice(at + 1);
      }
      return [...lines, rest];
    })
    .map((line) => (line === "" ? line : `${indent}${line}`))
    .join("\n");
}

function indentedDiff(text: string): string {
  return paintDiff(text.replaceAll(/^ {4}/gm, "")).replace(/^(?=.)/gm, INDENT);
}

/** Waits for Enter. False for q, for Ctrl-C, and where the terminal was closed. */
async function isGoingOn(): Promise<boolean> {
  const question = forScreen(paint("dim", "\nEnter goes on, q ends the tour. "));
  const answer = await askLine(question, process.stdout);
  if (answer.how === "interrupted") process.exitCode = INTERRUPTED_CODE;
  return answer.how === "typed" && answer.text.toLowerCase() !== "q";
}

function print(text: string): void {
  printExact(`${text}\n`);
}
