// Owns: `holdfast json`: which commands there are and what they take. What they do is loaded when one of them is called.

import type { Command } from "commander";
import { group, number, withExamples, withJson } from "./declare.ts";

const FILE = ["<file>", "a JSON or JSONC file; - reads standard input"] as const;
const PATH = [
  "<path>",
  "JSONPath (RFC 9535): $.users[0].name, $['a b'], $..id, $.users[?@.age > 18]",
] as const;
const VALUE = [
  "<value>",
  "JSON text: 25, true, '\"text\"', '{\"a\":1}'; - reads it from standard input",
] as const;

export function declareJson(root: Command): void {
  const json = group(root, "json", "read and edit JSON files of any size, byte for byte").description(
    "Reads and edits JSON files in place, with no session. An edit changes the bytes of one place: comments, key order, " +
      "number literals and line endings stay, a reader sees the old file or the new one, and a file that is not valid is refused.",
  );
  declareReads(json);
  declareEdits(json);
}

function declareReads(json: Command): void {
  const get = json
    .command("get")
    .summary("print the value at a path")
    .argument(...FILE)
    .argument(...PATH);
  get.description(
    "Prints the value at a path as it is written in the file; of several matches, each on a line of its own.",
  );
  get.option("-r, --raw", "print a string without its quotes and escapes");
  get.action(async (file, path, flags) => (await import("./json-get.ts")).getCommand(file, path, flags));
  withExamples(withJson(get), [
    "holdfast json get package.json $.version",
    "holdfast json get -r package.json $.name",
    "curl -s https://example.org/data.json | holdfast json get - '$.items[0]'",
  ]);

  const query = json.command("query").summary("list every match of a path, with its own path");
  query
    .argument(...FILE)
    .argument(...PATH)
    .option("--limit <n>", "at most so many matches", number);
  query.action(async (file, path, flags) => (await import("./json-get.ts")).queryCommand(file, path, flags));
  withExamples(withJson(query), ["holdfast json query users.json '$.users[?@.age > 18].name' --limit 10"]);

  const keys = json.command("keys").summary("list the keys of an object with their types");
  keys
    .argument(...FILE)
    .argument("[path]", "of which object", "$")
    .option("--limit <n>", "at most so many keys", number);
  keys.action(async (file, path, flags) => (await import("./json-read.ts")).keysCommand(file, path, flags));
  withExamples(withJson(keys), ["holdfast json keys package.json $.scripts"]);

  const preview = json.command("preview").summary("print the shape of a large file in a few lines");
  preview.argument(...FILE).argument("[path]", "of which value", "$");
  preview
    .option("--depth <n>", "levels to show, at most 10", number)
    .option("--items <n>", "items of each array", number);
  preview.option("--budget <n>", "characters in all", number);
  preview.action(async (file, path, flags) =>
    (await import("./json-read.ts")).previewCommand(file, path, flags),
  );
  withExamples(withJson(preview), ["holdfast json preview data.json --depth 2 --items 3"]);

  const validate = json
    .command("validate")
    .summary("check files; say line, column and cause of the first fault");
  validate
    .argument("<files...>", "files; - reads standard input")
    .option("--jsonc", "allow comments and trailing commas, as in files named .jsonc");
  validate.action(async (files, flags) => (await import("./json-read.ts")).validateCommand(files, flags));
  withExamples(withJson(validate), [
    "holdfast json validate *.json",
    "holdfast json validate --jsonc tsconfig.json",
  ]);
}

function declareEdits(json: Command): void {
  const edit = (op: "set" | "delete" | "append" | "merge", summary: string): Command => {
    const command = json
      .command(op)
      .summary(summary)
      .argument(...FILE)
      .argument(...PATH);
    if (op !== "delete") command.argument(...VALUE);
    command.description(
      `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. With - as file the edited document goes to standard output.`,
    );
    if (op === "set" || op === "append") command.option("-s, --string", "the value is text, not JSON");
    if (op === "merge") command.option("--deep", "merge objects inside objects too");
    command.option("--out <file>", "write there and leave the file as it is; - is standard output");
    command.option("--dry-run", "show the change as a diff and write nothing");
    return withJson(command);
  };
  const action = async (edit: import("./json-edit.ts").EditRequest): Promise<void> =>
    (await import("./json-edit.ts")).editCommand(edit);

  const set = edit("set", "set the value at a path, or add its last key");
  set.action((file, path, value, flags) => action({ op: "set", file, path, value, flags }));
  withExamples(set, [
    "holdfast json set app.json $.features.rollout.percent 25",
    "holdfast json set package.json $.author --string 'Ada Lovelace'",
    "cat app.json | holdfast json set - $.debug true > debug.json",
  ]);
  const remove = edit("delete", "delete the key or item at a path");
  remove.action((file, path, flags) => action({ op: "delete", file, path, flags }));
  withExamples(remove, ["holdfast json delete package.json $.scripts.prepare"]);
  const append = edit("append", "append a value to the array at a path");
  append.action((file, path, value, flags) => action({ op: "append", file, path, value, flags }));
  withExamples(append, ["holdfast json append package.json $.keywords '\"agents\"'"]);
  const merge = edit("merge", "set the keys of an object in the object at a path");
  merge.action((file, path, value, flags) => action({ op: "merge", file, path, value, flags }));
  withExamples(merge, [`holdfast json merge package.json $.scripts '{"lint":"oxlint"}'`]);
}
