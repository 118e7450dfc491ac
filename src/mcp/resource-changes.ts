// Owns: telling a client of changes of the workspace's files, by whichever agent or process they were made.

import type { Server } from "@modelcontextprotocol/server";
import type { Session } from "../tools/index.ts";
import { uriOf } from "./resources.ts";

export interface Listening {
  /** Whether the client wants to hear of a change of this resource. */
  readonly wants: (uri: string) => boolean;
  readonly signal: AbortSignal;
}

/** Files of one record that are told one by one. Beyond, only the list is said to be another. */
const TOLD = 1_000;

/** Runs until the signal ends it. A record that adds or removes names makes the list another one. */
export async function tellChanges(
  server: Server,
  session: Session,
  { wants, signal }: Listening,
): Promise<void> {
  // Before it was open its list was empty.
  if (session.files().length > 0) await server.sendResourceListChanged();
  // What a session is made of is loaded by now, and not before.
  const { pathNamedBy } = await import("../session/files/workspace.ts");
  for await (const { keys } of session.watch({ signal })) {
    if (keys.some((key) => key.startsWith("dir:"))) await server.sendResourceListChanged();
    const files = keys.filter((key) => key.startsWith("file:"));
    const paths = files.map(pathNamedBy).filter((path) => path !== undefined);
    for (const path of paths.slice(0, TOLD)) {
      const uri = uriOf(path);
      if (wants(uri) && session.agentsMayRead(path)) await server.sendResourceUpdated({ uri });
    }
  }
}
