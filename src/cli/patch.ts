// Owns: `holdfast patch`: which commands there are and what they take.

import { Option, type Command } from "commander";
import { group, withExamples, withJson } from "./declare.ts";

const PATCH = [
  "<patch>",
  "a file with ndpatch JSON, a unified diff, V4A, SEARCH/REPLACE blocks or whole files in fences under their paths; - reads standard input",
] as const;

export function declarePatch(root: Command): void {
  const patch = group(root, "patch", "apply, check, show, make and convert line patches").description(
    "Line patches over the files of a folder: they fit exactly or not at all, and every misfit is named with what to send instead.",
  );
  const over = (name: string, summary: string): Command =>
    withJson(
      patch
        .command(name)
        .summary(summary)
        .argument(...PATCH)
        .option("-C, --directory <folder>", "the folder that the patch's paths are in", "."),
    );

  const apply = over("apply", "apply a patch to the files of a folder, all of it or nothing");
  apply.description(
    "Applies a patch to the files of a folder. It fits as a whole and the files are still what they were when it was checked, or nothing " +
      "is written. No symbolic link is followed.",
  );
  apply.option("--dry-run", "show what would change, and write nothing");
  apply.action(async (file, flags) => (await import("./patch-apply.ts")).applyPatchCommand(file, flags));
  withExamples(apply, [
    "holdfast patch apply fix.json",
    "holdfast patch apply model-output.txt --dry-run",
    "git diff | holdfast patch apply - -C ../other",
  ]);

  const check = over("check", "say whether a patch fits, and if not, why");
  check.action(async (file, flags) => (await import("./patch-run.ts")).checkPatchCommand(file, flags));
  withExamples(check, ["holdfast patch check fix.json", "git diff | holdfast patch check - -C ../other"]);

  const show = over("show", "show what a patch would change");
  show.action(async (file, flags) => (await import("./patch-run.ts")).showPatchCommand(file, flags));
  withExamples(show, ["holdfast patch show fix.json | less -R"]);

  const convert = over("convert", "write a patch in another format to standard output");
  convert.addOption(
    new Option("--to <format>", "which format").choices(["ndpatch", "unified"]).default("ndpatch"),
  );
  convert.action(async (file, flags) => (await import("./patch-run.ts")).convertCommand(file, flags));
  withExamples(convert, [
    "holdfast patch convert fix.json --to unified > fix.diff",
    "holdfast patch convert model-output.txt",
  ]);

  const create = withJson(patch.command("create").summary("write the patch between two files or folders"));
  create.argument("<before>", "a file or folder").argument("<after>", "the same after the change");
  create.option("--file <path>", "the path that the patch names; the name of <before> when left out");
  create.addOption(
    new Option("--to <format>", "which format").choices(["ndpatch", "unified"]).default("ndpatch"),
  );
  create.action(async (before, after, flags) =>
    (await import("./patch-run.ts")).createCommand(before, after, flags),
  );
  withExamples(create, ["holdfast patch create old.txt new.txt --file src/a.txt > fix.json"]);
}
