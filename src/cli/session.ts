// Owns: `holdfast session`: which commands there are and what they take.

import type { Command } from "commander";
import { group, number, withExamples, withJson } from "./declare.ts";
import { declareLanding, runs, withAcceptRaces, withTake, withUndo } from "./folder.ts";
import { withStoreOption } from "./session-flags.ts";

const POSITION = "the number of a record, a token, or the name of a snapshot";

export function declareSession(root: Command): void {
  const session = group(root, "session", "look at stored sessions, and change their history").description(
    "Stored sessions: what agents did in them, as records of a history in which nothing is lost. Without --session the newest session " +
      "of the folder you are in, or of one around it, is meant: the staged one, where another works in the folder itself (--live).",
  );
  declareLooks(session);
  declareChanges(session);
  declareLanding(session, "holdfast session");
  declareDirectory(session);
}

function declareLooks(session: Command): void {
  const look = (): Promise<typeof import("./session-look.ts")> => import("./session-look.ts");

  const list = withStoreOption(withJson(session.command("list").summary("list the stored sessions")));
  list.action(async (flags) => (await look()).listCommand(flags));
  withExamples(list, ["holdfast session list", "holdfast session list --json | jq -r '.sessions[].id'"]);

  const show = session.command("show").summary("what a session is and holds");
  runs(show, async () => (await look()).showCommand);
  withExamples(show, ["holdfast session show", "holdfast session show -s website-3f"]);

  const log = session.command("log").summary("list the records: who changed what, newest first");
  log.option("--limit <n>", "at most so many", number).option("--agent <id>", "only of this agent");
  log.option("--path <path>", "only of this file or directory");
  runs(log, async () => (await look()).logCommand);
  withExamples(log, ["holdfast session log --limit 20", "holdfast session log --agent claude-code --json"]);

  const diff = session.command("diff").summary("what differs between two positions");
  diff.argument("[path]", "only this file or directory");
  diff
    .option("--from <position>", `${POSITION}; what the folder holds when neither is given`)
    .option("--to <position>", `${POSITION}; now when left out`);
  runs(diff, async () => (await import("./session-diff.ts")).diffCommand);
  withExamples(diff, ["holdfast session diff --from 3 --to 9", "holdfast session diff src"]);

  const blame = session.command("blame").summary("which record brought in each line of a file");
  blame.argument("<path>", "a file");
  runs(blame, async () => (await look()).blameCommand);
  withExamples(blame, ["holdfast session blame src/app.ts"]);

  const verify = session.command("verify").summary("check that the history holds together");
  verify.option("--blobs", "also the content");
  runs(verify, async () => (await look()).verifyCommand);
  withExamples(verify, ["holdfast session verify --blobs"]);

  const save = session.command("export").summary("write the files of a session into a new folder");
  save.argument("<folder>", "a folder that does not exist yet, or is empty");
  runs(save, async () => (await import("./session-export.ts")).exportCommand);
  withExamples(save, ["holdfast session export /tmp/result"]);
}

function declareChanges(session: Command): void {
  const change = (): Promise<typeof import("./session-change.ts")> => import("./session-change.ts");

  const undo = session.command("undo").summary("take back records, or all that an agent did");
  runs(withUndo(undo), async () => (await change()).undoCommand);
  withExamples(undo, [
    "holdfast session undo 12",
    "holdfast session undo 12 14 --dry-run",
    "holdfast session undo --agent claude-code --since 40 --partial",
  ]);

  const snapshot = session.command("snapshot").summary("give the present a name, or list the names");
  snapshot.argument("[label]", "the name");
  runs(snapshot, async () => (await change()).snapshotCommand);
  withExamples(snapshot, ["holdfast session snapshot 'before the refactoring'"]);

  const restore = session.command("restore").summary("make files what they were at a position");
  restore.argument("<position>", POSITION).option("--path <path>", "only this file or directory");
  restore.option("--dry-run", "say what would change, and change nothing");
  runs(restore, async () => (await change()).restoreCommand);
  withExamples(restore, [
    "holdfast session restore 12 --path src",
    "holdfast session restore 'before the refactoring'",
  ]);

  const fork = session.command("fork").summary("make an independent copy of a session");
  fork.option("--at <position>", `${POSITION}; now when left out`);
  runs(fork, async () => (await change()).forkCommand);
  withExamples(fork, ["holdfast session fork --at 12"]);

  const reset = session.command("reset").summary("begin anew from the folders, keeping the history");
  runs(reset, async () => (await change()).resetCommand);
  withExamples(reset, ["holdfast session reset"]);

  const prune = session.command("prune").summary("forget the changes of old records to free space");
  prune.requiredOption("--before <n>", "records before this number", number);
  runs(prune, async () => (await change()).pruneCommand);
  withExamples(prune, ["holdfast session prune --before 1000"]);

  const remove = session.command("rm").summary("remove a session with its history; folders are not touched");
  runs(remove, async () => (await change()).removeCommand);
  withExamples(remove, ["holdfast session rm -s website-3f2a91c0d4-2"]);
}

function declareDirectory(session: Command): void {
  const load = (): Promise<typeof import("./refresh-run.ts")> => import("./refresh-run.ts");

  const directory = session
    .command("directory")
    .summary("the session's files as a directory for other programs");
  directory.description(
    "Prints the path of a directory that shows the session's files. What programs change in it comes into the session with " +
      "holdfast session sync; holdfast run does both around one command.",
  );
  runs(withAcceptRaces(directory), async () => (await load()).directoryCommand);
  withExamples(directory, ['cd "$(holdfast session directory)" && npm test']);

  const sync = session.command("sync").summary("bring in what was changed in the session's directory");
  sync.description(
    "Brings what programs changed in the session's directory into the session. New files that .gitignore names stay out.",
  );
  runs(withTake(sync), async () => (await load()).syncCommand);
  withExamples(sync, ["holdfast session sync", "holdfast session sync --take a.txt=outside"]);
}
