// A session for tests: a clock that only moves when told, a log that remembers, and small tools that do one thing.

import { z } from "zod";
import {
  openSession,
  type CallResult,
  type Clock,
  type Session,
  type SessionOptions,
} from "../../src/tools/index.ts";
import type { Log } from "../../src/tools/index.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";

export class TestClock implements Clock {
  ms = 0;
  /** Beside what it is told: so much goes by with every look at it, that no rate is exceeded by accident. */
  tick = 0;
  #looks = 0;

  now(): Date {
    return new Date(1_700_000_000_000 + this.ms);
  }

  monotonic(): number {
    return this.ms + this.tick * this.#looks++;
  }
}

export class TestLog implements Log {
  readonly entries: { message: string; detail: Readonly<Record<string, unknown>> }[] = [];

  error(message: string, detail: Readonly<Record<string, unknown>>): void {
    this.entries.push({ message, detail });
  }
}

/** Answers its input: shows exactly what a tool gets to see. */
export const echoTool: Tool = defineTool({
  name: "echo",
  toolset: "test",
  access: "read",
  title: "Echo",
  description: "Answers its input.",
  input: z.object({
    text: z.string().optional(),
    count: z.int().min(1).max(5).optional(),
    maybe: z.string().nullable().optional(),
    list: z.array(z.strictObject({ op: z.enum(["eq", "lt"]), value: z.string().optional() })).optional(),
    choice: z.union([z.string(), z.strictObject({ deep: z.boolean().optional() })]).optional(),
    budget: z.int().optional(),
  }),
  output: z.unknown(),
  targets: () => [],
  run: async (_ctx, input) => input,
  text: (output) => JSON.stringify(output),
});

/** Throws what a bug or a broken disk would throw. */
export const brokenTool: Tool = defineTool({
  name: "broken",
  toolset: "test",
  access: "write",
  title: "Broken",
  description: "Fails.",
  input: z.object({}),
  output: z.unknown(),
  targets: () => [],
  run: async () => {
    throw new Error("ENOENT: no such file, open '/home/somebody/.secrets/key'");
  },
  text: () => "never",
});

export interface Bench {
  readonly session: Session;
  readonly clock: TestClock;
  readonly log: TestLog;
}

export async function bench(options: SessionOptions = {}): Promise<Bench> {
  const clock = new TestClock();
  const log = new TestLog();
  const { tools = [], limits, ...rest } = options;
  if (limits === undefined) clock.tick = 200;
  const session = await openSession({
    clock,
    log,
    tools: [echoTool, brokenTool, ...tools],
    toolsets: ["all"],
    ...(limits === undefined ? {} : { limits: { callBurst: 10_000, ...limits } }),
    ...rest,
  });
  return { session, clock, log };
}

/** What an error carries for code; fails when there is none. */
export function dataOf(result: CallResult): Record<string, unknown> {
  if (result.ok) throw new Error(`expected an error, got: ${result.text}`);
  return result.error.data as unknown as Record<string, unknown>;
}

export const EDITOR = { id: "editor", role: "editor" } as const;
export const OTHER = { id: "other", role: "editor" } as const;
export const READER = { id: "reader", role: "reader" } as const;
