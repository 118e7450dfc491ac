// Owns: the four writes of one place: set_json_value, delete_json_key, append_json_array, merge_json_object.

import { z } from "zod";
import type { JsonEdit, JsonEditOp, JsonEditReport, JsonPath } from "../../json/index.ts";
import { defineTool, fileTarget, type Tool } from "../tool.ts";
import { givenValue, jsonValue, writableQuery } from "./_arguments.ts";
import { changed, changeJsonFile } from "./_edit-file.ts";
import { jsonRebase, type JsonFileEdit } from "./_prove.ts";
import { editedLine, noticesOf, warningsOf, type GivenPlace } from "./_edit-text.ts";

const place = { path: z.string(), json_path: z.string() };

const output = z.object({
  path: z.string(),
  /** Normalized. */
  json_path: z.string(),
  version: z.int(),
  token: z.string().optional(),
  changed,
  hunk: z.string(),
  /** The new value, cut, and the bytes it takes in the file. */
  new: z.string().optional(),
  value_bytes: z.int(),
  /** Items of the array after an append; keys merged. */
  count: z.int().optional(),
  /** How often the key occurred, when more than once. */
  duplicates: z.int().optional(),
});

type Output = z.output<typeof output>;

/** What one of the four tools is, beside what they have in common. */
interface OneEdit<I extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly destructive: boolean;
  readonly op: JsonEditOp;
  readonly edit: (sent: z.output<I>, path: JsonPath) => JsonEdit;
}

function editTool<I extends z.ZodObject>(def: OneEdit<I>): Tool {
  const { edit: make, op, ...about } = def;
  return defineTool<I, Output, "write", readonly [JsonFileEdit]>({
    ...about,
    toolset: "json",
    access: "write",
    output,
    oneTarget: true,
    rebase: jsonRebase,
    resolve(sent, ctx) {
      const given = sent as unknown as GivenPlace;
      const path = ctx.path(given.path, "file");
      return [{ path, edit: make(sent, writableQuery(given.json_path, ctx.limits)) }];
    },
    targets: ([{ path }]) => [fileTarget(path)],
    async run(ctx, [{ path, edit }]) {
      const { version, token, reports, hunk } = await changeJsonFile(ctx, path, [edit]);
      const told = toldOf(reports[0] as JsonEditReport);
      return { path, version, hunk, ...told, ...(token === undefined ? {} : { token }) };
    },
    text(done, sent) {
      const { changed: range, value_bytes: valueBytes, token } = done;
      const told = { ...done, op, valueBytes, changed: range.removed > 0 || range.inserted > 0 };
      const lines = [...warningsOf(told), editedLine(told, sent as unknown as GivenPlace)];
      return [...lines, ...(token === undefined ? [] : [`[Token ${token}]`]), ...noticesOf(told)].join("\n");
    },
  });
}

function toldOf(report: JsonEditReport): Omit<Output, "path" | "version" | "hunk" | "token"> {
  const { path, at, removed, inserted, line, new: value, valueBytes, count, duplicates } = report;
  return {
    json_path: path,
    changed: { at, removed, inserted, line },
    value_bytes: valueBytes,
    ...(value === undefined ? {} : { new: value }),
    ...(count === undefined ? {} : { count }),
    ...(duplicates === undefined ? {} : { duplicates }),
  };
}

const setJsonValue: Tool = editTool({
  name: "set_json_value",
  title: "Set a JSON value",
  description: "Sets the value at a JSONPath, or adds its last key. No other byte changes.",
  input: z.object({
    ...place,
    value: jsonValue.meta({ type: "string", description: 'JSON text: 25, "\\"text\\"", {"a": 1}' }),
  }),
  destructive: true,
  op: "set",
  edit: ({ value }, path) => ({ op: "set", path, ...givenValue(value) }),
});

const deleteJsonKey: Tool = editTool({
  name: "delete_json_key",
  title: "Delete a JSON key",
  description: "Deletes the key or array item at a JSONPath.",
  input: z.object(place),
  destructive: true,
  op: "delete",
  edit: (_sent, path) => ({ op: "delete", path }),
});

const appendJsonArray: Tool = editTool({
  name: "append_json_array",
  title: "Append to a JSON array",
  description: "Appends a value to the array at a JSONPath.",
  input: z.object({ ...place, value: jsonValue.meta({ type: "string", description: "JSON text" }) }),
  destructive: false,
  op: "append",
  edit: ({ value }, path) => ({ op: "append", path, ...givenValue(value) }),
});

const mergeJsonObject: Tool = editTool({
  name: "merge_json_object",
  title: "Merge into a JSON object",
  description: "Sets the keys of updates in the object at a JSONPath; others stay.",
  input: z.object({
    ...place,
    updates: jsonValue.meta({ type: "string", description: "JSON text of an object" }),
  }),
  destructive: true,
  op: "merge",
  edit: ({ updates }, path) => ({ op: "merge", path, ...givenValue(updates) }),
});

export const ONE_PLACE_EDITS: readonly Tool[] = [
  setJsonValue,
  deleteJsonKey,
  appendJsonArray,
  mergeJsonObject,
];
