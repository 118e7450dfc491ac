// Owns: a question on a terminal: what was typed, or why nothing was.

import { createInterface } from "node:readline/promises";

/** The exit code of a command that the user broke off with Ctrl-C, as a shell counts it. */
export const INTERRUPTED_CODE = 130;

/** What came of a question. */
export type Answer =
  | { readonly how: "typed"; readonly text: string }
  /** The terminal was closed, or the input ended. */
  | { readonly how: "closed" }
  /** Ctrl-C. */
  | { readonly how: "interrupted" };

/** Asks for one line. Never throws. */
export async function askLine(question: string, output: NodeJS.WritableStream): Promise<Answer> {
  const terminal = createInterface({ input: process.stdin, output });
  try {
    const answer = await new Promise<Answer>((resolve) => {
      terminal.once("SIGINT", () => resolve({ how: "interrupted" }));
      terminal.once("close", () => resolve({ how: "closed" }));
      terminal.question(question).then(
        (text) => resolve({ how: "typed", text: text.trim() }),
        () => resolve({ how: "closed" }),
      );
    });
    // What comes next begins a line of its own.
    if (answer.how !== "typed") output.write("\n");
    return answer;
  } finally {
    terminal.close();
  }
}
