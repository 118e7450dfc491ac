// Owns: `holdfast status|diff|undo|land|refresh|run`, about the current folder: which commands there are and what they take.

import { Option, type Command } from "commander";
import { collect, collectNumbers, number, withExamples, withJson } from "./declare.ts";
import { withStoreOption } from "./session-flags.ts";

type Run = (...words: never[]) => Promise<void>;

/** Runs a command of a stored session: which one, is said by the options that all of them take. */
export function runs(command: Command, load: () => Promise<Run>): Command {
  command.option(
    "-s, --session <id>",
    "which session, or the beginning of its id; that of the folder you are in when left out, the staged one where there is a live one too",
  );
  withStoreOption(withJson(command));
  return command.action(async (...given: unknown[]) => {
    const run = (await load()) as (...words: unknown[]) => Promise<void>;
    // Commander hands the command itself over last.
    await run(...given.slice(0, -1));
  });
}

export function declareFolder(root: Command): void {
  const status = root
    .command("status")
    .summary("what agents changed and is not landed, and what changed in the folder meanwhile");
  runs(status, async () => (await import("./session-diff.ts")).statusCommand);
  withExamples(status, ["holdfast status", "holdfast status --json | jq -r '.files[].path'"]);

  const diff = root
    .command("diff")
    .summary("what the session of this folder has and the folder does not, as a diff");
  diff.argument("[path]", "only this file or directory");
  runs(diff, async () => (await import("./session-diff.ts")).diffCommand);
  withExamples(diff, ["holdfast diff", "holdfast diff src > work.diff"]);

  const undo = root.command("undo").summary("take back the last change in the session of this folder");
  runs(withUndo(undo), async () => (await import("./session-change.ts")).undoCommand);
  withExamples(undo, [
    "holdfast undo",
    "holdfast undo 12 --dry-run",
    "holdfast undo 12 14",
    "holdfast undo --agent claude-code",
  ]);

  declareLanding(root, "holdfast");
  declareRun(root);
}

/** Commands between a session and its folder. */
export function declareLanding(under: Command, words: string): void {
  const land = under.command("land").summary("write the session's work to the folder, once you have seen it");
  land.description(
    "Shows everything that would be written and asks; without a terminal --yes answers. What is left out stays offered.",
  );
  land.option("--agent <id>", "only the work of this agent, and what it needs; may be repeated", collect);
  land.option("--record <n>", "only this record, and what it needs; may be repeated", collectNumbers);
  land.option("--path <path>", "only this file or directory; may be repeated", collect);
  land.option("--leave <id>", "without this hunk, file or directory; may be repeated", collect);
  land.option("--dry-run", "show the plan, and write nothing");
  land.addOption(new Option("--yes", "write what is shown without asking").conflicts("dryRun"));
  const [write, others] = [
    ["yes", "dryRun"],
    ["asDiff", "asNdpatch", "branch"],
  ] as const;
  const instead = (flag: string, about: string, name: (typeof others)[number]): void => {
    land.addOption(
      new Option(flag, about).conflicts([...write, ...others.filter((other) => other !== name)]),
    );
  };
  instead("--as-diff", "print it as a unified diff instead", "asDiff");
  instead("--as-ndpatch", "print it as an ndpatch instead", "asNdpatch");
  instead("--branch <name>", "commit it to a new git branch instead, a commit for each agent", "branch");
  runs(land, async () => (await import("./land-run.ts")).landCommand);
  withExamples(land, [
    `${words} land`,
    `${words} land --agent claude-code --leave 564a4c5ae14858ab --yes`,
    `${words} land --as-diff > work.diff`,
    `${words} land --branch agents/fix`,
  ]);

  const refresh = under.command("refresh").summary("bring what changed in the folder into the session");
  runs(withTake(refresh), async () => (await import("./refresh-run.ts")).refreshCommand);
  withExamples(refresh, [
    `${words} refresh`,
    `${words} refresh --take src/app.ts=session --take notes.md=outside`,
  ]);
}

function declareRun(root: Command): void {
  const run = root.command("run").summary("run a command on the session's files instead of the folder's");
  run.description(
    "Runs a command in a directory that shows the session's files, then brings what it changed into the session; the folder's files are " +
      "not written unless the session works in the folder itself. Directories that .gitignore leaves out, such as node_modules, are links to those of the folder: what the command writes " +
      "in them is written there. New files that .gitignore names stay out of the session. A folder without a session gets one. The exit code is the command's, or 127 when there is no such " +
      "command. What came in is said on standard error.",
  );
  run.argument("<command...>", "the command and its arguments; options of its own come after --");
  runs(withAcceptRaces(run), async () => (await import("./run-command.ts")).runCommand);
  withExamples(run, [
    "holdfast run npm test",
    "holdfast run -- npx prettier --write .",
    "holdfast run -- sh -c 'npm run build && npm test'",
  ]);
}

export function withAcceptRaces(command: Command): Command {
  return command.option(
    "--accept-races",
    "where the system has no /proc/self/fd (macOS, Windows): share the directory all the same, with programs that you trust",
  );
}

export function withTake(command: Command): Command {
  return command
    .option(
      "--take <path=side>",
      "settle a path that both sides changed: PATH=outside or PATH=session; may be repeated",
      collect,
    )
    .option("--dry-run", "say what would come in, and change nothing");
}

export function withUndo(command: Command): Command {
  return command
    .argument(
      "[record...]",
      "the number of a record, or of several that are taken back together; the last change when left out",
      collectNumbers,
    )
    .option("--agent <id>", "all that this agent did")
    .option("--since <n>", "with --agent: only after this record", number)
    .option("--path <path>", "only in this file or directory")
    .option("--partial", "take back what can be, instead of nothing")
    .option("--dry-run", "say what would change, and change nothing");
}
