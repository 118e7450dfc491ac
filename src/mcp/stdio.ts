// Owns: MCP on this process's standard input and output: when it ends, and that nothing under way is lost by that.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Agent, Log } from "../tools/index.ts";
import { LineTransport } from "./line-transport.ts";
import { say } from "../errors.ts";
import { checkMethods, type OptionKinds } from "../text/options.ts";
import { showName } from "../text/show.ts";
import { checkMcp, MCP_OPTIONS, serverOf, sourceWith, type McpOptions } from "./server.ts";
import type { McpSource } from "./source.ts";

/** How sessions are served over standard input and output. */
export interface McpStdioOptions extends McpOptions {
  /** Hears of messages that could not be read; one line each on stderr when left out. Standard output is the protocol's. */
  readonly log?: Log;
}

const STDIO_OPTIONS: OptionKinds<McpStdioOptions> = { ...MCP_OPTIONS, log: "methods" };

/** One connection over standard input and output. */
export interface McpConnection {
  /** Ends the connection at once. */
  close(): Promise<void>;
  /** Resolves when the connection has ended: `ok` is false when a message could not be read. */
  readonly ended: Promise<{ readonly ok: boolean }>;
}

const STDERR: Log = { error: (message) => process.stderr.write(`holdfast: ${message}\n`) };

/** A call whose name or arguments the protocol would refuse in words of its own: the call path reads what was sent. */
function readable<M extends { readonly params?: unknown }>(message: M): M {
  const params = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
  const { name, arguments: sent } = params;
  const isObject = typeof sent === "object" && sent !== null && !Array.isArray(sent);
  const named = { name: typeof name === "string" ? name : "", arguments: isObject ? sent : {} };
  return { ...message, params: { ...params, ...named } };
}

/**
 * Serves on this process's standard input and output. When input ends, requests that are under way get their results first. A line that
 * is no message is refused and logged; a message above 10 MB also ends the connection.
 *
 * Throws `HoldfastError` with `invalid_argument` for what is no agent, session or log, and for options that do not exist or are of
 * another kind.
 *
 * @example
 * const { ended } = serveMcpStdio(session.as({ id: "assistant", role: "editor" }));
 * await ended;
 */
export function serveMcpStdio(agent: Agent, options: McpStdioOptions = {}): McpConnection {
  checkMcp(say`serveMcpStdio`, agent, options, STDIO_OPTIONS);
  checkMethods(say`serveMcpStdio: log`, options.log, ["error"]);
  const { log = STDERR, ...how } = options;
  return serveSourceStdio(sourceWith(agent, how), log);
}

/**
 * The same for a host that opens its session only when the client needs it. A session that cannot be opened is the error of the call that
 * needed it; the source is not checked.
 *
 * @example
 * const { ended } = serveSourceStdio({
 *   tools,
 *   agent: async (client) => (await openOnce()).as({ id: agentIdOf(client), role: "editor" }),
 *   session: openOnce,
 * });
 * await ended;
 */
export function serveSourceStdio(source: McpSource, log: Log = STDERR): McpConnection {
  const transport = new LineTransport(process.stdin, process.stdout);
  /** Requests that have no response yet, with the arguments as they were sent. */
  const open = new Map<string | number, unknown>();
  const lasting = new AbortController();
  let ok = true;
  const handle = serveStdio(() => serverOf(source, { raw: open, lasting: lasting.signal }), {
    transport,
    onerror(cause) {
      ok = false;
      const why = cause instanceof Error ? `: ${showName(cause.message, 200)}` : "";
      log.error(`a message of the client could not be read${why}`, { cause });
    },
  });

  /** Questions to the client that have no answer yet: each belongs to a request, which cannot end before. */
  const asked = new Set<string | number>();
  let hasEnded = false;
  const endWhenDone = (): void => {
    if (hasEnded && open.size <= asked.size) void transport.close();
  };

  const deliver = transport.onmessage?.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has one handler of each kind, and no events
  transport.onmessage = (message) => {
    // A subscription is a request without a result: it keeps no connection open.
    if ("method" in message && "id" in message && message.method !== "subscriptions/listen") {
      open.set(message.id, (message.params as { arguments?: unknown } | undefined)?.arguments);
      deliver?.(message.method === "tools/call" ? readable(message) : message);
      return;
    }
    if (!("method" in message) && message.id !== undefined) asked.delete(message.id);
    if ("method" in message && message.method === "notifications/cancelled")
      open.delete((message.params as { requestId?: string | number } | undefined)?.requestId ?? "");
    deliver?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    if ("method" in message && "id" in message) asked.add(message.id);
    await send(message);
    if (!("method" in message) && message.id !== undefined) open.delete(message.id);
    endWhenDone();
  };

  const closed = transport.onclose?.bind(transport);
  const ended = new Promise<{ readonly ok: boolean }>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the same
    transport.onclose = () => {
      lasting.abort();
      closed?.();
      resolve({ ok });
    };
  });
  process.stdin.once("end", () => {
    // A last message without its line break is served too.
    transport.flush();
    hasEnded = true;
    setImmediate(endWhenDone);
  });
  return { close: () => handle.close(), ended };
}
