// Owns: `holdfast refresh`, `holdfast session sync` and `directory`: bringing what was changed outside into a stored session.

import type { WorkspacePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import type { DivergedPath, DivergedSide, RefreshReport, SyncReport } from "../tools/index.ts";
import { conflictText } from "./conflict-text.ts";
import { finishLanding } from "./finish-landing.ts";
import type { GivenPaths, ShowPath } from "./given-path.ts";
import { advised, type AboutFlags } from "./stored-command.ts";
import { requireFolder, withStored } from "./stored-session.ts";
import { paintDiff, printResult, printText, type JsonFlag } from "./output.ts";
import { directoryOf, type DirectoryFlags } from "./session-directory.ts";
import { RefusedError, UsageError } from "./usage-error.ts";

interface TakeFlags extends AboutFlags, JsonFlag {
  readonly take?: readonly string[];
  readonly dryRun?: boolean;
}

export async function refreshCommand(flags: TakeFlags): Promise<void> {
  const sides = sidesOf(flags);
  await withStored(flags, async (stored) => {
    requireFolder(stored, flags);
    await finishLanding(stored.session);
    const { show } = stored.paths;
    const report = await stored.session.refresh(requestOf(flags, sides, stored.paths));
    const { changed, conflicts, unreadable, position } = report;
    if (flags.json !== true) printText(await refreshText(report, show));
    if (conflicts.length > 0)
      throw refused(conflicts, "refresh", flags, show, { changed, conflicts, unreadable });
    printResult(
      flags,
      { id: stored.session.id, changed, conflicts, unreadable, position, ...dry(flags) },
      () => "",
    );
  });
}

async function refreshText(
  { changed, conflicts, unreadable }: RefreshReport,
  show: ShowPath,
): Promise<string> {
  const shown: string[] = [];
  for (const conflict of conflicts)
    shown.push(await conflictText({ ...conflict, folder: conflict.outside }, show));
  return [
    ...(changed.length + conflicts.length === 0 ? ["The folder is as the session knows it."] : []),
    ...changed.map(({ path, how }) => `${how.replace("_", " ").padEnd(12)} ${show(path)}`),
    ...unreadable.map(({ path, reason }) => `${"unreadable".padEnd(12)} ${path} (${reason})`),
    ...shown,
  ].join("\n");
}

export async function syncCommand(flags: TakeFlags): Promise<void> {
  const sides = sidesOf(flags);
  await withStored(flags, async ({ session, paths }) => {
    const report = await session.sync({ ...requestOf(flags, sides, paths), gitignore: true });
    const { created, changed, deleted, diverged, skipped, skippedCount, at } = report;
    if (flags.json !== true) printText(syncText(report, paths.show));
    if (diverged.length > 0) throw refusedSync(report, flags, paths.show);
    const value = { created, changed, deleted, diverged, skipped, skippedCount, position: at };
    printResult(flags, { id: session.id, ...value, ...dry(flags) }, () => "");
  });
}

/** What a sync brought in, and what it left. */
export function syncText(report: SyncReport, show: ShowPath): string {
  const { created, changed, deleted, diverged, skipped, skippedCount } = report;
  const lines = (what: string, paths: readonly WorkspacePath[]): string[] =>
    paths.map((path) => `${what.padEnd(8)} ${show(path)}`);
  const isNothing = created.length + changed.length + deleted.length + diverged.length === 0;
  return [
    ...(isNothing ? ["Nothing to import."] : []),
    ...lines("created", created),
    ...lines("changed", changed),
    ...lines("deleted", deleted),
    ...(skippedCount === 0 ? [] : [`${plural(skippedCount, "entry", "entries")} cannot be taken in:`]),
    ...skipped.map(({ path, reason }) => `  ${path} (${reason})`),
    ...diverged.map((one) => divergedText(one, show)),
  ].join("\n");
}

export function refusedSync(
  { created, changed, deleted, diverged }: SyncReport,
  flags: AboutFlags,
  show: ShowPath,
): RefusedError {
  return refused(diverged, "sync", flags, show, { created, changed, deleted, diverged });
}

export async function directoryCommand(flags: AboutFlags & JsonFlag & DirectoryFlags): Promise<void> {
  await withStored(flags, async ({ session }) => {
    const directory = await directoryOf(session, flags);
    printResult(flags, { id: session.id, directory }, () => directory);
  });
}

function divergedText({ path, session, outside, inTheWay }: DivergedPath, show: ShowPath): string {
  const side = (who: string, { exists, size, changes }: DivergedSide): string => {
    if (!exists) return `  ${who} deleted it`;
    return changes === undefined
      ? `  ${who} has ${plural(size, "byte")}`
      : `  ${who} changed it:\n${paintDiff(changes)}`;
  };
  const obstacle = inTheWay === path ? "what is there" : inTheWay && show(inTheWay);
  const sideOrObstacle = (who: string, one: DivergedSide): string =>
    obstacle === undefined || one.exists
      ? side(`the ${who}`, one)
      : `  in the ${who} ${obstacle} leaves no place for it`;
  return [
    `conflict ${show(path)}`,
    sideOrObstacle("session", session),
    sideOrObstacle("directory", outside),
  ].join("\n");
}

function refused(
  conflicts: readonly { readonly path: WorkspacePath }[],
  command: "refresh" | "sync",
  flags: AboutFlags,
  show: ShowPath,
  data: object,
): RefusedError {
  const paths = conflicts.map(({ path }) => show(path));
  return new RefusedError(
    "conflict",
    "changed_on_both_sides",
    `${paths.join(", ")} changed on both sides, and neither was touched. ` +
      `${advised(command, flags, "--take", `${paths[0] ?? ""}=outside`)} takes the text from outside, =session keeps the session's.`,
    data,
  );
}

type Sides = ReadonlyMap<string, "outside" | "session">;

function sidesOf({ take = [] }: TakeFlags): Sides {
  const sides = new Map<string, "outside" | "session">();
  for (const text of take) {
    const at = text.lastIndexOf("=");
    const side = text.slice(at + 1);
    if (at < 1 || (side !== "outside" && side !== "session"))
      throw new UsageError(`--take ${text}: write PATH=outside or PATH=session.`);
    sides.set(text.slice(0, at), side);
  }
  return sides;
}

function requestOf(
  { dryRun }: TakeFlags,
  sides: Sides,
  paths: GivenPaths,
): { take?: Record<string, "outside" | "session">; dryRun?: boolean } {
  const take = new Map<string, "outside" | "session">();
  // It may be a path that only the folder has; one that is in no conflict is refused.
  for (const [text, side] of sides) take.set(paths.read(text), side);
  return {
    ...(take.size === 0 ? {} : { take: Object.fromEntries(take) }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
}

function dry({ dryRun = false }: TakeFlags): { readonly dryRun: boolean } {
  return { dryRun };
}
