// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { HoldfastError, serveSourceStdio } from "../mcp/index.ts";
import type { Role } from "../tools/identity.ts";
import { lineLog } from "./failure.ts";
import { realFolders } from "./folders.ts";
import { SessionSource, toolsFor } from "./mcp-source.ts";
import { note } from "./output.ts";
import type { SessionFlags } from "./session-options.ts";
import { UsageError } from "./usage-error.ts";

/** Every tool costs the agent context, so a client gets these unless it asks for more. */
const DEFAULT_TOOLSETS = "files,json,gates,undo_changes,request_landing";
/** In a live folder there is nothing to land. */
const LIVE_TOOLSETS = "files,json,gates,undo_changes";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export async function mcpCommand(named: readonly string[], given: SessionFlags): Promise<void> {
  const isLive = given.live === true;
  if (isLive && named.length === 0)
    throw new UsageError("--live works in a folder itself. Name the folder: holdfast mcp . --live");
  const flags = { ...given, toolsets: given.toolsets ?? (isLive ? LIVE_TOOLSETS : DEFAULT_TOOLSETS) };
  if (flags.as !== undefined) await checkAgent(flags.as, flags.role);
  if (flags.create === true && flags.session === undefined)
    throw new UsageError("--create goes with --session: it makes the session of that id.");
  const folders = realFolders(named);
  const isNamed = flags.session !== undefined || flags.new === true || flags.store !== undefined;
  const isStored = folders.length > 0 || isNamed;
  const source = new SessionSource(await toolsFor(flags), { flags, folders, isStored });
  if (folders.length > 0 && flags.session !== undefined)
    throw new UsageError("A folder has sessions of its own: name the folder or --session, not both.");
  if (folders.length === 0 && isNamed) await source.openNow();
  if (!isStored)
    note(
      "holdfast: files are in memory and gone at the end. Name a folder, or a stored session with --session.",
    );
  const connection = serveSourceStdio(source, lineLog);
  const end = (): void => void connection.close();
  for (const signal of SIGNALS) process.once(signal, end);
  process.stdout.once("error", end);
  const { ok } = await connection.ended;
  if (!ok) process.exitCode = 1;
  await source.close();
  for (const signal of SIGNALS) process.off(signal, end);
}

/** Throws for an id that no agent can have: every call would be refused. */
async function checkAgent(id: string, role: Role): Promise<void> {
  const { checkIdentity } = await import("../tools/identity.ts");
  try {
    checkIdentity({ id, role }, []);
  } catch (error) {
    if (HoldfastError.is(error)) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
