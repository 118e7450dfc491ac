// Owns: `holdfast json set|delete|append|merge`.

import { existsSync, realpathSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { editJsonFile } from "../host/json/index.ts";
import { editJson, editText, memorySource, type JsonEdit, type JsonEditResult } from "../json/index.ts";
import { applySplices, hunksOf, renderHunks } from "../text/index.ts";
import { about, inputBytes, inputText, STDIN, written } from "./input.ts";
import { note, paintDiff, printExact, printText, printJson, printResult, type JsonFlag } from "./output.ts";
import { UsageError } from "./usage-error.ts";

export interface EditRequest {
  readonly op: "set" | "delete" | "append" | "merge";
  readonly file: string;
  readonly path: string;
  readonly value?: string;
  readonly flags: JsonFlag & {
    readonly string?: boolean;
    readonly deep?: boolean;
    readonly out?: string;
    readonly dryRun?: boolean;
  };
}

export async function editCommand(request: EditRequest): Promise<void> {
  const { file, flags } = request;
  const edit = await editOf(request);
  if (flags.dryRun === true) return dryRun(request, edit);
  const out = flags.out ?? (file === STDIN ? STDIN : undefined);
  if (file === STDIN || out === STDIN || isSpecial(out)) return toOutput(request, edit, out ?? STDIN);
  const result = await about(file, () =>
    editJsonFile(file, [edit], out === undefined ? {} : { to: targetOf(out) }),
  );
  tell(request, result, out ?? file);
}

/** What is no file, such as a pipe or /dev/null, is written to, and not replaced. */
function isSpecial(out: string | undefined): boolean {
  if (out === undefined) return false;
  const stat = statSync(out, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** A link stays one. */
function targetOf(out: string): string {
  return existsSync(out) ? realpathSync(out) : out;
}

/** The document in memory: it comes from a pipe, or goes to one. */
async function toOutput(request: EditRequest, edit: JsonEdit, out: string): Promise<void> {
  const { file } = request;
  const bytes = await inputBytes(file);
  const result = await about(file, () => editJson(memorySource(bytes), [edit], modeOf(file)));
  const after = applySplices(bytes, result.splices);
  if (out === STDIN) {
    if (request.flags.json === true)
      throw new UsageError(
        "--json and the edited document cannot both go to standard output. Leave one out.",
      );
    printExact(after);
    return;
  }
  await written(out, () => writeFile(out, after));
  tell(request, result, out);
}

async function dryRun({ file, path, flags }: EditRequest, edit: JsonEdit): Promise<void> {
  const source = memorySource(await inputBytes(file));
  const { splices, reports } = await about(file, () => editJson(source, [edit], modeOf(file)));
  const diff = renderHunks(hunksOf(source, splices));
  printResult(flags, { file, path, dryRun: true, changed: splices.length > 0, reports, diff }, () =>
    paintDiff(diff),
  );
  if (splices.length === 0 && flags.json !== true) note("Nothing would change.");
}

function tell(
  { path, flags }: EditRequest,
  { reports, splices, sizeAfter }: JsonEditResult,
  file: string,
): void {
  const changed = splices.length > 0;
  if (flags.json === true) printJson({ ok: true, file, path, changed, size: sizeAfter, reports });
  else for (const report of reports) printText(editText(report, { file, jsonPath: path }));
}

function modeOf(file: string): { readonly mode: "jsonc" | "auto" } {
  return { mode: file.endsWith(".jsonc") ? "jsonc" : "auto" };
}

async function editOf({ op, file, path, value, flags }: EditRequest): Promise<JsonEdit> {
  if (op === "delete") return { op, path };
  if (value === STDIN && file === STDIN)
    throw new UsageError("Standard input can be the document or the value, not both.");
  const text = value === STDIN ? await inputText(STDIN) : (value ?? "");
  const json = flags.string === true ? JSON.stringify(text) : text;
  checkValue(json, text);
  return op === "merge" ? { op, path, json, deep: flags.deep ?? false } : { op, path, json };
}

/** What is plain text was hardly meant as JSON: say how to send it. */
function checkValue(json: string, text: string): void {
  try {
    JSON.parse(json);
  } catch (error) {
    const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
    throw new UsageError(
      `The value ${shown} is not JSON: ${(error as Error).message}. For text use --string, or put it in double quotes inside single ones.`,
    );
  }
}
