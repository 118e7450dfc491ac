// Owns: the session that `holdfast mcp` serves: opened when a client needs it, each client as an agent of its own name.
// Must never: load or touch what a session needs before that. Clients start a server only to ask what it is.

import { echo, say, type Shown } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import {
  agentIdOf,
  HoldfastError,
  type McpClient,
  type McpSource,
  type McpTool,
  type OpenReport,
} from "../mcp/index.ts";
import { plural } from "../text/plural.ts";
import { renderPrompt } from "../tools/prompt.ts";
import type { Agent, Session } from "../tools/index.ts";
import { translatingAgent } from "./absolute-paths.ts";
import { lineLog, openingError } from "./failure.ts";
import { writtenTools } from "./mcp-catalogue.ts";
import { note } from "./output.ts";
import type { SessionFlags } from "./session-options.ts";
import { UsageError } from "./usage-error.ts";

export interface Served {
  readonly flags: SessionFlags & { readonly toolsets: string };
  /** As the system knows them. */
  readonly folders: readonly string[];
  readonly isStored: boolean;
}

interface Opened {
  readonly session: Session;
  readonly folders: readonly string[];
  /** For the model, with its first result. */
  readonly warnings: readonly string[];
  readonly close: () => Promise<void>;
}

export class SessionSource implements McpSource {
  tools: readonly McpTool[];
  readonly instructions: string;
  readonly opened: Promise<Session>;
  landCommand: McpSource["landCommand"];
  noLanding: McpSource["noLanding"];
  readonly #served: Served;
  #opening: Promise<Opened> | undefined;
  #announce: (session: Session) => void = () => {};
  #isWarned = false;

  constructor(tools: readonly McpTool[], served: Served) {
    const { flags, isStored } = served;
    this.#served = served;
    const isReadOnly = flags.readOnly === true;
    this.tools = isReadOnly ? tools.filter(({ annotations }) => annotations.readOnlyHint) : tools;
    this.instructions = renderPrompt({
      tools: this.tools.map(({ name, annotations: { readOnlyHint } }) => ({
        name,
        access: readOnlyHint ? "read" : "write",
      })),
      files: undefined,
      isStored,
      isReadOnly,
      isLive: flags.live === true,
      writeSize: LIMITS.writeSize.default,
    });
    this.opened = new Promise((resolve) => (this.#announce = resolve));
  }

  async agent(client: McpClient, report?: OpenReport): Promise<Agent> {
    const { session, folders, warnings } = await this.#open(report);
    const { flags } = this.#served;
    const agent = translatingAgent(
      session.as({ id: flags.as ?? agentIdOf(client), role: flags.role }),
      folders,
    );
    const call: Agent["call"] = async (...sent: Parameters<Agent["call"]>) => {
      const result = await agent.call(...sent);
      if (this.#isWarned || warnings.length === 0) return result as never;
      this.#isWarned = true;
      return { ...result, text: [result.text, ...warnings].join("\n") } as never;
    };
    return { session: agent.session, identity: agent.identity, call, tools: (how) => agent.tools(how) };
  }

  async session(): Promise<Session> {
    return (await this.#open()).session;
  }

  /** Opens it now, for options that name a session which must be there. Throws what is wrong with them. */
  async openNow(): Promise<void> {
    this.#opening = this.#openOnce();
    await this.#opening;
  }

  async close(): Promise<void> {
    // One that could not be opened has been reported to the call that asked for it.
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  async #open(report?: OpenReport): Promise<Opened> {
    try {
      return await (this.#opening ??= this.#openOnce(report));
    } catch (error) {
      this.#opening = undefined;
      throw openingError(error);
    }
  }

  async #openOnce(report?: OpenReport): Promise<Opened> {
    const { openFor, conflictWarning } = await import("./session-options.ts");
    const { storedCommand } = await import("./stored-command.ts");
    const { flags, folders } = this.#served;
    const {
      session,
      folders: mounted,
      conflicts,
      warning,
      isFresh,
      close,
    } = await openFor(
      { ...flags, folder: folders },
      { log: lineLog, ...(report === undefined ? {} : { onMount: report.onMount }) },
      report?.compare,
    );
    if (isFresh) note(`holdfast: session ${session.id}`);
    if (warning !== undefined) note(warning);
    const isStaged = folders.length > 0 && flags.live !== true;
    if (isStaged)
      this.landCommand = (paths) => storedCommand("land", session.id, { store: flags.store, paths });
    if (folders.length === 0) this.noLanding = this.#noFolder(session.id);
    const warnings = [
      ...(isStaged && !isFresh ? [await this.#notLanded(session, report)] : []),
      conflictWarning(
        conflicts.filter((path) => session.agentsMayRead(path)),
        flags,
      ),
    ].filter((text) => text !== undefined);
    this.#addGateTools(session);
    this.#announce(session);
    return { session, folders: mounted, warnings, close };
  }

  /** A session may have gates that this server was not started with: who is to answer them needs the tools. */
  #addGateTools(session: Session): void {
    const { as = "mcp", role } = this.#served.flags;
    const listed = new Set(this.tools.map(({ name }) => name));
    const gates = session
      .as({ id: as, role })
      .tools()
      .filter(({ name, toolset }) => toolset === "gates" && !listed.has(name));
    if (gates.length > 0) this.tools = [...this.tools, ...gates];
  }

  #noFolder(id: string): Shown {
    if (!this.#served.isStored)
      return say`There is no folder to land on: the files are in memory and gone when the client leaves. Show the user what matters; a server that is started with a folder (holdfast mcp FOLDER) can land.`;
    const store =
      this.#served.flags.store === undefined ? say`` : say`, and --store as the server was given it`;
    return say`This session has no folder to land on. A person writes its files into a new one with: holdfast session export --session ${echo(id)} NEW-FOLDER${store}`;
  }

  /** What earlier work changed in the session and nobody has landed; undefined when there is none. */
  async #notLanded(session: Session, report?: OpenReport): Promise<string | undefined> {
    const { firstOf } = await import("./session-options.ts");
    const canAsk = this.tools.some(({ name }) => name === "request_landing");
    try {
      const { files } = await session.plan(report === undefined ? {} : { onProgress: report.compare() });
      const paths = files.map(({ path }) => path).filter((path) => session.agentsMayRead(path));
      if (paths.length === 0) return undefined;
      const changed = `[Note] Earlier work in this session changed ${plural(paths.length, "file")} that the user's folder does not have yet: ${firstOf(paths)}.`;
      return `${changed} ${canAsk ? "request_landing asks for it." : `A person lands it with: ${this.landCommand?.([]) ?? ""}`}`;
    } catch (error) {
      // Another process may be landing it just now.
      if (HoldfastError.is(error)) return undefined;
      throw error;
    }
  }
}

/** The tools that the options mean. */
export async function toolsFor(flags: Served["flags"]): Promise<readonly McpTool[]> {
  const { gates, rules, toolsets, role } = flags;
  if (gates !== undefined || rules !== undefined) {
    // What is wrong in these files is found by opening a session with them: an empty one, which leaves no trace.
    const { openFor } = await import("./session-options.ts");
    const { as = "mcp", readOnly = false } = flags;
    const empty = { as, role, readOnly, toolsets };
    const { agent, close } = await openFor({
      ...empty,
      ...(gates === undefined ? {} : { gates }),
      ...(rules === undefined ? {} : { rules }),
    });
    await close();
    return agent.tools();
  }
  try {
    const tools = writtenTools(toolsets.split(",").map((name) => name.trim()));
    return role === "reader" ? tools.filter(({ annotations }) => annotations.readOnlyHint) : tools;
  } catch (error) {
    if (HoldfastError.is(error)) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
