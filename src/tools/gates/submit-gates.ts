// Owns: submit_gates: an agent's answer to the gates, judged by the system.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import { gateSetKey, putGates, repairMessage, type GateLog, type GatesRefused } from "../../gates/index.ts";
import { gatesSlice } from "../../session/gates/gates-slice.ts";
import { showName } from "../../text/show.ts";
import { defineTool, type Tool } from "../tool.ts";
import { judgeAnswer, recordOf } from "./gate-desk.ts";
import { chooseSet, type GateSetsByName } from "./gate-sets.ts";

const input = z.object({
  answer: z
    .union([z.string(), z.looseObject({})])
    .describe("The JSON object that get_gates describes, or text that holds it"),
  set: z.string().optional().describe("Which gate set, where there are several"),
});

const output = z.object({
  set: z.string(),
  pass: z.boolean(),
  reason: z.string(),
  next_gate: z.string().nullable(),
  next_question: z.string().nullable(),
  changed: z.array(z.string()),
  warnings: z.array(z.string()),
  token: z.string().optional(),
});

export function submitGates(sets: GateSetsByName, log: GateLog): Tool {
  return defineTool({
    name: "submit_gates",
    toolset: "gates",
    access: "write",
    ignoresGates: true,
    split: say`Put into raw only what the user said, and nothing twice.`,
    title: "Submit gates",
    description:
      "Submits answers to the gates. The system judges them itself: PASS, or the next question to ask. get_gates shows the form.",
    input,
    output,
    resolve: ({ answer, set }) => ({ answer, ...chooseSet(sets, set) }),
    targets: ({ name }) => [{ key: gateSetKey(name), name }],
    async run(ctx, { answer, name, config }) {
      const gates = ctx.slice(gatesSlice);
      const by = { actor: "assistant", log, limits: ctx.limits } as const;
      const result = judgeAnswer(answer, config, gates.set(name), by);
      if (!result.ok) throw refused(result);
      const { decision, diff, warnings } = result;
      ctx.change(gatesSlice, putGates(gates.sets(name), name, recordOf(result)));
      return {
        set: name,
        pass: decision.pass,
        reason: decision.reason,
        next_gate: decision.next_gate,
        next_question: decision.next_question,
        changed: [...config.gates.keys()].filter(
          (key) => diff.gates_raw_changed.includes(key) || diff.gates_classified_changed.includes(key),
        ),
        warnings: [...warnings],
      };
    },
    text({ set, pass, reason, next_gate, next_question, warnings }) {
      const lines = [
        pass
          ? reason === "user_override"
            ? `PASS: the host has passed ${set}, whatever is missing.`
            : `PASS: all required gates of ${set} are complete.`
          : `NO PASS: gate ${showName(next_gate ?? "")} of ${set} is open. Ask: ${next_question ?? ""}`,
        ...warnings.map((warning) => `[Warning] ${warning}`),
      ];
      return lines.join("\n");
    },
  });
}

/** The repair message is the error: it tells the model what to send instead. Its words are ours and the caller's. */
function refused(result: GatesRefused): HoldfastError {
  const errors = result.errors.map(({ code, message, field_path: field, expected, actual }) => ({
    code: code as string as Shown,
    message: message as Shown,
    ...(field === undefined ? {} : { field_path: field as Shown }),
    ...(expected === undefined ? {} : { expected: expected as Shown }),
    ...(actual === undefined ? {} : { actual: actual as Shown }),
  }));
  return new HoldfastError("invalid_argument", "gates_invalid", repairMessage(result) as Shown, {
    data: { errors },
  });
}
