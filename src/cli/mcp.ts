// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { serveMcpStdio } from "../mcp/index.ts";
import type { Agent, CallOptions, ToolInput, ToolName } from "../tools/index.ts";
import { translatingAgent } from "./absolute-paths.ts";
import { lineLog, openingRefused } from "./failure.ts";
import { note } from "./output.ts";
import { openFor, type SessionFlags } from "./session-options.ts";
import { realFolders } from "./store-place.ts";

/** Every tool costs the agent context, so a client gets these unless it asks for more. */
const DEFAULT_TOOLSETS = "files,json,undo_changes,request_landing";

const VANISHES =
  "The files of this session are in memory only and are gone when the connection ends: hand over what matters before that.";

export async function mcpCommand(folders: readonly string[], flags: SessionFlags): Promise<void> {
  const meant = { toolsets: DEFAULT_TOOLSETS, as: "mcp", ...flags, folder: folders };
  const { agent, close } = folders.length === 0 ? await openNow(meant) : await openWhenCalled(meant);
  const isKept = folders.length > 0 || flags.session !== undefined || flags.new === true;
  if (!isKept && flags.store === undefined)
    note(
      "holdfast: files are in memory and gone at the end. Name a folder, or a kept session with --session.",
    );
  const told = isKept || flags.store !== undefined ? {} : { instructions: VANISHES };
  const connection = serveMcpStdio(agent, { log: lineLog, ...told });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void connection.close());
  process.stdout.once("error", () => void connection.close());
  const { ok } = await connection.ended;
  if (!ok) process.exitCode = 1;
  await close();
}

interface Serving {
  readonly agent: Agent;
  /** What the first result tells the model. */
  readonly warning?: string;
  readonly close: () => Promise<void>;
}

async function openNow(flags: SessionFlags): Promise<Serving> {
  const { session, agent, isFresh, warning, close } = await openFor(flags, { log: lineLog });
  if (isFresh) note(`holdfast: session ${session.id}`);
  if (warning === undefined) return { agent, close };
  note(warning);
  return { agent, warning, close };
}

/**
 * The session of folders is opened by the first call: clients start a server only to ask what it is, and that must leave no trace.
 * Until then the tools are those of an empty session with the same options.
 */
async function openWhenCalled(
  flags: SessionFlags & { readonly folder: readonly string[] },
): Promise<Serving> {
  const folders = realFolders(flags.folder);
  const catalogue = await openFor(withoutPlace(flags), { log: lineLog });
  let opened: Promise<Serving> | undefined;
  let isWarned = false;
  const call: Agent["call"] = async <V = never, N extends ToolName | (string & {}) = string>(
    tool: N,
    input?: ToolInput<N>,
    options?: CallOptions,
  ) => {
    let serving: Serving;
    try {
      serving = await (opened ??= openNow(flags));
    } catch (error) {
      opened = undefined;
      return openingRefused(error);
    }
    const result = await translatingAgent(serving.agent, folders).call<V, N>(tool, input, options);
    if (serving.warning === undefined || isWarned) return result;
    isWarned = true;
    return { ...result, text: `${result.text}\n${serving.warning}` };
  };
  const { agent } = catalogue;
  return {
    agent: { session: agent.session, identity: agent.identity, tools: (how) => agent.tools(how), call },
    close: async () => {
      await catalogue.close();
      // One that could not be opened has been reported to the call that asked for it.
      const serving = await opened?.catch(() => undefined);
      await serving?.close();
    },
  };
}

/** The options without those that say where a session is kept. */
function withoutPlace({ as, role, readOnly, toolsets, gates, rules }: SessionFlags): SessionFlags {
  return {
    role,
    ...(as === undefined ? {} : { as }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(gates === undefined ? {} : { gates }),
    ...(rules === undefined ? {} : { rules }),
  };
}
