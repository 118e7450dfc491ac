// Owns: get_gates: the answers to the gates so far, and on request the form in which to answer them.

import { z } from "zod";
import { decideGates, emptyGates, gatePrompt, gateSetKey } from "../../gates/index.ts";
import { gatesSlice } from "../../session/gates/gates-slice.ts";
import { tokenOf } from "../../store/token.ts";
import { echo, HoldfastError, say, sayAll } from "../../errors.ts";
import { showName, showValue } from "../../text/show.ts";
import { paging } from "../paging.ts";
import { defineTool, type Tool } from "../tool.ts";
import { chooseSet, type GateSetsByName } from "./gate-sets.ts";

const input = z.object({
  set: z.string().optional().describe("Which gate set; all when left out"),
  gate: z.string().optional().describe("Only this gate, its answer whole"),
  form: z.boolean().optional().describe("Also show how an answer must look"),
  budget: paging.budget,
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
      /** The keys of the gates in their order, which an object does not keep where they are digits. */
      gate_order: z.array(z.string()),
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
      "Shows the gates: answers so far, PASS or the next question. form: true shows how to answer.",
    input,
    output,
    resolve: ({ set, gate, form }) => ({ chosen: chosenSets(sets, set, gate), form }),
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
            gate_order: [...config.gates.keys()],
            state: { summary: state.summary, gates: { ...state.gates }, status: { ...state.status } },
            ...(form === true ? { form: gatePrompt(config, { tool: "submit_gates" }) } : {}),
            ...(at === undefined ? {} : { token: tokenOf(at) }),
          };
        }),
      };
    },
    text: ({ sets: shown }, { gate }) =>
      [...shown.map(headOf), ...shown.map((set) => answersOf(set, gate, sets.size > 1))].join("\n"),
  });
}

/** The sets a call asks for; those that have the gate, if it names one. */
function chosenSets(
  sets: GateSetsByName,
  set: string | undefined,
  gate: string | undefined,
): ReturnType<typeof chooseSet>[] {
  const chosen = (set === undefined ? [...sets.keys()] : [set]).map((name) => chooseSet(sets, name));
  const having = gate === undefined ? chosen : chosen.filter(({ config }) => config.gates.has(gate));
  if (gate === undefined || having.length > 0) return having;
  const known = chosen.flatMap(({ config }) => [...config.gates.keys()]);
  throw new HoldfastError(
    "not_found",
    "no_such_gate",
    say`There is no gate ${echo(gate)}. There are: ${sayAll(known.slice(0, NAMED).map((key) => showName(key)))}.`,
  );
}

const NAMED = 50;
/** Characters of an answer that a line shows. */
const LINE = 200;

type SetShown = z.output<typeof output>["sets"][number];

function headOf({ set, pass, reason, next_gate, next_question, token }: SetShown): string {
  const passed = reason === "user_override" ? "PASS by the host" : "PASS";
  const head = pass ? passed : `NO PASS, next is ${showName(next_gate ?? "")}: ${next_question ?? ""}`;
  return `${set}: ${head}${token === undefined ? "" : ` (token ${token})`}`;
}

/** The answers of one set, in gate order, whatever the keys look like. */
function answersOf(
  { set, gate_order: order, state, form }: SetShown,
  only: string | undefined,
  isNamed: boolean,
): string {
  const lines: string[] = isNamed ? ["", `${set}:`] : [];
  if (state.summary !== "" && only === undefined) lines.push(`summary: ${showLine(state.summary)}`);
  let cut = false;
  for (const key of only === undefined ? order : [only]) {
    const { raw = null, classified = null } = state.gates[key] ?? {};
    const room = only === undefined ? LINE : Infinity;
    cut ||= (raw?.length ?? 0) > room || (classified?.length ?? 0) > room;
    const said = raw === null ? "" : ` (${showValue(raw, room)})`;
    lines.push(`${showName(key)}: ${classified === null ? "-" : showName(classified, room)}${said}`);
  }
  if (cut) lines.push("[Cut: get_gates with gate shows one answer whole.]");
  if (form !== undefined) lines.push("", form);
  return lines.join("\n");
}

/** Text as part of a line: as it is where it is one line, quoted where it is not. */
function showLine(text: string): string {
  const shown = showValue(text, Infinity);
  return shown === JSON.stringify(text) && !shown.includes("\\") ? text : shown;
}
