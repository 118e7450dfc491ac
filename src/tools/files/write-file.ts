// Owns: write_file: create, overwrite or append to one file.

import { z } from "zod";
import { defineTool, fileTarget, type Tool } from "../tool.ts";
import { readContent } from "./_content.ts";
import { plural } from "../../text/plural.ts";

const input = z.object({
  path: z.string().describe("Such as /workspace/src/a.txt"),
  content: z.string().optional().describe("Text"),
  content_base64: z.string().optional().describe("Bytes, instead of content"),
  mode: z.enum(["create", "overwrite", "append"]).default("create"),
  encoding: z.string().optional().describe('A hint such as "utf-8" or "binary"'),
});

const output = z.object({
  path: z.string(),
  mode: z.enum(["create", "overwrite", "append"]),
  version: z.int(),
  size_bytes: z.int(),
  encoding: z.string().nullable(),
  token: z.string().optional(),
});

const HOW = { create: "create", overwrite: "replace", append: "append" } as const;
const DONE = { create: "Created", overwrite: "Overwrote", append: "Appended to" } as const;

export const writeFile: Tool = defineTool({
  name: "write_file",
  toolset: "files",
  access: "write",
  title: "Write a file",
  description:
    "Create a file, overwrite one, or append to one. Directories come with the file. Answers the new version and its token.",
  sends: "bounded",
  input,
  output,
  resolve: ({ path, ...rest }, ctx) => ({ ...rest, path: ctx.path(path, "file") }),
  targets: ({ path }) => [fileTarget(path)],
  async run({ files, limits }, { path, mode, encoding: said, ...sent }) {
    const content = readContent(sent, limits);
    const { version, size_bytes, encoding } = await files[HOW[mode]](path, content, { encoding: said });
    return { path, mode, version, size_bytes, encoding };
  },
  text: ({ path, mode, size_bytes: size, encoding, version, token }) =>
    `${DONE[mode]} ${path} (${plural(size, "byte")}${encoding === "utf-8" ? "" : `, ${encoding ?? "binary"}`}, version ${version}${token === undefined ? "" : `, token ${token}`})`,
});
