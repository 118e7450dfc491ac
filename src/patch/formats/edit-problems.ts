// Owns: what is wrong with edits that were read: every problem with its line, as one error.

import { HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import { plural } from "../../text/plural.ts";

/** Why one edit cannot be made. */
export interface EditProblem {
  readonly at: number;
  readonly file: Shown;
  readonly reason:
    | "old_mismatch"
    | "ambiguous"
    | "elision"
    | "file_exists"
    | "not_found"
    | "binary"
    | "too_large";
  readonly message: Shown;
}

/** Problems that are told; those beyond are counted. */
export const SPELLED_OUT = 20;

export function problemsError(problems: readonly EditProblem[]): HoldfastError {
  const [first] = problems;
  const lines = problems
    .slice(0, SPELLED_OUT)
    .map(({ at, file, message }) => say`\n- line ${at} of the patch, ${file}: ${message}`);
  if (problems.length > SPELLED_OUT) lines.push(say`\n- and ${problems.length - SPELLED_OUT} more`);
  const data = {
    total: problems.length,
    problems: problems
      .slice(0, SPELLED_OUT)
      .map(({ at, file, reason }) => ({ at, file, reason: reason as Lowercase<string> as Shown })),
  };
  const isInput = problems.every(({ reason }) => reason === "elision");
  return new HoldfastError(
    isInput ? "invalid_argument" : "conflict",
    first?.reason ?? "old_mismatch",
    say`The patch does not apply (${plural(problems.length, "problem") as Shown}); nothing was written. Mend these and send the whole patch again:${sayAll(lines, "")}`,
    { data },
  );
}
