// Owns: whether a text that is left or landed of a JSON file is still JSON.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { editJsonSteps, type JsonFault, type JsonIndexes } from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { TextJudge } from "../../session/text-judge.ts";
import type { ByteSource } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
import { documentModeOf, PAUSE_EVERY } from "./_document.ts";

/** Knows files by the name that JSON has. What is no JSON anyway is nobody's fault. */
export function jsonJudge(indexes: JsonIndexes | null = null): TextJudge {
  return {
    knows: (path) => /\.jsonc?$/i.test(path),
    *brokenSteps(path, sound, text) {
      const fault = yield* faultSteps(path, text, indexes);
      if (fault === undefined || (yield* faultSteps(path, sound, indexes)) !== undefined) return undefined;
      return say`would no longer be JSON (${fault})`;
    },
  };
}

/** Why a write would not take a document; undefined where it would. */
function* faultSteps(
  path: WorkspacePath,
  source: ByteSource,
  indexes: JsonIndexes | null,
): Steps<Shown | undefined> {
  try {
    yield* editJsonSteps(source, [], { mode: documentModeOf(path), indexes, pauseEvery: PAUSE_EVERY });
    return undefined;
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "invalid_json") throw error;
    const { line, column, expected, found } = error.data as unknown as JsonFault;
    return say`line ${line}, column ${column}: ${found} in place of ${expected}`;
  }
}
