// Owns: get_gates: where the gates stand, and on request the form in which to answer them.

import { z } from "zod";
import { decideGates, emptyGates, gatePrompt, gateSetKey } from "../../gates/index.ts";
import { gatesSlice } from "../../session/gates/gates-slice.ts";
import { tokenOf } from "../../store/token.ts";
import { defineTool, type Tool } from "../tool.ts";
import { chooseSet, type GateSetsByName } from "./gate-sets.ts";

const input = z.object({
  set: z.string().optional().describe("Which gate set; all when left out"),
  form: z.boolean().optional().describe("Also show how an answer must look"),
});

const value = z.object({ raw: z.string().nullable(), classified: z.string().nullable() });

const output = z.object({
  sets: z.array(
    z.object({
      set: z.string(),
      pass: z.boolean(),
      reason: z.string(),
      next_gate: z.string().nullable(),
      next_question: z.string().nullable(),
      state: z.object({
        summary: z.string(),
        gates: z.record(z.string(), value),
        status: z.object({
          pass: z.boolean(),
          next_gate: z.string().nullable(),
          next_query: z.string().nullable(),
        }),
      }),
      form: z.string().optional(),
      token: z.string().optional(),
    }),
  ),
});

export function getGates(sets: GateSetsByName): Tool {
  return defineTool({
    name: "get_gates",
    toolset: "gates",
    access: "read",
    title: "Get gates",
    description:
      "Shows where the gates stand: answers so far, PASS or the next question. form: true shows how to answer.",
    input,
    output,
    resolve: ({ set, form }) => ({ chosen: chosenSets(sets, set), form }),
    targets: ({ chosen }) => chosen.map(({ name }) => ({ key: gateSetKey(name), name })),
    async run(ctx, { chosen, form }) {
      const gates = ctx.slice(gatesSlice);
      return {
        sets: chosen.map(({ name, config }) => {
          const record = gates.set(name);
          const state = record?.state ?? emptyGates(config);
          const decision = record?.decision ?? decideGates(state, config);
          const at = gates.at(name);
          return {
            set: name,
            pass: decision.pass,
            reason: decision.reason,
            next_gate: decision.next_gate,
            next_question: decision.next_question,
            state: { summary: state.summary, gates: { ...state.gates }, status: { ...state.status } },
            ...(form === true ? { form: gatePrompt(config) } : {}),
            ...(at === undefined ? {} : { token: tokenOf(at) }),
          };
        }),
      };
    },
    text: ({ sets: shown }) => shown.map(textOf).join("\n\n"),
  });
}

function chosenSets(sets: GateSetsByName, set: string | undefined): ReturnType<typeof chooseSet>[] {
  return (set === undefined ? [...sets.keys()] : [set]).map((name) => chooseSet(sets, name));
}

type Shown = z.output<typeof output>["sets"][number];

function textOf({ set, pass, next_gate, next_question, state, form, token }: Shown): string {
  const head = pass ? "PASS" : `NO PASS, next is ${next_gate ?? ""}: ${next_question ?? ""}`;
  const lines = [`${set}: ${head}${token === undefined ? "" : ` (token ${token})`}`];
  if (state.summary !== "") lines.push(`summary: ${state.summary}`);
  for (const [key, { raw, classified }] of Object.entries(state.gates))
    lines.push(`${key}: ${classified ?? "-"}${raw === null ? "" : ` (${JSON.stringify(raw)})`}`);
  if (form !== undefined) lines.push("", form);
  return lines.join("\n");
}
