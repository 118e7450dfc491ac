// Owns: what the call path costs around a read that itself costs next to nothing.

import { z } from "zod";
import { defineTool, openSession, type Tool } from "../src/tools/index.ts";
import { defineBench, defineCase } from "./harness.ts";

const CALLS = 2_000;
const ROUNDS = 25;
const ENOUGH = 1_000_000;

async function bare(input: {
  readonly nodeId: string;
  readonly depth?: number | undefined;
}): Promise<{ id: string }> {
  return { id: input.nodeId };
}

const lookUp: Tool = defineTool({
  name: "look_up",
  toolset: "bench",
  access: "read",
  title: "Look up",
  description: "Answers an id.",
  input: z.object({ nodeId: z.string(), depth: z.int().optional() }),
  output: z.object({ id: z.string() }),
  targets: () => [],
  run: (_ctx, input) => bare(input),
  text: ({ id }) => id,
});

async function callOnce(): Promise<{ call: () => Promise<unknown>; close: () => Promise<void> }> {
  const session = await openSession({
    tools: [lookUp],
    limits: { callsPerMinute: ENOUGH, callBurst: ENOUGH },
    log: { error: () => {} },
  });
  const agent = session.as({ id: "bench", role: "reader" });
  return { call: () => agent.call("look_up", { nodeId: "n1", depth: 2 }), close: () => session.close() };
}

async function millisecondsEach(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) await work();
  return (performance.now() - start) / CALLS;
}

/** The difference in turns, so that a busy moment hits both. */
async function aboveBare(call: () => Promise<unknown>): Promise<number> {
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const function_ = await millisecondsEach(() => bare({ nodeId: "n1", depth: 2 }));
    differences.push((await millisecondsEach(call)) - function_);
  }
  return differences.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
}

export default defineBench({
  name: "gateway",
  title: "the call path around a read",
  goals: ["gateway-read"],
  cases: [
    defineCase({
      name: "read",
      setup: () => ({}),
      repeat: "auto",
      ours: {
        name: "call",
        start: async () => {
          const { call, close } = await callOnce();
          return {
            run: call,
            values: async () => ({ "above the bare function": await aboveBare(call) }),
            stop: close,
          };
        },
      },
      peers: [{ name: "the bare function", start: () => ({ run: () => bare({ nodeId: "n1", depth: 2 }) }) }],
    }),
  ],
});
