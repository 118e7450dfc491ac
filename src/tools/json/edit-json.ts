// Owns: edit_json: many edits of one or several JSON files as one commit.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { JsonEdit, JsonEditOp, JsonEditReport } from "../../json/index.ts";
import type { Limits } from "../../limits.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { plural } from "../../text/plural.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, type Tool, type WriteCtx } from "../tool.ts";
import { givenValue, jsonValue, writableQuery } from "./_arguments.ts";
import { changed, changeJsonFile, type EditedFile } from "./_edit-file.ts";
import { jsonRebase, type JsonFileEdit } from "./_prove.ts";
import { editedLine, noticesOf, warningsOf } from "./_edit-text.ts";

const OPS = ["set", "delete", "append", "insert", "merge", "rename"] as const;

const sentEdit = z.strictObject({
  path: z.string().optional(),
  op: z.enum(OPS),
  json_path: z.string(),
  value: jsonValue
    .optional()
    .meta({ type: "string", description: 'JSON text: 25, "\\"text\\""; of rename the new key' }),
});

const input = z.object({
  path: z.string().optional().describe("File of edits that name none"),
  edits: z.array(sentEdit).min(1),
});

const output = z.object({
  token: z.string().optional(),
  files: z.array(
    z.object({
      path: z.string(),
      version: z.int(),
      /** Of a file that was already as asked. */
      token: z.string().optional(),
      edits: z.array(z.object({ op: z.enum(OPS), json_path: z.string(), changed })),
      hunk: z.string(),
    }),
  ),
  /** One line an edit, in the order of the call. */
  lines: z.array(z.string()),
});

/** An edit that was read, with its place in the list. */
interface ReadEdit extends JsonFileEdit {
  readonly index: number;
  readonly given: { readonly path: string; readonly json_path: string };
}

export const editJsonTool: Tool = defineTool<
  typeof input,
  z.output<typeof output>,
  "write",
  readonly ReadEdit[]
>({
  name: "edit_json",
  toolset: "json",
  access: "write",
  title: "Edit JSON",
  description:
    "Makes many edits in one commit, all or none. insert puts an item before an index, or a new key.",
  input,
  output,
  rebase: jsonRebase,
  resolve: ({ path, edits }, ctx) =>
    edits.map((sent, index): ReadEdit => {
      const given = { path: sent.path ?? path ?? "", json_path: sent.json_path };
      if (given.path === "") throw invalidEdit(index, say`names no file. Send path in it or beside edits`);
      return atEdit(index, () => ({
        index,
        path: ctx.path(given.path, "file"),
        edit: readEdit(sent, index, ctx.limits),
        given,
      }));
    }),
  targets: (edits) => [...new Set(edits.map(({ path }) => path))].map(fileTarget),
  async run(ctx, edits) {
    const files: EditedFile[] = [];
    const lines: string[][] = edits.map(() => []);
    for (const [path, own] of byFile(edits)) {
      const file = await editAll(ctx, path, own);
      files.push(file);
      for (const [i, report] of file.reports.entries()) {
        const { index, given } = own[i] as ReadEdit;
        const isPlaced = file.isRebased === true && report.op === "insert" && report.count !== undefined;
        const named = isPlaced ? { ...given, json_path: report.path } : given;
        lines[index] = [...warningsOf(report), editedLine(report, named), ...noticesOf(report)];
      }
    }
    return {
      files: files.map((file) => {
        const { reports, isRebased: _, ...told } = file;
        return { ...told, edits: reports.map(changeOf) };
      }),
      lines: lines.flat(),
    };
  },
  text({ files, lines, token }) {
    const names = files.length === 1 ? (files[0]?.path ?? "") : plural(files.length, "file");
    const head = `Made ${plural(files.flatMap(({ edits }) => edits).length, "edit")} in ${names}`;
    const own = files.flatMap((file) =>
      file.token === undefined ? [] : [`[Token ${file.token} of ${file.path}, which was already so]`],
    );
    const hunks = files.flatMap(({ path, hunk }) =>
      hunk === "" ? [] : [`${files.length === 1 ? "" : `--- ${path}\n`}${hunk}`],
    );
    return [withToken(head, token), ...own, ...lines, ...hunks].join("\n");
  },
});

function byFile(edits: readonly ReadEdit[]): Map<WorkspacePath, ReadEdit[]> {
  const files = new Map<WorkspacePath, ReadEdit[]>();
  for (const edit of edits) {
    const own = files.get(edit.path) ?? [];
    own.push(edit);
    files.set(edit.path, own);
  }
  return files;
}

function changeOf({ op, path, at, removed, inserted, line }: JsonEditReport): {
  op: JsonEditOp;
  json_path: string;
  changed: z.output<typeof changed>;
} {
  return { op, json_path: path, changed: { at, removed, inserted, line } };
}

function readEdit(sent: z.output<typeof sentEdit>, index: number, limits: Limits): JsonEdit {
  const { op, json_path: jsonPath, value } = sent;
  const path = writableQuery(jsonPath, limits);
  if (op === "delete") {
    if (value === undefined || value === null) return { op, path };
    throw invalidEdit(index, say`deletes, which takes no value. Leave it out`);
  }
  if (value === undefined) throw invalidEdit(index, say`lacks its value`);
  return op === "rename" ? { op, path, name: keyIn(value, index) } : { op, path, ...givenValue(value) };
}

/** The new name of a key: a JSON string, or the bare text. */
function keyIn(value: unknown, index: number): string {
  if (typeof value !== "string") throw invalidEdit(index, say`renames: its value is the new key, a text`);
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === "string" ? read : value;
  } catch {
    return value;
  }
}

/** The engine counts the edits of one file, the caller those of the call. What is wrong with a file is said of its first. */
async function editAll(ctx: WriteCtx, path: WorkspacePath, edits: readonly ReadEdit[]): Promise<EditedFile> {
  try {
    return await changeJsonFile(
      ctx,
      path,
      edits.map(({ edit }) => edit),
    );
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    const { edit = 0 } = (error.data ?? {}) as { edit?: number };
    throw numbered(edits[edit]?.index ?? 0, HoldfastError.is(error.cause) ? error.cause : error);
  }
}

/** Says which edit of the call something is wrong with. */
function atEdit<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw HoldfastError.is(error) && error.reason !== "invalid_edit" ? numbered(index, error) : error;
  }
}

function numbered(index: number, error: HoldfastError): HoldfastError {
  const { code, reason, message, data } = error;
  const known = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
  return new HoldfastError(code, reason as Lowercase<string>, say`edits[${index}]: ${message}`, {
    data: { edit: index, ...known },
  });
}

function invalidEdit(index: number, what: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_edit", say`edits[${index}] ${what}.`, {
    data: { edit: index },
  });
}
