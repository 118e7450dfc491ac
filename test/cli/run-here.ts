// A command in this process: what it prints, says and leaves, without the second that starting one takes.

import { Readable } from "node:stream";
import { vi } from "vitest";
import { reportFailure } from "../../src/cli/failure.ts";
import { program } from "../../src/cli/program.ts";
import { DATA, type Ran } from "./command.ts";

/** The same as `run`. One at a time: it takes the input and the outputs of the process meanwhile. */
export async function runHere(
  args: readonly string[],
  input = "",
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  const { argv, exitCode } = process;
  const before = process.cwd();
  const out = taken(process.stdout);
  const err = taken(process.stderr);
  const given = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  vi.spyOn(process, "stdin", "get").mockReturnValue(given as unknown as typeof process.stdin);
  const around = { ...process.env };
  Object.assign(process.env, { HOLDFAST_STORE: "", XDG_DATA_HOME: DATA, ...env });
  process.argv = ["node", "holdfast", ...args];
  process.exitCode = 0;
  process.chdir(cwd);
  try {
    await program().parseAsync(process.argv).catch(reportFailure);
    return { code: process.exitCode, out: out(), err: err() };
  } finally {
    process.chdir(before);
    Object.assign(process, { argv, exitCode });
    process.env = around;
    vi.restoreAllMocks();
  }
}

/** Takes what is written to a stream from now on, and tells all of it. */
function taken(stream: NodeJS.WriteStream): () => string {
  let text = "";
  const decoder = new TextDecoder();
  vi.spyOn(stream, "write").mockImplementation((part, encoding, done) => {
    text += typeof part === "string" ? part : decoder.decode(part, { stream: true });
    const written = typeof encoding === "function" ? encoding : done;
    written?.();
    return true;
  });
  return () => text;
}
