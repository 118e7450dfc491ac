// Owns: `holdfast session`, and its short forms for the folder one stands in: which commands there are and what they take.

import { Option, type Command } from "commander";
import { collect, collectNumbers, group, number, withExamples, withJson } from "./declare.ts";
import { withStoreOption } from "./session-flags.ts";

type Runs = typeof import("./session-run.ts");

type Run = (...words: never[]) => Promise<void>;

/** Runs a command of a kept session: which one, is said by the options that all of them take. */
function does(command: Command, name: keyof Runs): Command {
  return runs(command, async () => (await import("./session-run.ts"))[name]);
}

/** The same for what is loaded from elsewhere. */
function runs(command: Command, load: () => Promise<Run>): Command {
  command.option(
    "-s, --session <id>",
    "which session, or the beginning of its id; that of the folder you are in when left out",
  );
  withStoreOption(withJson(command));
  return command.action(async (...given: unknown[]) => {
    const run = (await load()) as (...words: unknown[]) => Promise<void>;
    // Commander hands the command itself over last.
    await run(...given.slice(0, -1));
  });
}

const POSITION = "the number of a record, or a token";

export function declareSession(root: Command): void {
  const session = group(root, "session", "look at kept sessions, and change their history").description(
    "Kept sessions: what agents did in them, as records of a history in which nothing is lost. Without --session the newest session " +
      "of the folder you are in, or of one around it, is meant.",
  );
  declareLooks(session);
  declareChanges(session);
  declareFolder(session, "holdfast session");
  const directory = session
    .command("directory")
    .summary("the session's files as a directory for other programs");
  directory.description(
    "Prints the path of a directory that shows the session's files. What programs change in it comes into the session with " +
      "holdfast session sync.",
  );
  const load = (): Promise<typeof import("./refresh-run.ts")> => import("./refresh-run.ts");
  withExamples(
    runs(directory, async () => (await load()).directoryCommand),
    ['cd "$(holdfast session directory)" && npm test'],
  );
  const sync = withTake(
    session.command("sync").summary("bring in what was changed in the session's directory"),
  );
  withExamples(
    runs(sync, async () => (await load()).syncCommand),
    ["holdfast session sync", "holdfast session sync --take a.txt=outside"],
  );
  declareFolder(root, "holdfast");
  const status = root
    .command("status")
    .summary("what agents changed and is not landed, and what changed in the folder meanwhile");
  withExamples(does(status, "statusCommand"), ["holdfast status"]);
  const diff = root
    .command("diff")
    .summary("what the session of this folder has and the folder does not, as a diff");
  diff.argument("[path]", "only this file or directory");
  withExamples(does(diff, "diffCommand"), ["holdfast diff", "holdfast diff src | less -R"]);
  const undo = root.command("undo").summary("take back the last change in the session of this folder");
  undo.argument("[record]", "another record than the last", number);
  withExamples(does(withUndo(undo), "undoCommand"), ["holdfast undo", "holdfast undo 12 --dry-run"]);
}

/** Commands between a session and its folder. */
function declareFolder(under: Command, words: string): void {
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
  withExamples(
    runs(land, async () => (await import("./land-run.ts")).landCommand),
    [
      `${words} land`,
      `${words} land --agent claude-code --leave 564a4c5ae14858ab --yes`,
      `${words} land --as-diff > work.diff`,
      `${words} land --branch agents/fix`,
    ],
  );
  const refresh = under.command("refresh").summary("bring what changed in the folder into the session");
  withExamples(
    runs(withTake(refresh), async () => (await import("./refresh-run.ts")).refreshCommand),
    [`${words} refresh`, `${words} refresh --take src/app.ts=session --take notes.md=outside`],
  );
}

function withTake(command: Command): Command {
  return command
    .option(
      "--take <path=side>",
      "settle a path that both sides changed: PATH=outside or PATH=session; may be repeated",
      collect,
    )
    .option("--dry-run", "say what would come in, and change nothing");
}

function withUndo(command: Command): Command {
  return command
    .option("--path <path>", "only in this file or directory")
    .option("--partial", "take back what can be, instead of nothing")
    .option("--dry-run", "say what would change, and change nothing");
}

function declareLooks(session: Command): void {
  const list = withStoreOption(withJson(session.command("list").summary("list the kept sessions")));
  list.action(async (flags) => (await import("./session-run.ts")).listCommand(flags));
  withExamples(list, ["holdfast session list"]);

  const show = session.command("show").summary("what a session is and holds");
  withExamples(does(show, "showCommand"), ["holdfast session show", "holdfast session show -s website-3f"]);

  const log = session.command("log").summary("list the records: who changed what, newest first");
  log.option("--limit <n>", "at most so many", number).option("--agent <id>", "only of this agent");
  log.option("--path <path>", "only of this file or directory");
  withExamples(does(log, "logCommand"), [
    "holdfast session log --limit 20",
    "holdfast session log --agent claude-code --json",
  ]);

  const diff = session.command("diff").summary("what differs between two positions");
  diff.argument("[path]", "only this file or directory");
  diff
    .option("--from <position>", `${POSITION}; what the folder holds when neither is given`)
    .option("--to <position>", `${POSITION}; now when left out`);
  withExamples(does(diff, "diffCommand"), [
    "holdfast session diff --from 3 --to 9",
    "holdfast session diff src",
  ]);

  const blame = session.command("blame").summary("which record brought in each line of a file");
  blame.argument("<path>", "a file");
  withExamples(does(blame, "blameCommand"), ["holdfast session blame src/app.ts"]);

  const verify = session.command("verify").summary("check that the history holds together");
  verify.option("--blobs", "also the content");
  withExamples(does(verify, "verifyCommand"), ["holdfast session verify --blobs"]);

  const save = session.command("export").summary("write the files of a session into a new folder");
  save.argument("<folder>", "a folder that does not exist yet, or is empty");
  withExamples(does(save, "exportCommand"), ["holdfast session export /tmp/result"]);
}

function declareChanges(session: Command): void {
  const undo = session.command("undo").summary("take back a record, or all that an agent did");
  undo.argument("[record]", "the number of a record; the last change when left out", number);
  undo
    .option("--agent <id>", "all that this agent did")
    .option("--since <n>", "with --agent: only after this record", number);
  withExamples(does(withUndo(undo), "undoCommand"), [
    "holdfast session undo 12",
    "holdfast session undo --agent claude-code --since 40 --partial",
  ]);

  const snapshot = session.command("snapshot").summary("give the present a name, or list the names");
  snapshot.argument("[label]", "the name");
  withExamples(does(snapshot, "snapshotCommand"), ["holdfast session snapshot 'before the refactoring'"]);

  const restore = session.command("restore").summary("make files what they were at a position");
  restore.argument("<position>", POSITION).option("--path <path>", "only this file or directory");
  restore.option("--dry-run", "say what would change, and change nothing");
  withExamples(does(restore, "restoreCommand"), ["holdfast session restore 12 --path src"]);

  const fork = session.command("fork").summary("make an independent copy of a session");
  fork.option("--at <position>", `${POSITION}; now when left out`);
  withExamples(does(fork, "forkCommand"), ["holdfast session fork --at 12"]);

  const reset = session.command("reset").summary("begin anew from the folders, keeping the history");
  withExamples(does(reset, "resetCommand"), ["holdfast session reset"]);

  const prune = session.command("prune").summary("forget the changes of old records to free space");
  prune.requiredOption("--before <n>", "records before this number", number);
  withExamples(does(prune, "pruneCommand"), ["holdfast session prune --before 1000"]);

  const remove = session.command("rm").summary("remove a session with its history; folders are not touched");
  withExamples(does(remove, "removeCommand"), ["holdfast session rm -s website-3f2a91c0d4-2"]);
}
