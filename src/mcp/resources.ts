// Owns: workspace files as resources: their addresses, lists, contents and subscriptions.
// Must never: show what a call of the agent's own would refuse. Every request is such a call first.

import { isUtf8 } from "node:buffer";
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { HoldfastError } from "../errors.ts";
import type { Agent, CallResult, Session } from "../tools/index.ts";
import { clientOf } from "./client.ts";
import type { McpSource } from "./source.ts";

const SCHEME = "holdfast://";
/** The most bytes that are sent as one resource. Larger files are for the tools, which read parts. */
const MOST_BYTES = 1_048_576;
const TRIES = 3;
const ID_CHARS = 100;

/** Tools that the requests are made with: who may not use them has no resources. */
const NEEDED = ["find_files", "stat_file", "read_file"];

const MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["html", "text/html"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["txt", "text/plain"],
  ["webp", "image/webp"],
  ["xml", "application/xml"],
]);

export function hasResources(source: McpSource): boolean {
  const names = new Set(source.tools.map(({ name }) => name));
  return source.session !== undefined && NEEDED.every((name) => names.has(name));
}

/** `/workspace/a b.txt` is `holdfast:///workspace/a%20b.txt`. */
export function uriOf(path: string): string {
  return SCHEME + path.split("/").map(encodeURIComponent).join("/");
}

/** The path that an address names; undefined for an address of something else. */
export function pathOf(uri: string): string | undefined {
  if (!uri.startsWith(`${SCHEME}/workspace/`)) return undefined;
  try {
    return decodeURIComponent(uri.slice(SCHEME.length));
  } catch {
    return undefined;
  }
}

/** What an agent may read, as a caller of its own: what a model has to be told with its next result is not spent on a resource. */
interface ResourceReader {
  readonly session: Session;
  readonly agent: Agent;
}

interface Serving {
  /** Addresses that a client of the 2025 handshake wants to hear of. */
  readonly subscribed: Set<string>;
  readonly isOpen: () => boolean;
}

/** Handles the requests about resources. Before the session is open its list is empty: asking what there is opens nothing. */
export function serveResources(server: Server, source: McpSource, { subscribed, isOpen }: Serving): void {
  const readerFor = async (ctx: ServerContext): Promise<ResourceReader> => {
    try {
      const { identity } = await source.agent(clientOf(server, ctx));
      const session = (await source.session?.()) as Session;
      const id = `${identity.id.slice(0, ID_CHARS)}/resources`;
      return { session, agent: session.as({ id, role: "reader", toolsets: NEEDED }) };
    } catch (error) {
      throw HoldfastError.is(error) ? refused(error.message) : error;
    }
  };

  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    if (!isOpen()) return { resources: [] };
    const { agent } = await readerFor(ctx);
    const cursor = params?.cursor === undefined ? {} : { cursor: params.cursor };
    const { files, cursor: next } = valueOf(
      await agent.call("find_files", { glob: "**", ...cursor }, how(ctx)),
    );
    return {
      resources: files.map(({ path, size_bytes: size, version, token }) => ({
        uri: uriOf(path),
        name: path.slice(path.lastIndexOf("/") + 1),
        title: path,
        size,
        ...mimeTypeOf(path),
        _meta: { "holdfast/version": version, "holdfast/token": token },
      })),
      ...(next === undefined ? {} : { nextCursor: next }),
    };
  });

  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      { uriTemplate: `${SCHEME}/workspace/{+path}`, name: "file", description: "A file of the workspace" },
    ],
  }));

  server.setRequestHandler("resources/read", async ({ params: { uri } }, ctx) => {
    const path = known(uri);
    return readResource(uri, path, await readerFor(ctx), how(ctx));
  });

  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, ctx) => {
    const path = known(uri);
    const { agent } = await readerFor(ctx);
    valueOf(await agent.call("stat_file", { path }, how(ctx)));
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

async function readResource(
  uri: string,
  path: string,
  { session, agent }: ResourceReader,
  options: { readonly signal: AbortSignal },
): Promise<ReadResourceResult> {
  for (let tries = 1; ; tries++) {
    const {
      kind,
      size_bytes: size,
      version,
      token,
    } = valueOf(await agent.call("stat_file", { path }, options));
    if (kind === "directory") throw refused(`${path} is a directory. Its files are resources.`);
    if (size > MOST_BYTES)
      throw refused(
        `${path} has ${size} bytes; a resource has at most ${MOST_BYTES}. Read parts of it with the tool read_file.`,
      );
    const bytes = await session.workspace.read(path);
    // Another call may have changed it in between: then the token would belong to other bytes.
    if (session.workspace.stat(path)?.token !== token && tries < TRIES) continue;
    const meta = { "holdfast/version": version, "holdfast/token": token };
    return { contents: [{ uri, ...mimeTypeOf(path), ...bodyOf(bytes), _meta: meta }] };
  }
}

function bodyOf(bytes: Uint8Array): { readonly text: string } | { readonly blob: string } {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return isUtf8(body) ? { text: body.toString("utf8") } : { blob: body.toString("base64") };
}

function how({ mcpReq }: ServerContext): { readonly signal: AbortSignal } {
  return { signal: mcpReq.signal };
}

function known(uri: string): string {
  const path = pathOf(uri);
  if (path !== undefined) return path;
  throw refused(
    `There is no such resource. Files are at ${SCHEME}/workspace/..., with every name percent-encoded.`,
  );
}

/** The value of a call; what it was refused for is the protocol's error. */
function valueOf<V>(result: CallResult<V>): V {
  if (result.ok) return result.value;
  const { message, ...error } = result.error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { "holdfast/error": error });
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function mimeTypeOf(path: string): { readonly mimeType?: string } {
  const mimeType = MIME_TYPES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  return mimeType === undefined ? {} : { mimeType };
}
