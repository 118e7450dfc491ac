// Owns: a tool that splices a file at a place, so that tests reach every kind of change through calls.

import { z } from "zod";
import { EXTENTS, removedBy } from "../../src/text/index.ts";
import { bodyOf, filesSlice } from "../../src/session/files/files-slice.ts";
import { defineTool, type Tool } from "../../src/tools/index.ts";

export const spliceFile: Tool = defineTool({
  name: "splice_file",
  toolset: "test",
  access: "write",
  title: "Splice a file",
  description: "Replaces bytes at a place.",
  input: z.object({ path: z.string(), at: z.int(), remove: z.int(), insert: z.string() }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path: asked, at, remove, insert }) {
    const path = ctx.path(asked, "file");
    const entry = ctx.slice(filesSlice).file(path);
    if (entry === undefined) throw new Error("no such file");
    const bytes = new TextEncoder().encode(insert);
    const extents = bytes.length === 0 ? [] : [[await ctx.stage(bytes), 0, bytes.length] as const];
    const splices = [{ at, remove, insert: extents }];
    const removed = removedBy(entry.content.extents, splices, EXTENTS);
    ctx.change(filesSlice, { slice: "files", op: "splice", id: entry.id, path, splices, removed });
    return {};
  },
  text: () => "spliced",
});

export const deleteOne: Tool = defineTool({
  name: "delete_one",
  toolset: "test",
  access: "write",
  title: "Delete a file",
  description: "Deletes one file.",
  input: z.object({ path: z.string() }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path: asked }) {
    const path = ctx.path(asked, "file");
    const entry = ctx.slice(filesSlice).file(path);
    if (entry === undefined) throw new Error("no such file");
    ctx.change(filesSlice, {
      slice: "files",
      op: "delete",
      id: entry.id,
      path,
      body: bodyOf(entry),
      created: entry.created.toISOString(),
    });
    return {};
  },
  text: () => "deleted",
});

/** Adds one to the number in a file: loses an update whenever its read is not checked. */
export const countUp: Tool = defineTool({
  name: "count_up",
  toolset: "test",
  access: "write",
  title: "Count",
  description: "Adds one to the number in a file.",
  input: z.object({ path: z.string() }),
  output: z.object({ value: z.int() }),
  resolve: ({ path }, ctx) => ({ path: ctx.path(path, "file") }),
  targets: ({ path }) => [{ key: `file:${path.slice("/workspace".length)}`, name: path }],
  async run(ctx, { path }) {
    const source = await ctx.open(path);
    const bytes = new Uint8Array(source.size);
    source.read(0, bytes, 0, bytes.length);
    const value = Number(new TextDecoder().decode(bytes)) + 1;
    const next = new TextEncoder().encode(String(value));
    const entry = ctx.slice(filesSlice).file(path);
    if (entry === undefined) throw new Error("no such file");
    const content = { size: next.length, extents: [[await ctx.stage(next), 0, next.length] as const] };
    const before = bodyOf(entry);
    const after = { ...before, content };
    ctx.change(filesSlice, { slice: "files", op: "replace", id: entry.id, path, before, after });
    return { value };
  },
  text: ({ value }) => String(value),
});
