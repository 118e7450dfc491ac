// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { serveMcpStdio } from "../mcp/index.ts";
import type { Agent } from "../tools/index.ts";
import { translatingAgent } from "./absolute-paths.ts";
import { lineLog } from "./failure.ts";
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
  readonly close: () => Promise<void>;
}

async function openNow(flags: SessionFlags): Promise<Serving> {
  const { session, agent, isFresh, close } = await openFor(flags, { log: lineLog });
  if (isFresh) note(`holdfast: session ${session.id}`);
  return { agent, close };
}

/**
 * The session of folders is opened by the first call: clients start a server only to ask what it is, and that must leave no trace.
 * Until then the tools are those of an empty session with the same options.
 */
async function openWhenCalled(
  flags: SessionFlags & { readonly folder: readonly string[] },
): Promise<Serving> {
  const folders = realFolders(flags.folder);
  const { folder: _, ...rest } = flags;
  const catalogue = await openFor({ ...withoutPlace(rest) }, { log: lineLog });
  let opened: Promise<Serving> | undefined;
  const open = (): Promise<Serving> => (opened ??= openNow(flags));
  const call: Agent["call"] = async (tool, input, options) => {
    const { agent } = await open();
    return translatingAgent(agent, folders).call(tool, input, options);
  };
  const { agent } = catalogue;
  return {
    agent: { session: agent.session, identity: agent.identity, tools: (how) => agent.tools(how), call },
    close: async () => {
      await catalogue.close();
      await (await opened)?.close();
    },
  };
}

/** The options without those that say where a session is kept. */
function withoutPlace({
  session: _,
  store: __,
  new: ___,
  create: ____,
  ...rest
}: SessionFlags): SessionFlags {
  return rest;
}
