// Owns: the text of docs/tools.md: each tool with its arguments, and an example call with its result, from one run.
// The clock stands still, and the digits of tokens, which no run repeats, are written as zeros.

import { openSession, type Clock, type Session, type ToolDefinition } from "../src/tools/index.ts";
import { EXAMPLES, FILES, type Example } from "./_tool-examples.ts";

const CLOCK: Clock = { now: () => new Date("2026-01-02T03:04:05.000Z"), monotonic: nextSecond };
let seconds = 0;

/** So much time goes by between calls that no rate is exceeded. */
function nextSecond(): number {
  return ++seconds * 1_000;
}

const GATES = {
  plan: {
    gate_order: ["goal"],
    gates: { goal: { question: "What is it for?", required: true } },
  },
};

/** The whole reference. Throws when a tool has no example, or an example does not do what it says. */
export async function toolReference(): Promise<string> {
  await using session = await openSession({
    id: "reference",
    clock: CLOCK,
    files: FILES,
    gates: GATES,
    toolsets: ["all"],
  });
  const shown = await runExamples(session);
  const tools = session.as({ id: "ann", role: "editor" }).tools();
  const missing = tools.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
  if (missing.length > 0)
    throw new Error(`scripts/_tool-examples.ts has no example of ${missing.join(", ")}`);
  const sets = [...new Set(tools.map(({ toolset }) => toolset))];
  const sections = sets.flatMap((set) => [
    `## ${set}\n`,
    ...tools
      .filter(({ toolset }) => toolset === set)
      .map((tool) => section(tool, shown.get(tool.name) ?? [])),
  ]);
  return `${HEAD}\n${sections.join("\n")}`;
}

const HEAD = `# The tools

What agents can call, toolset by toolset, with an example of each: the input, and the text that a model reads. Written by
\`npm run tools-doc:update\` from one run in a session; the digits of tokens are zeros here. A session has the toolsets
\`files\` and \`json\` unless it names others (\`toolsets\`).

Every tool that writes also takes \`expectedVersion\` (the token of what was read: the call is a conflict when others changed it since),
\`idempotencyKey\` (a repeated call is applied once) and \`dryRun\` (shows the result, changes nothing).
`;

async function runExamples(session: Session): Promise<Map<string, string[]>> {
  const shown = new Map<string, string[]>();
  const tokens = new Map<string, string>();
  let tree = "";
  for (const example of EXAMPLES) {
    const { tool, as: id = "ann", name, isPinned = false, isRefused = false } = example;
    const own = typeof example.input === "function" ? example.input({ tokens, tree }) : example.input;
    const input = isPinned ? { ...own, expectedVersion: tree } : own;
    const { ok, text, token = "" } = await session.as({ id, role: "editor" }).call<unknown>(tool, input);
    if (ok === isRefused) throw new Error(`${tool} ${JSON.stringify(input)}: ${text}`);
    if (name !== undefined) tokens.set(name, token);
    if (TREE_TOKEN.test(token)) tree = token;
    if (example.isHidden !== true)
      shown.set(tool, [...(shown.get(tool) ?? []), blockOf(example, input, text)]);
  }
  return shown;
}

const TREE_TOKEN = /\.\d+$/;

function blockOf({ as }: Example, input: object, text: string): string {
  const by = as === undefined ? "" : `By another agent, \`${as}\`:\n\n`;
  return `${by}\`\`\`json\n${plain(JSON.stringify(input))}\n\`\`\`\n\n\`\`\`\`text\n${plain(text).trimEnd()}\n\`\`\`\`\n`;
}

/** The digits of tokens differ from run to run. */
function plain(text: string): string {
  return text.replaceAll(/\b(\d+)-[0-9a-f]{8}\b/g, "$1-00000000");
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function section(
  { name, description, inputSchema, annotations }: ToolDefinition,
  examples: readonly string[],
): string {
  const schema = inputSchema as Schema;
  const kind = annotations.readOnlyHint ? "Reads." : "Writes.";
  const list = Object.entries(schema.properties ?? {}).map(([field, about]) =>
    argumentLine(field, about, schema.required?.includes(field) ?? false),
  );
  const lines = list.length === 0 ? "" : `${list.join("\n")}\n\n`;
  return `### ${name}\n\n${description} ${kind}\n\n${lines}${examples.join("\n")}`;
}

function argumentLine(name: string, about: Schema, isRequired: boolean): string {
  const type =
    about.enum === undefined ? typeOf(about) : about.enum.map((one) => JSON.stringify(one)).join(" or ");
  const text = about.description === undefined ? "" : `: ${about.description}`;
  return `- \`${name}\` (${type}${isRequired ? ", required" : ""})${text}`;
}

function typeOf({ type, items }: Schema): string {
  if (type === undefined) return "any";
  if (type === "array") return items === undefined ? "list" : `list of ${typeOf(items)}`;
  return typeof type === "string" ? type : type.join(" or ");
}
