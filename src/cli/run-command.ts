// Owns: `holdfast run`: a command in the directory of a session, and what it changed brought into the session.
// Must never: keep a signal or a byte of output from where it would go without us.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { linkIgnored } from "../host/link-ignored.ts";
import { ROOT, segmentsOf } from "../path/index.ts";
import type { SyncReport } from "../tools/index.ts";
import type { ShowPath } from "./given-path.ts";
import { advised } from "./stored-command.ts";
import { FOLDER_NAMES } from "./host-names.ts";
import { hasSessionHere, withStored, type StoredSession, type SessionRunFlags } from "./stored-session.ts";
import { note, printJson } from "./output.ts";
import { mountProgress } from "./progress.ts";
import { refusedSync, syncText } from "./refresh-run.ts";
import { broughtIn, conflictWarning, mountsOf, openFor } from "./session-options.ts";
import { directoryOf, type DirectoryFlags } from "./session-directory.ts";
import { RefusedError } from "./usage-error.ts";

const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
const SIGNALLED = 128;

export async function runCommand(
  words: readonly string[],
  flags: SessionRunFlags & DirectoryFlags,
): Promise<void> {
  await makeSession(flags);
  await withStored(flags, async (stored) => {
    const { session, folders, isMounted } = stored;
    const warning = isMounted ? conflictWarning(await broughtIn(session), flags) : undefined;
    if (warning !== undefined) note(warning);
    const directory = await directoryOf(session, flags);
    const links = isMounted ? await linkIgnored(mountsOf(folders), directory, FOLDER_NAMES) : undefined;
    let exit: number;
    try {
      exit = await execute(words, placeIn(directory, stored), flags.json === true);
    } finally {
      links?.unlink();
    }
    tell(await session.sync({ gitignore: true }), exit, stored, flags);
  });
}

/** The current folder gets a session if neither it nor one around it has any. */
async function makeSession({ session, store }: SessionRunFlags): Promise<void> {
  if (session !== undefined || (await hasSessionHere(store))) return;
  const progress = mountProgress();
  const where = store === undefined ? {} : { store };
  const flags = { ...where, folder: ["."], role: "editor" as const };
  const opened = await openFor(flags, { onMount: progress.onMount }).finally(progress.end);
  note(`Session ${opened.session.id}`);
  await opened.close();
}

/** The place in the directory that is to it what the present one is to the folder. */
function placeIn(directory: string, { paths: { here = ROOT } }: StoredSession): string {
  const place = join(directory, ...segmentsOf(here));
  return existsSync(place) ? place : directory;
}

/** Runs a command to its end and returns its exit code, as a shell counts it. */
async function execute(
  [command = "", ...args]: readonly string[],
  cwd: string,
  isJson: boolean,
): Promise<number> {
  let child: ChildProcess | undefined;
  // What is typed on a terminal reaches the command by itself.
  const pass = (signal: NodeJS.Signals): void => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child?.kill(signal);
  };
  // Before the command is there: a signal that ends this process in the first moment would leave the command alone.
  for (const signal of SIGNALS) process.on(signal, pass);
  try {
    // Standard output is the command's, unless a JSON value has to be alone on it.
    child = spawn(command, args, {
      cwd,
      stdio: ["inherit", isJson ? 2 : "inherit", "inherit"],
      env: { ...process.env, PWD: cwd },
    });
    return await ended(child, command);
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}

function ended(child: ChildProcess, command: string): Promise<number> {
  return new Promise((done, fail) => {
    child.once("error", (error: NodeJS.ErrnoException) => fail(notRun(command, error)));
    child.once("exit", (code, signal) =>
      done(code ?? SIGNALLED + (constants.signals[signal ?? "SIGTERM"] ?? 0)),
    );
  });
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function notRun(command: string, { code }: NodeJS.ErrnoException): RefusedError {
  const isMissing = code === "ENOENT";
  const why = isMissing ? "there is no such command" : `it cannot be run (${code ?? "unknown"})`;
  const exitCode = isMissing ? NOT_FOUND : NOT_RUNNABLE;
  return new RefusedError(
    isMissing ? "not_found" : "forbidden",
    isMissing ? "no_such_command" : "not_runnable",
    `${command}: ${why}. Nothing was changed.`,
    { command },
    { exitCode },
  );
}

function staged(flags: SessionRunFlags): string {
  return `${advised("diff", flags)} shows what the session has and the folder does not; ${advised("land", flags)} writes it there.`;
}

/** Where the session works in its folder, what came in is there. */
function inFolder({ unplaced }: SyncReport, show: ShowPath): string {
  if (unplaced.length === 0) return "The session works in the folder itself: all of it is there now.";
  const paths = unplaced.map(({ path, reason }) => `${show(path)} (${reason})`);
  return `[Warning] The system did not write ${paths.join(", ")} in the folder. It is in the session, and tried again with the next command.`;
}

/** What came in is said on standard error: standard output is the command's. */
function tell(
  report: SyncReport,
  exit: number,
  { session, paths, isLive }: StoredSession,
  flags: SessionRunFlags,
): void {
  const { created, changed, deleted, diverged, skipped, skippedCount, unplaced, at } = report;
  const isChanged = created.length + changed.length + deleted.length > 0;
  process.exitCode = exit;
  if (flags.json !== true) {
    note(syncText(report, paths.show));
    if (isChanged) note(isLive ? inFolder(report, paths.show) : staged(flags));
    if (diverged.length > 0) note(`[Error] ${refusedSync(report, flags, paths.show).message}`);
  }
  if (diverged.length > 0 && exit === 0) process.exitCode = 1;
  if (flags.json !== true) return;
  printJson({
    ok: process.exitCode === 0,
    id: session.id,
    exitCode: exit,
    created,
    changed,
    deleted,
    diverged,
    skipped,
    skippedCount,
    unplaced,
    position: at,
  });
}
