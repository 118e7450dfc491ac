// Owns: a tool that splices a file at a place, so that tests reach every kind of change through calls.

import { z } from "zod";
import { defineTool, type Tool } from "../../src/tools/index.ts";

export const spliceFile: Tool = defineTool({
  name: "splice_file",
  toolset: "test",
  access: "write",
  title: "Splice a file",
  description: "Replaces bytes at a place.",
  input: z.object({
    path: z.string(),
    at: z.int(),
    remove: z.int(),
    insert: z.string(),
    undo: z.int().optional(),
  }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path: asked, at, remove, insert, undo }) {
    const path = ctx.path(asked, "file");
    await ctx.files.splice(path, [{ at, remove, insert: new TextEncoder().encode(insert) }]);
    if (undo !== undefined) await ctx.undo({ record: undo });
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
    await ctx.files.remove(path);
    return {};
  },
  text: () => "deleted",
});

export const moveOne: Tool = defineTool({
  name: "move_one",
  toolset: "test",
  access: "write",
  title: "Move a file",
  description: "Moves one file.",
  input: z.object({ path: z.string(), to: z.string() }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path, to }) {
    await ctx.files.move(ctx.path(path, "file"), ctx.path(to, "file"));
    return {};
  },
  text: () => "moved",
});

export const setMode: Tool = defineTool({
  name: "set_mode",
  toolset: "test",
  access: "write",
  title: "Set the mode",
  description: "Makes a file executable, or not.",
  input: z.object({ path: z.string(), executable: z.boolean() }),
  output: z.object({}),
  targets: () => [],
  async run(ctx, { path, executable }) {
    await ctx.files.splice(ctx.path(path, "file"), [], { executable });
    return {};
  },
  text: () => "set",
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
    const value = Number(new TextDecoder().decode(await ctx.files.read(path))) + 1;
    await ctx.files.replace(path, String(value));
    return { value };
  },
  text: ({ value }) => String(value),
});
