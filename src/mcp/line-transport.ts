// Owns: messages as lines: read from a stream, written to another. A line that is no message is refused as JSON-RPC asks.
// Must never: drop a line in silence, or stop reading because of one.

import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { Readable, Writable } from "node:stream";
import { LF } from "../text/lines.ts";

/** The protocol's bound of one message. */
const MOST_BYTES = 10 * 1024 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Ends when it is told to: what is under way when the input ends is the caller's business. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  /** The pieces of a line whose end has not come yet. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.on("error", this.#fail);
    this.#output.on("error", this.#lose);
  }

  /** Serves what has come of a last line without its end. */
  flush(): void {
    if (this.#begunBytes > 0) this.#line(Buffer.concat(this.#begun.splice(0)));
    this.#begunBytes = 0;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off("data", this.#read);
    this.#input.off("error", this.#fail);
    // A write that fails later has nobody to tell: the listener of the output stays.
    this.#input.pause();
    this.#begun = [];
    this.onclose?.();
  }

  readonly #fail = (error: Error): void => this.onerror?.(error);

  readonly #lose = (error: Error): void => {
    if (this.#isClosed) return;
    this.onerror?.(error);
    void this.close();
  };

  readonly #read = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0 && !this.#isClosed; at = chunk.indexOf(LF, from)) {
      const end = chunk.subarray(from, at);
      from = at + 1;
      this.#line(this.#begunBytes === 0 ? end : Buffer.concat([...this.#begun, end]));
      this.#begun = [];
      this.#begunBytes = 0;
    }
    if (this.#isClosed || from === chunk.length) return;
    this.#begun.push(chunk.subarray(from));
    this.#begunBytes += chunk.length - from;
    if (this.#begunBytes <= MOST_BYTES) return;
    this.onerror?.(new Error(`it exceeds the maximum size of ${MOST_BYTES} bytes`));
    void this.close();
  };

  #line(bytes: Buffer): void {
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(PARSE_ERROR, "Parse error: the line is no JSON", null);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, "Invalid Request: the line is no message of JSON-RPC 2.0", idOf(value));
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id: string | number | null): void {
    this.onerror?.(new Error(message));
    // The types of the protocol know no refusal of a message whose id cannot be read; JSON-RPC gives it the id null.
    this.#write({ jsonrpc: "2.0", id, error: { code, message } }).catch(() => {});
  }

  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The connection is closed."));
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
