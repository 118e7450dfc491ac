// Owns: delete_file: one file, or all files of a directory.

import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { Pacer } from "../../text/steps.ts";
import { plural } from "../../text/plural.ts";
import { withToken } from "../token-line.ts";
import { defineTool, type Tool } from "../tool.ts";
import { named, namedTarget } from "./_subtree.ts";

const input = z.object({
  path: z.string(),
  allow_missing: z.boolean().optional().describe("Do nothing when it does not exist"),
});

const output = z.object({
  path: z.string(),
  /** Files that were deleted. */
  deleted: z.int(),
  is_directory: z.boolean(),
  /** Of a single file: its last version. The next file there goes on counting. */
  version: z.int().optional(),
  token: z.string().optional(),
});

export const deleteFile: Tool = defineTool({
  name: "delete_file",
  toolset: "files",
  access: "write",
  title: "Delete a file",
  description: "Deletes a file, or a directory with all its files. Can be undone.",
  input,
  output,
  resolve: async ({ path, allow_missing: lenient = false }, ctx) => ({
    ...(await named(path, ctx)),
    lenient,
  }),
  targets: (what) => [namedTarget(what)],
  async run({ files, signal }, { path, isDirectory, lenient }): Promise<z.output<typeof output>> {
    const all = isDirectory ? await files.subtree(path, "write") : [];
    if (all.length === 0) {
      const version = (await files.stat(path))?.version;
      try {
        await files.remove(path);
      } catch (error) {
        if (!lenient || !HoldfastError.is(error) || error.code !== "not_found") throw error;
        return { path, deleted: 0, is_directory: false };
      }
      return { path, deleted: 1, is_directory: false, ...(version === undefined ? {} : { version }) };
    }
    const pace = new Pacer(signal);
    for (const file of all) {
      await files.remove(file.path);
      await pace.step();
    }
    return { path, deleted: all.length, is_directory: true };
  },
  text({ path, deleted, is_directory: isDirectory, version, token }) {
    if (deleted === 0) return `Nothing to delete: ${path} does not exist`;
    const what = isDirectory ? `all ${plural(deleted, "file")} in it` : `version ${version ?? 1}`;
    return withToken(`Deleted ${path} (${what})`, token);
  },
});
