// Owns: `holdfast json keys|preview|validate`.

import {
  invalidJson,
  kilobytes,
  listKeys,
  previewJson,
  previewText,
  unnamedKeysText,
  validateJson,
} from "../json/index.ts";
import { plural } from "../text/plural.ts";
import { UNBOUNDED, withDocument } from "./json-document.ts";
import { note, printText, printJson, printResult, type JsonFlag } from "./output.ts";

export async function keysCommand(
  file: string,
  path: string,
  flags: JsonFlag & { readonly limit?: number },
): Promise<void> {
  const { kind, total, keys } = await withDocument(file, (source) =>
    listKeys(source, path, { ...UNBOUNDED, limit: flags.limit ?? Number.MAX_SAFE_INTEGER }),
  );
  const unnamed = keys.filter((key) => key.unnamed === true).length;
  if (unnamed > 0) note(`[Warning] ${unnamedKeysText(unnamed)}`);
  printResult(flags, { path, kind, total, keys }, () => {
    if (kind !== "object") {
      const what = kind === "null" ? kind : `a ${kind}`;
      note(
        kind === "array"
          ? `${path} is an array with ${plural(total, "item")}`
          : `${path} is ${what}, it has no keys`,
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

/** A key as it is, or quoted where it would not be one field of a line. */
function lineName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed() ? JSON.stringify(name) : name;
}
