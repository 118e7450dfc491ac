// Owns: a session for tests of this room, with the shortest ways to write and to read.

import { memoryStore, type Store } from "../../src/store/index.ts";
import {
  openSession,
  type Agent,
  type Session,
  type SessionOptions,
  type ToolInput,
} from "../../src/tools/index.ts";

export interface Hosted {
  readonly session: Session;
  readonly store: Store;
  readonly troubles: unknown[];
  readonly as: (id: string) => Agent;
}

export async function hosted(options: SessionOptions = {}): Promise<Hosted> {
  const { limits, store = memoryStore(), ...rest } = options;
  const troubles: unknown[] = [];
  let ms = 0;
  const session = await openSession({
    store,
    // So much time goes by between calls that no rate is ever exceeded.
    clock: { now: () => new Date(1_700_000_000_000 + ++ms * 1000), monotonic: () => ms * 1000 },
    log: { error: (message, detail) => troubles.push([message, detail]) },
    toolsets: ["all"],
    ...(limits === undefined ? {} : { limits }),
    ...rest,
  });
  return { session, store, troubles, as: (id) => session.as({ id, role: "editor" }) };
}

type WriteMode = ToolInput<"write_file">["mode"];

/** Writes a file, whether it is there or not; throws what a caller would read. Answers the token. */
export async function put(agent: Agent, path: string, content: string, mode?: WriteMode): Promise<string> {
  for (const how of mode === undefined ? (["overwrite", "create"] as const) : [mode]) {
    const result = await agent.call("write_file", { path, content, mode: how });
    if (result.ok) return result.token ?? "";
    if (result.error.reason !== "no_such_file") throw new Error(result.text);
  }
  throw new Error("unreachable");
}

/** All text files, by their path below the root. */
export async function contents(session: Session): Promise<Record<string, string>> {
  const agent = session.as({ id: "eye", role: "reader" });
  const all: Record<string, string> = {};
  for (const { path } of session.files()) {
    const result = await agent.call<{ content: string }>("read_file", { path, budget: 4_000_000 });
    if (!result.ok) throw new Error(result.text);
    all[path.slice("/workspace/".length)] = result.value.content;
  }
  return all;
}
