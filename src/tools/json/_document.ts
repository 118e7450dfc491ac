// Owns: a JSON file of the session as a document: opened in one state, with what the session knows about its bytes.
// Must never: hold more about documents than the limit `jsonIndexBytes` allows.

import {
  carryIndexSteps,
  invalidJson,
  JsonIndexes,
  validateJsonSteps,
  type DocumentMode,
  type JsonFault,
} from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import type { ByteSource, Splice } from "../../text/index.ts";
import { runPaced, type Steps } from "../../text/steps.ts";
import type { ReadCtx, Shared } from "../tool.ts";

/** Windows of 256 KB between two pauses: 2 to 4 ms of work. */
export const PAUSE_EVERY = 8;

/** A file as one state has it, and its bytes. */
export interface JsonDocument {
  readonly file: FileInfo;
  readonly source: ByteSource;
  readonly indexes: JsonIndexes;
  /** How its text is read: a `.jsonc` file may hold comments and trailing commas. */
  readonly mode: DocumentMode;
  /** Containers inside one another that a write takes. */
  readonly maxDepth: number;
}

/** What the tools of one open session know about its documents, by content. */
export const INDEXES: Shared<JsonIndexes> = { make: ({ jsonIndexBytes }) => new JsonIndexes(jsonIndexBytes) };

/** Opens a file to read, or also to change it. Throws what opening a file throws. */
export async function openDocument(
  ctx: ReadCtx,
  path: WorkspacePath,
  access: "read" | "write" = "read",
): Promise<JsonDocument> {
  const source = await ctx.files.open(path, access);
  const file = (await ctx.files.stat(path)) as FileInfo;
  const maxDepth = ctx.limits.jsonDepth;
  return { file, source, indexes: ctx.shared(INDEXES), mode: documentModeOf(path), maxDepth };
}

/** How the text of a file is read. */
export function documentModeOf(path: WorkspacePath): DocumentMode {
  return path.endsWith(".jsonc") ? "jsonc" : "auto";
}

/**
 * Opens a file to read from it. Throws `invalid_argument` / `invalid_json` for what is neither JSON nor JSONC, wherever the
 * fault is. A large document is checked once.
 */
export async function openValid(ctx: ReadCtx, path: WorkspacePath): Promise<JsonDocument> {
  const document = await openDocument(ctx, path);
  const fault = await runPaced(faultSteps(document), ctx.signal);
  if (fault !== undefined) throw invalidJson(fault);
  return document;
}

function* faultSteps({ source, indexes }: JsonDocument): Steps<JsonFault | undefined> {
  for (const mode of ["json", "jsonc"] as const) {
    const validity = yield* validateJsonSteps(source, { mode, indexes }, PAUSE_EVERY);
    // Reading goes to any depth.
    if (validity.valid || validity.fault.reason === "too_deep") return undefined;
    if (mode === "jsonc") return validity.fault;
  }
  return undefined;
}

/** Moves what is known of a document to the bytes that proven splices have made of it. */
export async function carryDocument(
  ctx: ReadCtx,
  { file, source, indexes }: JsonDocument,
  splices: readonly Splice[],
): Promise<void> {
  const edited = await ctx.files.open(file.path);
  await runPaced(carryIndexSteps(source, edited, splices, true, indexes), ctx.signal);
}
