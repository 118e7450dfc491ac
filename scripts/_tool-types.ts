// Owns: the TypeScript types of the built-in tools, written from their schemas: one file for each toolset, and the map of all.
// Must never: know a tool. What is in a toolset's list is in the map.

import { z } from "zod";
import { gateTools } from "../src/tools/gates/gate-tools.ts";
import { inputSchema } from "../src/tools/input.ts";
import type { Tool } from "../src/tools/tool.ts";
import { TOOLS } from "../src/tools/toolsets.ts";

type Schema = Readonly<Record<string, unknown>>;
type Side = "input" | "output";

const HEAD = "// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.\n";
/** What fields mean wherever the schema itself does not say it. One name has one meaning. */
const FIELDS: Readonly<Record<string, string>> = {
  added: "What came",
  agent: "Who made the change",
  aId: "One branch",
  applies: "Whether the patch applies as it is",
  before: "Send this to get older ones",
  bId: "The other branch",
  binary: "How many files are no text and were not searched",
  bom: "Whether it begins with a byte order mark",
  bookmarks: "The bookmarks",
  budget: "Characters of the result",
  byProp: "The property to sort by",
  bytes_left: "Bytes after what is shown",
  changed: "What changed",
  changes: "How many changes were made, by kind of state",
  checked: "How many nodes were looked at",
  children: "How many children there are",
  conflict_count: "How many conflicts there are",
  conflicts: "Why it does not apply; bounded",
  content: "The text",
  content_base64: "The bytes as base64, where they are no text",
  count: "Items of the array after an append; keys that were merged",
  created: "What was made",
  created_at: "When it was created",
  cursor: "Send this to go on; absent at the end",
  cut: "Values that did not fit and are shown cut",
  deleted: "How many files were deleted",
  destination: "Where it is now",
  direction: "Ascending when left out",
  directories: "Names of the directories",
  dropped: "What went",
  duplicates: "How often the key occurred, when more than once",
  edits: "The edits, in order",
  encoding: "The text encoding; null for bytes",
  end: "complete; matches: there are more; steps or time: it was stopped early",
  endings: "Which line endings it has",
  exclude: "Globs of files to leave out",
  excluded: "Properties to hide",
  executable: "Whether it is marked as a program",
  expanded: "Whether to open or to close",
  failed: "How many were refused",
  files: "The files",
  filters: "What nodes must meet, all of it",
  final_newline: "Whether the last line has an ending",
  first_line: "The first line shown, from 1",
  format: "The form of the content",
  hits: "The lines that match",
  hunk: "The change as a unified diff; empty when nothing changed",
  id: "The id of the snapshot",
  ids: "The ids that nodes have now",
  ignore_case: "Whether letters match in either case",
  included: "Properties to show; all when empty",
  includeViewRoot: "Whether the node itself is shown",
  is_directory: "Whether it is a directory with all it holds",
  isExpanded: "Whether it is open now",
  json: "The value as JSON text, with markers where it was cut",
  json_path: "A JSONPath to a place in the file; in a result it is normalized",
  keys: "The keys, in the order of the document",
  kind: "object, array, string, number, boolean or null",
  label: "What it is called",
  last_line: "The last line shown",
  left: "What is left, in words",
  left_out: "Files that did not fit",
  line_numbers: "Numbers before the lines of the text",
  limit: "At most so many",
  lines: "One line for each edit",
  lines_left: "Lines after what is shown",
  matchBy: "By what nodes are taken for the same",
  matched: "How many nodes were found",
  matches: "Each place with its value",
  max_depth: "Levels below the root that are shown",
  mime_type: "What kind of image it is; absent for anything else",
  mode: "How it is done",
  more: "How many are not shown",
  moreFiles: "Files that changed and are not shown",
  moved: "What moved",
  name: "Its name",
  new: "The new value as JSON text, cut when it is long",
  newParentId: "The node to move it under",
  next_gate: "The first required gate that is open; null when none is",
  next_question: "What to ask for it",
  node: "The node as JSON",
  nodeId: "The node",
  nodeIds: "The nodes",
  nodes: "The nodes, or how many there are",
  notes: "What a reader must know of the page",
  notices: "What else there is to say",
  operations: "How many operations it has",
  outline: "The same as text, a line for each node",
  pageToken: "Send this to get the next page; absent on the last",
  parentId: "The node whose children it is about",
  parentNodeId: "The parent",
  partial: "Why the search ended before all was looked at",
  pass: "Whether everything that is required is there",
  patch: "The patch",
  path: "The path",
  paths: "The files and directories it is about; none means all",
  pattern: "The text or pattern to look for",
  payloadType: "The type of its payload",
  preview: "The document as JSON, with markers where it was cut",
  propertyName: "The property",
  queryDsl: "The selector",
  reason: "Why",
  record: "The number of the record",
  refused: "What could not be done, and why",
  remove: "Whether to take the tags away",
  removed: "What went",
  renamed: "Ids that were taken and were given anew",
  reordered: "Nodes whose children are in another order",
  replaced: "How many places were replaced",
  request: "The number of the request",
  restored: "How many nodes were opened or closed",
  root: "The node at the top",
  rootLookupStrategy: "How the node that the view belongs to is found",
  rootNodeId: "The node at the top",
  ruleset: "The ruleset",
  runs: "Whose lines they are, from top to bottom",
  scope: "What it is about",
  searched: "How many files were looked at",
  set: "The gate set",
  sets: "The gate sets",
  sha256: "The SHA-256 of its bytes",
  shared: "Other nodes that share the payload",
  shown: "How many are shown",
  siblingId: "The sibling",
  size_bytes: "How many bytes it has",
  skipped: "What was left as it is",
  snapshots: "The snapshots, newest first",
  sortDirection: "Ascending when left out",
  source: "Where it was",
  sourceId: "The branch to copy",
  strategy: "What happens to nodes that differ",
  summary: "What was done, in a line",
  tag: "The tag",
  tags: "The tags",
  targetParentId: "The node to put it under",
  token: "The version; send it as expectedVersion",
  total: "How many there are in all",
  tree: "The id of the tree",
  trees: "The trees",
  treeToken: "The version of the tree",
  unchanged: "How many were equal already",
  undone: "What was taken back",
  unknown: "Ids that no node has",
  unlisted: "How many ids are not listed",
  updated: "How many changed",
  updated_at: "When it last changed",
  value_bytes: "Bytes that the value takes in the file",
  version: "How often it has been written",
  view: "The branch as JSON",
  violations: "What breaks a rule; bounded",
  warnings: "What is odd but does no harm",
  whole_word: "Whether only whole words match",
  withdrawn: "The request that was taken back",
};

const HIDDEN = ["expectedVersion", "idempotencyKey", "dryRun"] as const;

/** The files of src/tools/types, by name. */
export function toolTypes(): ReadonlyMap<string, string> {
  const toolsets = new Map<string, Tool[]>();
  for (const tool of [...TOOLS, ...gateTools(new Map(), { error: () => {} })])
    toolsets.set(tool.toolset, [...(toolsets.get(tool.toolset) ?? []), tool]);
  const files = new Map<string, string>();
  const names = [...toolsets.keys()].toSorted();
  for (const name of names) files.set(fileOf(name), toolsetFile(name, toolsets.get(name) ?? []));
  files.set("index.gen.ts", indexFile(names));
  return files;
}

function fileOf(toolset: string): string {
  return `${toolset.replaceAll("_", "-")}.gen.ts`;
}

function indexFile(toolsets: readonly string[]): string {
  const lines = toolsets.flatMap((name) => [
    `import type { ${mapOf(name)} } from "./${fileOf(name)}";`,
    `export type * from "./${fileOf(name)}";`,
  ]);
  const maps = toolsets.map((name) => `    ${mapOf(name)}`).join(",\n");
  return `${HEAD}
${lines.join("\n")}

/** The built-in tools by name: what each takes and returns. What \`agent.call\` knows of them. */
export interface ToolTypes
  extends
${maps} {}
`;
}

function toolsetFile(toolset: string, tools: readonly Tool[]): string {
  const common = tools.some(({ access }) => access !== "read");
  const imports = common ? `\nimport type { CommonArguments } from "../call-types.ts";\n` : "";
  const entries = tools.map(
    ({ name }) =>
      `  /** {@link ${pascal(name)}Input} to {@link ${pascal(name)}Output}. */\n  readonly ${name}: { readonly input: ${pascal(name)}Input; readonly output: ${pascal(name)}Output };\n`,
  );
  return `${HEAD}${imports}
/** The tools of the toolset \`${toolset}\`. */
export interface ${mapOf(toolset)} {
${entries.join("")}}
${tools.map(interfacesOf).join("")}`;
}

function mapOf(toolset: string): string {
  return `${pascal(toolset)}Tools`;
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function interfacesOf(tool: Tool): string {
  const base = tool.access === "read" ? "" : "CommonArguments";
  return [
    declaration(
      `What \`${tool.name}\` takes. ${tool.description}`,
      `${pascal(tool.name)}Input`,
      base,
      typeOf(jsonSchema(inputSchema(tool, HIDDEN), "input"), "", "input"),
    ),
    declaration(
      `What \`${tool.name}\` returns as \`value\`.`,
      `${pascal(tool.name)}Output`,
      "",
      typeOf(jsonSchema(tool.output, "output"), "", "output"),
    ),
  ].join("");
}

function declaration(comment: string, name: string, base: string, type: string): string {
  const isObject = type.startsWith("{\n") && type.indexOf("\n}") === type.length - 2;
  if (isObject) {
    const parents = base === "" ? "" : ` extends ${base}`;
    return `\n${docOf(comment, "")}export interface ${name}${parents} ${type}\n`;
  }
  return `\n${docOf(comment, "")}export type ${name} = ${base === "" ? type : type === EMPTY ? base : `${wrapped(type)} & ${base}`};\n`;
}

function docOf(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll(/\s*\n\s*/g, " ")} */\n`;
}

function jsonSchema(schema: z.ZodType, io: Side): Schema {
  return z.toJSONSchema(schema, { target: "draft-2020-12", io }) as Schema;
}

const EMPTY = "Readonly<Record<string, never>>";

function typeOf(schema: Schema, indent: string, side: Side): string {
  const { type, enum: values, const: only, anyOf, oneOf, items } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf ?? oneOf)) return unionOf((anyOf ?? oneOf) as Schema[], indent, side);
  if (Array.isArray(type))
    return unionOf(
      type.map((one: unknown) => ({ ...schema, type: one })),
      indent,
      side,
    );
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly ${wrapped(typeOf((items ?? {}) as Schema, indent, side))}[]`;
    case "object":
      return objectOf(schema, indent, side);
    default:
      return "unknown";
  }
}

function unionOf(schemas: readonly Schema[], indent: string, side: Side): string {
  return [...new Set(schemas.map((one) => typeOf(one, indent, side)))].join(" | ");
}

function wrapped(type: string): string {
  return /^[a-zA-Z]+(?:<.*>)?$/.test(type) || (type.startsWith("{") && !type.includes("} | "))
    ? type
    : `(${type})`;
}

function objectOf(schema: Schema, indent: string, side: Side): string {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, field]) => {
    const { description = FIELDS[name] } = field;
    const comment = typeof description === "string" ? docOf(description, inner) : "";
    const type = typeOf(field, inner, side);
    return `${comment}${inner}readonly ${name}${(required as readonly string[]).includes(name) ? `: ${type}` : `?: ${type} | undefined`};\n`;
  });
  if (fields.length > 0) {
    const rest =
      typeof more === "object"
        ? `${docOf("What else the call was asked to show", inner)}${inner}readonly [key: string]: unknown;\n`
        : "";
    return `{\n${fields.join("")}${rest}${indent}}`;
  }
  if (more === false) return EMPTY;
  // An object of an interface of the caller's own has no index signature.
  if (side === "input") return "object";
  return `Readonly<Record<string, ${typeOf((more ?? {}) as Schema, inner, side)}>>`;
}
