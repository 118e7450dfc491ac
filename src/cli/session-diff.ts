// Owns: `holdfast status` and `holdfast diff`: what a session has and its folder does not, or two positions of its history.

import type { FileDiff, Session, SessionDiff } from "../tools/index.ts";
import { sideChanges } from "../session/diff.ts";
import { relativePath, type WorkspacePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import { showHunks, withoutLastBreak } from "../text/show-hunks.ts";
import {
  folderGone,
  positionGiven,
  withStored,
  type StoredSession,
  type SessionRunFlags as Flags,
} from "./stored-session.ts";
import { finishLanding } from "./finish-landing.ts";
import { advised } from "./stored-command.ts";
import { note, paint, paintDiff, printResult, printText } from "./output.ts";
import { skippedLines, skippedOf } from "./skipped-text.ts";
import { fileLine, notMountedLines, outsideLines } from "./plan-text.ts";

export async function statusCommand(flags: Flags): Promise<void> {
  await withStored(flags, async (stored) => {
    const { session, folders, isMounted, isLive, paths } = stored;
    if (folders.length > 0 && !isMounted) return goneStatus(stored, flags);
    if (isLive) return liveStatus(stored, flags);
    const { show } = paths;
    const finished = await finishLanding(session);
    const skipped = skippedOf(session);
    const { files, conflicts, outside, notMounted } = await session.plan();
    const value = {
      id: session.id,
      folders,
      records: session.at.seq,
      files: files.map(({ path, from, kind, agents }) => ({ path, from, kind, agents })),
      outside,
      conflicts: conflicts.map(({ path, reason }) => ({ path, reason })),
      notMounted,
      skipped: skipped.entries,
      skippedCount: skipped.count,
      ...(finished === undefined ? {} : { finishedLanding: finished }),
    };
    printResult(flags, value, () =>
      [
        `Session ${paint("bold", session.id)}`,
        files.length === 0
          ? "Nothing to land."
          : `${plural(files.length, "file")} to land (${advised("land", flags)}):`,
        ...files.map((file) => fileLine(file, show)),
        ...outsideLines(outside, show),
        ...notMountedLines(notMounted, show),
        ...conflicts.map(({ path }) => `${paint("red", "conflict")} ${show(path)}`),
        ...skippedLines(skipped),
        ...(outside.length === 0
          ? []
          : [`${advised("refresh", flags)} brings in what changed in the folder.`]),
      ].join("\n"),
    );
  });
}

/** In a live folder nothing waits: what there is to say is how much was done, and by whom. */
async function liveStatus({ session, folders }: StoredSession, flags: Flags): Promise<void> {
  const skipped = skippedOf(session);
  const value = {
    id: session.id,
    folders,
    live: true,
    records: session.at.seq,
    files: [],
    skipped: skipped.entries,
    skippedCount: skipped.count,
  };
  printResult(flags, value, () =>
    [
      `Session ${paint("bold", session.id)}`,
      "It works in the folder itself: what agents write is there at once, and nothing waits to be landed.",
      `${advised("log", flags)} lists what they did; ${advised("diff", flags)} shows it; ${advised("undo", flags)} takes it back.`,
      ...skippedLines(skipped),
    ].join("\n"),
  );
}

/** What agents changed is shown all the same; what the folder would say to it is not known. */
async function goneStatus(stored: StoredSession, flags: Flags): Promise<never> {
  const { session, paths } = stored;
  const { notMounted: files } = await session.plan();
  if (flags.json !== true)
    printText(
      [
        `Session ${paint("bold", session.id)}`,
        `${plural(files.length, "file")} changed in the session:`,
        ...files.map((path) => `  ${paths.show(path)}`),
      ].join("\n"),
    );
  throw folderGone(stored, flags, { files });
}

export async function diffCommand(
  given: string | undefined,
  flags: Flags & { readonly from?: string; readonly to?: string },
): Promise<void> {
  await withStored(flags, async (stored) => {
    const { session, isMounted, isLive, paths } = stored;
    const path = given === undefined ? undefined : await paths.known(given);
    const isNow = flags.from === undefined && flags.to === undefined;
    if (isNow && isMounted && !isLive) return folderDiff(stored, path, flags);
    const from =
      flags.from === undefined ? await mountedAt(session) : await positionGiven(session, flags.from);
    const to = flags.to === undefined ? {} : { to: await positionGiven(session, flags.to) };
    const diff = await session.diff({
      from,
      ...to,
      budget: DIFF_BUDGET,
      ...(path === undefined ? {} : { path }),
    });
    const text = diffText(diff);
    const isGone = isNow && stored.folders.length > 0 && !isMounted;
    if (isGone && flags.json !== true) printText(paintDiff(text));
    if (isGone) throw folderGone(stored, flags, { diff: text });
    printResult(
      flags,
      {
        from: diff.from,
        to: diff.to,
        files: diff.files.map(({ path: at, change }) => ({ path: at, change })),
        diff: text,
      },
      () => paintDiff(text),
    );
    if (text === "" && flags.json !== true) note("No changes.");
  });
}

/** What the session has and the folder does not: what others changed in the folder is no part of it. */
async function folderDiff(
  stored: StoredSession,
  path: WorkspacePath | undefined,
  flags: Flags,
): Promise<void> {
  const { session, paths } = stored;
  await finishLanding(session);
  const plan = await session.plan(path === undefined ? {} : { paths: [path] });
  const diff = await plan.text({ binary: false });
  const files = plan.files.map(({ path: at, from, kind }) => ({ path: at, from, kind }));
  printResult(flags, { to: plan.position, files, notMounted: plan.notMounted, diff }, () => paintDiff(diff));
  if (flags.json === true) return;
  if (plan.isEmpty) note("No changes.");
  for (const line of notMountedLines(plan.notMounted, paths.show)) note(line);
}

const DIFF_BUDGET = 10_000_000;

/** Where the folders were taken in: what came after it is work. */
async function mountedAt(session: Session): Promise<number> {
  const [last] = await session.log({ kind: "mount", newestFirst: true, limit: 1 });
  return last?.seq ?? 0;
}

function diffText({ files, moreFiles }: SessionDiff): string {
  const shown = files.map((file) => withoutLastBreak(`${headOf(file)}\n${bodyOf(file)}`));
  return [...shown, ...(moreFiles > 0 ? [`... and ${plural(moreFiles, "more file")}`] : [])].join("\n");
}

function headOf({ path, change }: FileDiff): string {
  const name = relativePath(path);
  return `--- ${change === "added" ? "/dev/null" : `a/${name}`}\n+++ ${change === "removed" ? "/dev/null" : `b/${name}`}`;
}

function bodyOf({ before, after, hunks, withoutHunks }: FileDiff): string {
  const body = sideChanges(before, after).map((one) => `[${one}]\n`);
  return body.join("") + (hunks === undefined ? `[${withoutHunks ?? "not shown"}]` : showHunks(hunks));
}
