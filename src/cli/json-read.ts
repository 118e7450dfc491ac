// Owns: `holdfast json get|query|keys|preview|validate`.

import { echo, HoldfastError, say } from "../errors.ts";
import { openHostFile } from "../host/json/index.ts";
import {
  getValue,
  invalidJson,
  kilobytes,
  listKeys,
  memorySource,
  parseJsonPath,
  previewJson,
  previewText,
  queryJson,
  rawJson,
  validateJson,
  type ByteSource,
  type JsonFound,
  type JsonPage,
} from "../json/index.ts";
import { about, inputBytes, STDIN } from "./input.ts";
import { note, printText, printJson, printResult, type JsonFlag } from "./output.ts";

/** What a document may cost where its owner asks: the bounds are for agents. */
const UNBOUNDED = { maxSteps: Number.MAX_SAFE_INTEGER, maxMillis: Number.MAX_SAFE_INTEGER };

const PAGE = 10_000;

async function withDocument<T>(file: string, read: (source: ByteSource) => T): Promise<T> {
  if (file === STDIN) {
    const source = memorySource(await inputBytes(file));
    return about(file, () => read(source));
  }
  return about(file, () => {
    const source = openHostFile(file);
    try {
      return read(source);
    } finally {
      source.close();
    }
  });
}

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
  const lines = matches.map(({ path: at, json }) => `{"path":${JSON.stringify(at)},"value":${strict(json)}}`);
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
      if (flags.json === true) lines.push(`{"path":${JSON.stringify(match.path)},"value":${strict(json)}}`);
      else printText(`${match.path} = ${oneLine(json)}`);
    }
    if (flags.json === true) printText(`{"ok":true,"matches":[${lines.join(",")}]}`);
  });
}

export async function keysCommand(
  file: string,
  path: string,
  flags: JsonFlag & { readonly limit?: number },
): Promise<void> {
  const { kind, total, keys } = await withDocument(file, (source) =>
    listKeys(source, path, { ...UNBOUNDED, limit: flags.limit ?? Number.MAX_SAFE_INTEGER }),
  );
  printResult(flags, { path, kind, total, keys }, () => {
    if (kind !== "object") {
      note(
        kind === "array" ? `${path} is an array with ${total} items` : `${path} is a ${kind}, it has no keys`,
      );
      return "";
    }
    return keys.map(({ name, kind: of }) => `${lineName(name)}\t${of}`).join("\n");
  });
}

export async function previewCommand(
  file: string,
  path: string,
  flags: JsonFlag & { readonly depth?: number; readonly items?: number; readonly budget?: number },
): Promise<void> {
  const { depth, items, budget } = flags;
  const options = {
    ...UNBOUNDED,
    ...(depth === undefined ? {} : { maxDepth: depth }),
    ...(items === undefined ? {} : { maxItems: items }),
    ...(budget === undefined ? {} : { budget }),
  };
  const preview = await withDocument(file, (source) => previewJson(source, options, path));
  printResult(flags, { path, ...preview }, () => previewText(preview, budget));
}

export async function validateCommand(
  files: readonly string[],
  flags: JsonFlag & { readonly jsonc?: boolean },
): Promise<void> {
  const results: object[] = [];
  for (const file of files) {
    const mode = flags.jsonc === true || file.endsWith(".jsonc") ? "jsonc" : "strict";
    const [validity, size] = await withDocument(
      file,
      (source) => [validateJson(source, { mode }), source.size] as const,
    );
    if (validity.valid) {
      results.push({ file, valid: true, kind: validity.kind, size });
      if (flags.json !== true)
        printText(
          `${file}: valid ${mode === "jsonc" ? "JSONC" : "JSON"} (${validity.kind}, ${kilobytes(size)})`,
        );
      continue;
    }
    const { line, column, reason, frame } = validity.fault;
    const { message } = invalidJson(validity.fault);
    process.exitCode = 1;
    results.push({ file, valid: false, line, column, reason, message });
    if (flags.json !== true) note(`[Error] ${file}:${line}:${column}: ${message}\n${frame}`);
  }
  if (flags.json === true) printJson({ ok: process.exitCode !== 1, files: results });
}

function* allMatches(source: ByteSource, path: string, limit: number): Generator<JsonFound, void, undefined> {
  let offset: number | undefined = 0;
  let left = limit;
  while (offset !== undefined && left > 0) {
    const page: JsonPage = queryJson(source, path, { ...UNBOUNDED, offset, limit: Math.min(PAGE, left) });
    for (const warning of offset === 0 ? page.warnings : []) note(`[Warning] ${warning}`);
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

/** JSON text without comments; as it was written where it has none. */
function strict(json: string): string {
  return validateJson(memorySource(json), { mode: "strict" }).valid
    ? json
    : JSON.stringify(getValue(json, "$"));
}

function oneLine(json: string): string {
  return json.includes("\n") ? JSON.stringify(getValue(json, "$")) : json;
}

function unquoted(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** A key as it is, or quoted where it would not be one field of a line. */
function lineName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}
