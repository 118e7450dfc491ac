// A session with JSON files for the tests of the JSON tools.

import { expect } from "vitest";
import { z } from "zod";
import type { Agent, CallResult, Session, SessionOptions } from "../../src/tools/index.ts";
import { defineTool, fileTarget, type Tool } from "../../src/tools/tool.ts";
import { bench, EDITOR } from "./bench-session.ts";

/** The document of the specification's examples. */
export const APP = `{
  "features": {
    "rollout": {
      "enabled": true,
      "percent": 50,
      "regions": ["us-east-1", "eu-west-1"]
    },
    "darkMode": false,
    "analytics": {},
    "deprecatedFeature": 1
  },
  "version": "1.4.0",
  "env": "prod",
  "logging": null,
  "cache": []
}
`;

export const PATH = "/workspace/config/app.json";

export interface JsonBench {
  readonly session: Session;
  readonly agent: Agent;
  /** Calls a tool with anything. */
  readonly call: (tool: string, input: object) => Promise<CallResult>;
  /** Calls a tool that must succeed. */
  readonly done: (tool: string, input: object) => Promise<CallResult & { readonly ok: true }>;
  /** Calls a tool that must be refused; `code/reason`. */
  readonly refused: (tool: string, input: object) => Promise<string>;
  /** A file's text. */
  readonly text: (path?: string) => Promise<string>;
}

/** A session with these files, written by an editor. */
export async function jsonBench(
  files: Readonly<Record<string, string | Uint8Array>> = { [PATH]: APP },
  options: SessionOptions = {},
): Promise<JsonBench> {
  const { session } = await bench({ ...options, tools: [plantTool] });
  const agent = session.as(EDITOR);
  for (const [path, content] of Object.entries(files)) await plant(agent, path, content);
  return {
    session,
    agent,
    call: (tool, input) => agent.call(tool, input),
    async done(tool, input) {
      const result = await agent.call(tool, input);
      if (!result.ok) throw new Error(`${tool}: ${result.text}`);
      return result;
    },
    async refused(tool, input) {
      const before = session.at;
      const { error, text } = await agent.call(tool, input);
      expect(text).toMatch(/^\[Error\] /);
      expect(session.at).toEqual(before);
      return `${error?.code ?? ""}/${error?.reason ?? ""}`;
    },
    text: (path = PATH) => textOf(agent, path),
  };
}

/** What {@link plantTool} is to write next. */
let planted: Uint8Array = new Uint8Array(0);

/** Makes a file of any size, whatever a call may send. */
const plantTool: Tool = defineTool({
  name: "plant",
  toolset: "test",
  access: "write",
  title: "Plant",
  description: "Makes a file.",
  input: z.object({ path: z.string() }),
  output: z.object({}),
  resolve: ({ path }, ctx) => ctx.path(path, "file"),
  targets: (path) => [fileTarget(path)],
  async run({ files }, path) {
    await files.create(path, planted);
    return {};
  },
  text: () => "Planted",
});

async function plant(agent: Agent, path: string, content: string | Uint8Array): Promise<void> {
  planted = Buffer.from(content);
  const result = await agent.call("plant", { path });
  if (!result.ok) throw new Error(result.text);
}

/** A whole file as text, page by page. */
export async function textOf(agent: Agent, path: string): Promise<string> {
  const parts: Buffer[] = [];
  let cursor: string | undefined;
  do {
    const { value, text } = await agent.call<{
      content?: string;
      content_base64?: string;
      cursor?: string;
    }>("read_file", { path, ...(cursor === undefined ? {} : { cursor }) });
    if (value === undefined) throw new Error(text);
    parts.push(
      Buffer.from(
        value.content ?? value.content_base64 ?? "",
        value.content === undefined ? "base64" : "utf8",
      ),
    );
    cursor = value.cursor;
  } while (cursor !== undefined);
  return Buffer.concat(parts).toString();
}

/** The text without its first line, which is the token. */
export function afterToken(result: CallResult): string {
  const [first = "", ...rest] = result.text.split("\n");
  expect(first).toMatch(/^\[Token \d+-[0-9a-f]{8}\]$/);
  return rest.join("\n");
}
