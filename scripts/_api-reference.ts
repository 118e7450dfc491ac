// Owns: the API reference: one Markdown page for each door, written from the model that API Extractor makes of its declarations.

/** A declaration in API Extractor's JSON; only what is shown here. */
export interface ApiItem {
  readonly kind: string;
  readonly name?: string;
  readonly docComment?: string;
  readonly excerptTokens?: readonly { readonly text: string }[];
  readonly members?: readonly ApiItem[];
}

const SECTIONS: readonly (readonly [title: string, kinds: readonly string[]])[] = [
  ["Functions", ["Function"]],
  ["Classes", ["Class"]],
  ["Interfaces", ["Interface"]],
  ["Types", ["TypeAlias"]],
  ["Constants", ["Variable", "Enum"]],
  ["Namespaces", ["Namespace"]],
];

/** Where a declaration has been described: file of the page by the declaration's name and text. */
export type Described = Map<string, string>;

/** The page of a door. `model` is the parsed `.api.json`. What an earlier page has described is only named, with a link. */
export function apiPage(door: string, file: string, model: ApiItem, described: Described): string {
  const others = new Map<string, string[]>();
  const all: ApiItem[] = [];
  for (const item of model.members?.[0]?.members ?? []) {
    const key = `${item.name ?? ""} ${excerptOf(item)}`;
    const where = described.get(key) ?? file;
    described.set(key, where);
    if (where === file) all.push(item);
    else others.set(where, [...(others.get(where) ?? []), `\`${item.name ?? ""}\``]);
  }
  const lines = [
    `# ${door}`,
    "",
    "Generated from the comments in the source by `npm run api:update`. [All doors](README.md).",
  ];
  for (const [title, kinds] of SECTIONS) {
    const items = all.filter(({ kind }) => kinds.includes(kind)).toSorted(byName);
    if (items.length > 0) lines.push("", `## ${title}`, ...items.flatMap(itemLines));
  }
  for (const [where, names] of others)
    lines.push("", `## Described in [${where}](${where})`, "", [...new Set(names)].toSorted().join(", "));
  return `${lines.join("\n")}\n`;
}

/** The list of all doors, each with how many things it exports. */
export function apiIndex(
  pages: readonly { readonly door: string; readonly file: string; readonly exports: number }[],
): string {
  return [
    "# API reference",
    "",
    "One page for each door of the package. What each room promises is in the specifications, [../spec](../spec/README.md).",
    "",
    "| door | exports |",
    "| --- | --- |",
    ...pages.map(({ door, file, exports }) => `| [\`${door}\`](${file}) | ${exports} |`),
    "",
  ].join("\n");
}

/** How many things a door exports. */
export function exportsOf(model: ApiItem): number {
  return new Set(model.members?.[0]?.members?.map(({ name }) => name)).size;
}

function itemLines(item: ApiItem): string[] {
  const members = item.members ?? [];
  return [
    "",
    `### ${item.name ?? ""}`,
    "",
    "```ts",
    excerptOf(item),
    "```",
    ...paragraph(commentText(item.docComment)),
    ...(members.length === 0 ? [] : ["", ...members.flatMap(memberLines)]),
  ];
}

function memberLines(member: ApiItem): string[] {
  const text = commentText(member.docComment).replace(/\n+/g, "\n");
  const [first = "", ...rest] = text.split("\n");
  const code = excerptOf(member).replace(/\s+/g, " ");
  return [
    `- \`${code}\`${first === "" ? "" : `: ${first}`}`,
    ...rest.map((line) => (line === "" ? line : `  ${line}`)),
  ];
}

function excerptOf({ excerptTokens = [] }: ApiItem): string {
  return excerptTokens
    .map(({ text }) => text)
    .join("")
    .replace(/^export (?:declare )?/, "")
    .replace(/;$/, "")
    .trim();
}

/** The text of a comment: links are names, examples are code. */
export function commentText(comment = ""): string {
  const body = comment
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .replace(/\{@link\s+([^}|]+?)(?:\s*\|[^}]*)?\}/g, "`$1`")
    .trim();
  return body
    .split(/^@example\b[ \t]*/m)
    .map((part, i) => (i === 0 ? tags(part.trim()) : exampleText(part.trim())))
    .filter((part) => part !== "")
    .join("\n\n");
}

/** An example is code up to the first blank line, and prose from there. */
function exampleText(text: string): string {
  const [code = "", ...prose] = text.split(/\n\s*\n/);
  const shown = code.startsWith("```") ? code : `\`\`\`ts\n${code}\n\`\`\``;
  return [shown, ...prose.map(tags)].join("\n\n");
}

function tags(text: string): string {
  return text
    .replace(/^@param\s+(\w+)\s*-?\s*/gm, "- `$1`: ")
    .replace(/^@returns?\s+/gm, "Returns ")
    .replace(/^@throws\s+/gm, "Throws ")
    .replace(/^@(?:remarks|public|internal|typeParam \w+)\s*/gm, "");
}

function paragraph(text: string): string[] {
  return text === "" ? [] : ["", text];
}

function byName(a: ApiItem, b: ApiItem): number {
  const [left = "", right = ""] = [a.name, b.name];
  return left < right ? -1 : left > right ? 1 : 0;
}
