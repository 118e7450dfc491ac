// Owns: whether what an undo leaves of a JSON file is still JSON.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { editJsonSteps, type JsonFault } from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { TextJudge } from "../../session/undo-left-texts.ts";
import type { ByteSource } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import type { ReadCtx } from "../tool.ts";
import { INDEXES, documentModeOf, PAUSE_EVERY } from "./_document.ts";

type JudgeCtx = Pick<ReadCtx, "shared" | "signal">;

/** Knows files by the name that JSON has. What was no JSON before is nobody's fault. */
export function jsonJudge(ctx: JudgeCtx): TextJudge {
  return {
    knows: (path) => /\.jsonc?$/i.test(path),
    async broken(path, before, after) {
      const fault = await faultOf(ctx, path, after);
      if (fault === undefined || (await faultOf(ctx, path, before)) !== undefined) return undefined;
      return say`would no longer be JSON (${fault})`;
    },
  };
}

/** Why a write would not take a document; undefined where it would. */
async function faultOf(ctx: JudgeCtx, path: WorkspacePath, source: ByteSource): Promise<Shown | undefined> {
  const options = { mode: documentModeOf(path), indexes: ctx.shared(INDEXES), pauseEvery: PAUSE_EVERY };
  try {
    await runPaced(editJsonSteps(source, [], options), ctx.signal);
    return undefined;
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "invalid_json") throw error;
    const { line, column, expected, found } = error.data as unknown as JsonFault;
    return say`line ${line}, column ${column}: ${found} in place of ${expected}`;
  }
}
