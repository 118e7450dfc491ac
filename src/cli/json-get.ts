// Owns: `holdfast json get|query`.

import { echo, HoldfastError, say } from "../errors.ts";
import {
  getValue,
  memorySource,
  parseJsonPath,
  queryJson,
  rawJson,
  validateJson,
  type ByteSource,
  type JsonFound,
  type JsonPage,
} from "../json/index.ts";
import { UNBOUNDED, withDocument } from "./json-document.ts";
import { note, printText, type JsonFlag } from "./output.ts";

const PAGE = 10_000;

export async function getCommand(
  file: string,
  path: string,
  flags: JsonFlag & { readonly raw?: boolean },
): Promise<void> {
  const query = parseJsonPath(path);
  const matches = await withDocument(file, (source) => {
    if (query.singular) return [{ path, json: rawJson(source, query, Infinity) ?? "" }];
    const found = [...allMatches(source, path, Infinity)];
    if (found.length === 0)
      throw new HoldfastError("not_found", "path_not_found", say`Nothing matches ${echo(path)}.`);
    return found.map((match) => ({ path: match.path, json: bytesOf(source, match) }));
  });
  if (flags.json !== true) {
    for (const { json } of matches) printText(flags.raw === true ? unquoted(json) : json);
    return;
  }
  // The value goes out as it is written in the document, so that no digit of a number is lost.
  const lines = matches.map(({ path: at, json }) => `{"path":${JSON.stringify(at)},"value":${inLine(json)}}`);
  printText(`{"ok":true,"matches":[${lines.join(",")}]}`);
}

export async function queryCommand(
  file: string,
  path: string,
  flags: JsonFlag & { readonly limit?: number },
): Promise<void> {
  parseJsonPath(path);
  const { limit = Infinity } = flags;
  await withDocument(file, (source) => {
    const lines: string[] = [];
    for (const match of allMatches(source, path, limit)) {
      if (process.stdout.destroyed) return;
      const json = bytesOf(source, match);
      if (flags.json === true) lines.push(`{"path":${JSON.stringify(match.path)},"value":${inLine(json)}}`);
      else printText(`${match.path} = ${inLine(json)}`);
    }
    if (flags.json === true) printText(`{"ok":true,"matches":[${lines.join(",")}]}`);
  });
}

function* allMatches(source: ByteSource, path: string, limit: number): Generator<JsonFound, void, undefined> {
  let offset: number | undefined = 0;
  let left = limit;
  const told = new Set<string>();
  while (offset !== undefined && left > 0) {
    const page: JsonPage = queryJson(source, path, { ...UNBOUNDED, offset, limit: Math.min(PAGE, left) });
    for (const warning of page.warnings) {
      if (!told.has(warning)) note(`[Warning] ${warning}`);
      told.add(warning);
    }
    yield* page.matches;
    left -= page.matches.length;
    offset = page.next;
  }
}

function bytesOf(source: ByteSource, { start, end }: JsonFound): string {
  const bytes = new Uint8Array(end - start);
  source.read(start, bytes, 0, bytes.length);
  return new TextDecoder().decode(bytes);
}

function unquoted(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The value on one line, without comments; where it has none, with every digit as it is written. A string holds no line break. */
function inLine(json: string): string {
  const isStrict = validateJson(memorySource(json), { mode: "strict" }).valid;
  return (isStrict ? json : JSON.stringify(getValue(json, "$"))).replace(/[\r\n]\s*/g, " ");
}
