// Owns: create_patch: the line patch between two places in history, file by file within the budget.

import { z } from "zod";
import { say } from "../../errors.ts";
import { plural } from "../../text/plural.ts";
import { createPatchSteps, formatPatch, toUnifiedDiffSteps, type CreatedPatch } from "../../patch/index.ts";
import { comparePaths, ROOT, type WorkspacePath } from "../../path/index.ts";
import { countChars } from "../../text/index.ts";
import { Pacer, runPaced } from "../../text/steps.ts";
import { positionNamed } from "../history/_records.ts";
import { paging } from "../paging.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";

const position = z.union([z.string(), z.int()]);

const input = z.object({
  from: position.describe("Where to begin: a token, a snapshot's id or a record's number"),
  to: position.optional().describe("Where to end; now when left out"),
  path: z.string().optional().describe("Only this file or directory"),
  format: z.enum(["ndpatch", "unified"]).default("ndpatch"),
  ...paging,
});

const output = z.object({
  format: z.enum(["ndpatch", "unified"]),
  patch: z.string(),
  files: z.array(z.string()),
  operations: z.int(),
  /** Files that lines cannot express, or whose patch alone is longer than the budget. */
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Changed files not looked at yet, and the cursor that brings them. */
  more: z.int().optional(),
  cursor: z.string().optional(),
});

/** Characters reserved for what is said around the patch. */
const RESERVED = 800;

export const createPatchTool: Tool = defineTool({
  name: "create_patch",
  toolset: "patch",
  access: "read",
  title: "Create a patch",
  description:
    "Makes the patch between two places in history: minimal line changes that apply_patch takes, or a unified diff.",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({ ...rest, scope: ctx.path(path ?? "", "any") }),
  targets: ({ scope }) => [fileTarget(scope)],
  async run(ctx, { from, to, scope, format, cursor }) {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const begin = await ctx.past(await positionNamed(ctx, from, say`from`));
    const end =
      to === undefined ? (resumed?.ctx ?? ctx) : await ctx.past(await positionNamed(ctx, to, say`to`));
    const after = typeof resumed?.place === "string" ? resumed.place : undefined;
    const changed = await changedFiles(begin, end, scope, after);
    return collect(ctx, end, changed, begin, format);
  },
  text({ patch, files, operations, skipped, more, cursor, format }) {
    const lines =
      files.length === 0
        ? [skipped.length === 0 ? "Nothing differs in lines." : "No patch:"]
        : [`${plural(files.length, "file")}, ${plural(operations, "operation")} (${format}):`, patch];
    for (const { path, reason } of skipped) lines.push(`[Left out ${path}: ${reason}]`);
    if (more !== undefined)
      lines.push(`[${plural(more, "more changed file")}: call again with cursor ${JSON.stringify(cursor)}]`);
    return lines.join("\n");
  },
});

/** Paths under `scope`, after `after`, whose file is not the same in both states, in order. */
async function changedFiles(
  from: ReadCtx,
  to: ReadCtx,
  scope: WorkspacePath,
  after: string | undefined,
): Promise<WorkspacePath[]> {
  const old = await tokensUnder(from, scope);
  const changed: WorkspacePath[] = [];
  for (const [path, token] of await tokensUnder(to, scope)) {
    if (old.get(path) !== token) changed.push(path);
    old.delete(path);
  }
  changed.push(...old.keys());
  changed.sort(comparePaths);
  return after === undefined
    ? changed
    : changed.filter((path) => comparePaths(path, after as WorkspacePath) > 0);
}

/** Files under a path, each with its token: equal tokens mean equal files. */
async function tokensUnder(
  { files, signal }: ReadCtx,
  scope: WorkspacePath,
): Promise<Map<WorkspacePath, string | undefined>> {
  const single = scope === ROOT ? undefined : await files.stat(scope);
  const found = single === undefined ? await files.under(scope) : [single];
  return new Map(await new Pacer(signal).map(found, ({ path, token }) => [path, token] as const));
}

async function collect(
  ctx: ReadCtx,
  end: ReadCtx,
  changed: readonly WorkspacePath[],
  begin: ReadCtx,
  format: "ndpatch" | "unified",
): Promise<z.output<typeof output>> {
  const room = Math.max(1, ctx.budget - RESERVED);
  const whole: { operations: CreatedPatch["operations"][number][]; created: string[]; removed: string[] } = {
    operations: [],
    created: [],
    removed: [],
  };
  const files: WorkspacePath[] = [];
  const skipped: { path: string; reason: string }[] = [];
  let unified = "";
  let used = 0;
  for (const [i, path] of changed.entries()) {
    const pair = { before: await contentOf(begin, path), after: await contentOf(end, path) };
    const steps = createPatchSteps(pair.before, pair.after, {
      file: path,
      skip: true,
      limits: ctx.limits,
      names: ctx.names,
    });
    const made = await runPaced(steps, ctx.signal);
    const [left] = made.skipped;
    if (left !== undefined) {
      skipped.push({ path, reason: left.reason });
      continue;
    }
    if (made.operations.length + made.created.length + made.removed.length === 0) continue;
    if (isLongerThan(made, ctx.limits.budgetChars)) {
      skipped.push({ path, reason: tooLong(Infinity, ctx) });
      continue;
    }
    const text =
      format === "ndpatch"
        ? formatPatch(made)
        : await runPaced(
            toUnifiedDiffSteps(given(path, pair.before), asInput(made), { names: ctx.names }),
            ctx.signal,
          );
    const size = countChars(text);
    if (size > room) {
      skipped.push({ path, reason: tooLong(size, ctx) });
      continue;
    }
    if (used + size > room)
      return {
        ...result(),
        more: changed.length - i,
        cursor: await end.cursor(changed[i - 1] ?? path),
      };
    used += size;
    unified += text;
    files.push(path);
    whole.operations.push(...made.operations);
    whole.created.push(...made.created);
    whole.removed.push(...made.removed);
  }
  return result();

  function result(): z.output<typeof output> {
    const patch = format === "unified" ? unified : formatPatch({ ...whole, base: new Map() });
    return { format, patch, files, operations: whole.operations.length, skipped };
  }
}

/** Is it surely longer, in whatever form? Then it need not be written to be left out. A character has at most two units. */
function isLongerThan({ operations }: CreatedPatch, chars: number): boolean {
  let units = 0;
  return operations.some((operation) => {
    units += (operation.old?.length ?? 0) + (operation.new?.length ?? 0);
    return units > chars * 2;
  });
}

/** Why the patch of one file is left out, and how else it can be had. */
function tooLong(size: number, { limits: { budgetChars } }: ReadCtx): string {
  const needed = size + RESERVED;
  return needed <= budgetChars
    ? `its patch has ${size} characters: ask for it with budget ${needed}`
    : `its patch does not fit into a result of ${budgetChars} characters: read the file itself, or ask between places closer together`;
}

function given(path: WorkspacePath, before: Uint8Array | undefined): ReadonlyMap<string, Uint8Array> {
  return before === undefined ? new Map() : new Map([[path, before]]);
}

function asInput({ operations, created, removed }: CreatedPatch): unknown {
  return { operations, created, removed };
}

async function contentOf({ files }: ReadCtx, path: WorkspacePath): Promise<Uint8Array | undefined> {
  return (await files.stat(path)) === undefined ? undefined : files.read(path);
}
