// Owns: driving a session by plain messages, so that the same steps run in this process and in another.

import { HoldfastError } from "../../src/errors.ts";
import type { Store } from "../../src/store/index.ts";
import { openSession, type Session } from "../../src/tools/index.ts";
import { contents } from "./host-session.ts";
import { deleteOne, moveOne, spliceFile } from "./splice-tool.ts";

export type Command =
  | { readonly do: "call"; readonly agent: string; readonly tool: string; readonly input: object }
  | { readonly do: "undo"; readonly request: Parameters<Session["undo"]>[0] }
  | { readonly do: "restore"; readonly to: number; readonly path?: string }
  | { readonly do: "snapshot"; readonly label: string }
  | { readonly do: "contents" }
  | { readonly do: "blame"; readonly path: string }
  | { readonly do: "newest" }
  | { readonly do: "verify" }
  | { readonly do: "changed"; readonly from: number; readonly to: number };

/** What became of a command: where the session stands as this handle knows it, and its answer or the reason against it. */
export interface Answer {
  readonly seq: number;
  readonly value?: unknown;
  readonly reason?: string;
  /** The records that a refused undo says can be undone together. */
  readonly together?: readonly number[];
}

export interface Driver {
  run(command: Command): Promise<Answer>;
  /** Ends it without a word, as a crash would. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const LIMITS = {
  callBurst: 1_000_000,
  callsPerMinute: 1_000_000,
  checkpointBytes: 16 * 1024,
  packedBytes: 2_048,
  contentExtents: 6,
};

export async function drive(
  store: Store,
  id: string,
  troubles: unknown[],
): Promise<Driver & { session: Session }> {
  const session = await openSession({
    store,
    id,
    tools: [spliceFile, deleteOne, moveOne],
    toolsets: ["all"],
    limits: LIMITS,
    log: { error: (message, detail) => troubles.push([message, detail]) },
  });
  return {
    session,
    async run(command) {
      try {
        return { value: await carryOut(session, command), seq: session.at.seq };
      } catch (error) {
        if (!HoldfastError.is(error)) throw error;
        const { together } = (error.data as { together?: readonly number[] } | undefined) ?? {};
        return { reason: error.reason, seq: session.at.seq, ...(together === undefined ? {} : { together }) };
      }
    },
    crash: async () => {},
    close: () => session.close(),
  };
}

async function carryOut(session: Session, command: Command): Promise<unknown> {
  switch (command.do) {
    case "call": {
      const result = await session
        .as({ id: command.agent, role: "editor" })
        .call(command.tool, command.input);
      if (result.ok) return { value: result.value, token: result.token };
      throw new HoldfastError(
        result.error.code,
        result.error.reason as Lowercase<string>,
        result.error.message as never,
      );
    }
    case "undo":
      return (await session.undo(command.request)).undone;
    case "restore": {
      const { to, path } = command;
      const { seq } = (await session.restore(path === undefined ? { to } : { to, path })).at;
      const [record] = await session.log({ after: seq - 1, upTo: seq, limit: 1 });
      return { seq, keys: record?.keys ?? [] };
    }
    case "snapshot":
      return (await session.snapshot(command.label)).seq;
    case "contents": {
      // A read may be a moment behind another process; asking for the newest place is not.
      const [newest] = await session.log({ newestFirst: true, limit: 1 });
      if (newest !== undefined) await session.diff({ from: newest.seq, to: newest.seq });
      return contents(session);
    }
    case "blame": {
      const { runs } = await session.blame({ path: command.path });
      return runs.flatMap(({ first, last, by }) => Array<number>(last - first + 1).fill(by?.record ?? 0));
    }
    case "newest":
      return (await session.log({ newestFirst: true, limit: 1 }))[0]?.seq;
    case "verify":
      return (await session.verify({ states: true, blobs: true })).ok;
    case "changed": {
      const { files } = await session.diff({ from: command.from, to: command.to });
      return files.map(({ path, change }) => `${change} ${path.slice("/workspace/".length)}`);
    }
  }
}
