// A client that sends messages as they are, for what no well-made client sends, and sees every message of the server.

import type { CallToolResult } from "@modelcontextprotocol/client";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { CLI } from "../cli/command.ts";

export interface RawMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

interface Asked {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
}

const CAPABILITIES = { elicitation: { form: {} } };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
};

export class RawClient {
  /** Everything that the server sent, in order. */
  readonly messages: RawMessage[] = [];
  /** What the user says to the next questions, as it is sent. Without one a question waits. */
  readonly answers: unknown[] = [];
  readonly #isPinned: boolean;
  readonly #child;
  readonly #waiting = new Map<number, (message: RawMessage) => void>();
  #sent = 0;

  static async start(
    era: "legacy" | "pinned",
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<RawClient> {
    const client = new RawClient(era === "pinned", flags, env);
    onTestFinished(() => client.close());
    if (era === "pinned") return client;
    const clientInfo = { name: "raw", version: "1" };
    await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: CAPABILITIES,
      clientInfo,
    }).response;
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  private constructor(isPinned: boolean, flags: readonly string[], env: Readonly<Record<string, string>>) {
    this.#isPinned = isPinned;
    this.#child = spawn(process.execPath, [...CLI, "mcp", ...flags], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    createInterface(this.#child.stdout).on("line", (line) => this.#take(JSON.parse(line) as RawMessage));
  }

  request(
    method: string,
    params: object,
    meta: object = {},
  ): { readonly id: number; readonly response: Promise<RawMessage> } {
    const id = ++this.#sent;
    const response = new Promise<RawMessage>((resolve) => this.#waiting.set(id, resolve));
    this.#send({
      id,
      method,
      params: { ...params, _meta: { ...(this.#isPinned ? ENVELOPE : {}), ...meta } },
    });
    return { id, response };
  }

  /** Calls a tool; where that leads to a question, the next of the answers is the user's. */
  readonly call = async (name: string, args: object = {}, meta: object = {}): Promise<CallToolResult> => {
    const params = { name, arguments: args };
    const { result } = await this.request("tools/call", params, meta).response;
    const { resultType, requestState, inputRequests = {} } = result as Asked;
    if (resultType !== "input_required") return result as CallToolResult;
    const [asked = ""] = Object.keys(inputRequests);
    const inputResponses = { [asked]: this.answers.shift() };
    return (await this.request("tools/call", { ...params, requestState, inputResponses }).response)
      .result as CallToolResult;
  };

  cancel(requestId: number): void {
    this.#send({ method: "notifications/cancelled", params: { requestId, reason: "test" } });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await ended;
  }

  #take(message: RawMessage): void {
    this.messages.push(message);
    const { id, method } = message;
    if (id === undefined) return;
    if (method === undefined) this.#waiting.get(id)?.(message);
    else if (this.answers.length > 0) this.#send({ id, result: this.answers.shift() });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
