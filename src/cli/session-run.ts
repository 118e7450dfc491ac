// Owns: what the commands of `holdfast session` do.

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  allSessions,
  type FileDiff,
  type JournalRecord,
  type Session,
  type SessionInfo,
  type SessionDiff,
} from "../tools/index.ts";
import { relativePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import { showHunks } from "../text/show-hunks.ts";
import { keptInfo, refreshCommandOf, withKept, type KeptFlags } from "./kept-session.ts";
import { note, paint, paintDiff, printResult, printText, type JsonFlag } from "./output.ts";
import { fileLine, notMountedLines, outsideLines } from "./plan-text.ts";
import { foldersNamed, openStore } from "./store-place.ts";
import { UsageError } from "./usage-error.ts";

type Flags = KeptFlags & JsonFlag;

export async function listCommand(flags: Flags): Promise<void> {
  const store = openStore(flags.store, { make: false });
  try {
    const sessions: SessionInfo[] = [];
    for await (const session of allSessions(store)) sessions.push(session);
    sessions.sort((a, b) => b.updated.getTime() - a.updated.getTime());
    const shown = sessions.map(({ id, name, created, updated, head, damaged }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      created,
      updated,
      records: head.seq,
      ...(damaged === undefined ? {} : { damaged }),
    }));
    printResult(flags, { sessions: shown }, () => {
      if (shown.length === 0)
        note("There are no kept sessions yet. holdfast mcp FOLDER makes one for a folder.");
      return sessions
        .map((one) =>
          `${one.id}  ${when(one.updated)}  ${plural(one.head.seq, "record")}  ${(foldersNamed(one) ?? [one.name ?? ""]).join(", ")}`.trimEnd(),
        )
        .join("\n");
    });
  } finally {
    await store.close();
  }
}

export async function showCommand(flags: Flags): Promise<void> {
  await withKept(flags, async ({ session, info }) => {
    const files = session.files();
    const bytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
    const requests = session.landings().filter(({ state }) => state === "open");
    const folders = foldersNamed(info) ?? [];
    const value = {
      id: session.id,
      folders,
      created: info.created,
      updated: info.updated,
      records: session.at.seq,
      files: files.length,
      bytes,
      landingRequests: requests,
    };
    printResult(flags, value, () =>
      [
        paint("bold", session.id),
        ...folders.map((folder) => `folder   ${folder}`),
        `created  ${when(info.created)}`,
        `updated  ${when(info.updated)}`,
        `holds    ${plural(files.length, "file")}, ${plural(bytes, "byte")}, ${plural(session.at.seq, "record")}`,
        ...requests.map(({ request, agent, reason }) => `request  ${request} by ${agent}: ${reason}`),
      ].join("\n"),
    );
  });
}

export async function statusCommand(flags: Flags): Promise<void> {
  await withKept(flags, async ({ session, folders }) => {
    const { files, conflicts, outside, notMounted } = await session.plan();
    const value = {
      id: session.id,
      folders,
      records: session.at.seq,
      files: files.map(({ path, from, kind, agents }) => ({ path, from, kind, agents })),
      outside,
      conflicts: conflicts.map(({ path, reason }) => ({ path, reason })),
      notMounted,
    };
    printResult(flags, value, () =>
      [
        `Session ${paint("bold", session.id)}`,
        files.length === 0 ? "Nothing to land." : `${plural(files.length, "file")} to land (holdfast land):`,
        ...files.map(fileLine),
        ...outsideLines(outside),
        ...notMountedLines(notMounted),
        ...conflicts.map(({ path }) => `${paint("red", "conflict")} ${relativePath(path)}`),
        ...(outside.length === 0 ? [] : [`${refreshCommandOf(flags)} brings in what changed in the folder.`]),
      ].join("\n"),
    );
  });
}

export async function logCommand(
  flags: Flags & { readonly limit?: number; readonly agent?: string; readonly path?: string },
): Promise<void> {
  const { limit = 50, agent, path } = flags;
  await withKept(flags, async ({ session }) => {
    const only = { ...(agent === undefined ? {} : { agent }), ...(path === undefined ? {} : { path }) };
    const records = await session.log({ newestFirst: true, limit, ...only });
    const shown = records.map(({ seq, time, kind, agent: by, tool, targets }) => ({
      seq,
      time,
      kind,
      agent: by,
      ...(tool === undefined ? {} : { tool }),
      targets,
    }));
    printResult(flags, { records: shown }, () => records.map(logLine).join("\n"));
  });
}

export async function diffCommand(
  path: string | undefined,
  flags: Flags & { readonly from?: string; readonly to?: string },
): Promise<void> {
  await withKept(flags, async ({ session, isMounted }) => {
    const isNow = flags.from === undefined && flags.to === undefined;
    if (isNow && isMounted) return folderDiff(session, path, flags);
    const from = flags.from === undefined ? await mountedAt(session) : positionGiven(flags.from);
    const to = flags.to === undefined ? {} : { to: positionGiven(flags.to) };
    const diff = await session.diff({
      from,
      ...to,
      budget: DIFF_BUDGET,
      ...(path === undefined ? {} : { path }),
    });
    const text = diffText(diff);
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
async function folderDiff(session: Session, path: string | undefined, flags: Flags): Promise<void> {
  const plan = await session.plan(path === undefined ? {} : { paths: [path] });
  const diff = await plan.text();
  const files = plan.files.map(({ path: at, from, kind }) => ({ path: at, from, kind }));
  printResult(flags, { to: plan.position, files, notMounted: plan.notMounted, diff }, () => paintDiff(diff));
  if (flags.json === true) return;
  if (plan.isEmpty) note("No changes.");
  for (const line of notMountedLines(plan.notMounted)) note(line);
}

export async function blameCommand(path: string, flags: Flags): Promise<void> {
  await withKept(flags, async ({ session }) => {
    const { runs } = await session.blame({ path });
    if (flags.json === true) return printResult(flags, { path, runs }, () => "");
    const lines = new TextDecoder().decode(await session.workspace.read(path)).split("\n");
    for (const { first, last, by, before } of runs)
      for (let line = first; line <= last; line++) {
        const origin = by === undefined ? `before ${before ?? ""}` : `${by.record} ${by.agent} ${by.tool}`;
        printText(`${paint("dim", origin.padEnd(32))} ${String(line).padStart(5)}  ${lines[line - 1] ?? ""}`);
      }
  });
}

export async function verifyCommand(flags: Flags & { readonly blobs?: boolean }): Promise<void> {
  await withKept(flags, async ({ session }) => {
    const { ok, ...found } = await session.verify({ blobs: flags.blobs ?? false });
    if (!ok) process.exitCode = 1;
    if (flags.json === true) return printResult(flags, { ...found, ok }, () => "");
    if (ok)
      printText(
        `The history holds together: ${plural((found as { checked: number }).checked, "record")} checked.`,
      );
    else
      note(
        `[Error] The history is damaged at record ${(found as { seq: number }).seq} (${(found as { what: string }).what}).`,
      );
  });
}

export async function exportCommand(folder: string, flags: Flags): Promise<void> {
  await withKept(flags, async ({ session }) => {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0)
      throw new UsageError(`${folder} is not empty. Name a new folder.`);
    const files = session.files();
    for (const { path } of files) {
      const target = join(folder, ...relativePath(path).split("/"));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, await session.workspace.read(path), { flag: "wx" });
    }
    printResult(
      flags,
      { folder, files: files.length },
      () => `Wrote ${plural(files.length, "file")} to ${folder}`,
    );
  });
}

interface UndoFlags extends Flags {
  readonly agent?: string;
  readonly since?: number;
  readonly path?: string;
  readonly partial?: boolean;
  readonly dryRun?: boolean;
}

export async function undoCommand(record: number | undefined, flags: UndoFlags): Promise<void> {
  const { agent, since = 0, path, partial = false, dryRun = false } = flags;
  if (record !== undefined && agent !== undefined)
    throw new UsageError("Name a record, or --agent for all that an agent did, not both.");
  await withKept(flags, async ({ session }) => {
    const which =
      record !== undefined
        ? { record }
        : agent !== undefined
          ? { agent, since }
          : { record: await lastChange(session) };
    const part = path === undefined ? {} : { path };
    const { undone, refused, at } = await session.undo({ ...which, partial, dryRun, ...part });
    const kept = refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message }));
    printResult(flags, { undone, refused: kept, at, dryRun }, () =>
      [
        `${dryRun ? "Would undo" : "Undid"} ${plural(undone.length, "record")}: ${undone.join(", ")}`,
        ...kept.map(({ record: seq, message }) => `Kept record ${seq}: ${message}`),
      ].join("\n"),
    );
  });
}

export async function snapshotCommand(label: string | undefined, flags: Flags): Promise<void> {
  await withKept(flags, async ({ session }) => {
    if (label === undefined) {
      const snapshots = await session.snapshots({ limit: 1000 });
      return printResult(flags, { snapshots }, () =>
        snapshots.map(({ id, label: name, time }) => `${id}  ${when(time)}  ${name}`).join("\n"),
      );
    }
    const snapshot = await session.snapshot(label);
    printResult(flags, { snapshot }, () => `Snapshot ${snapshot.id}: ${label}`);
  });
}

export async function restoreCommand(
  position: string,
  flags: Flags & { readonly path?: string; readonly dryRun?: boolean },
): Promise<void> {
  const { path, dryRun = false } = flags;
  await withKept(flags, async ({ session }) => {
    const part = path === undefined ? {} : { path };
    const { changes, at } = await session.restore({ to: positionGiven(position), dryRun, ...part });
    const count = Object.values(changes).reduce((sum, one) => sum + one, 0);
    printResult(
      flags,
      { changes, at, dryRun },
      () => `${dryRun ? "Would restore" : "Restored"} ${position}: ${plural(count, "change")}`,
    );
  });
}

export async function forkCommand(flags: Flags & { readonly at?: string }): Promise<void> {
  await withKept(flags, async ({ session }) => {
    await using fork = await session.fork(flags.at === undefined ? {} : { at: positionGiven(flags.at) });
    printResult(flags, { id: fork.id, of: session.id }, () => `Session ${fork.id}`);
  });
}

export async function resetCommand(flags: Flags): Promise<void> {
  await withKept(flags, async ({ session }) => {
    const { at } = await session.reset();
    printResult(
      flags,
      { id: session.id, at, files: session.files().length },
      () => `Session ${session.id} begins anew with ${plural(session.files().length, "file")}`,
    );
  });
}

export async function pruneCommand(flags: Flags & { readonly before: number }): Promise<void> {
  await withKept(flags, async ({ session }) => {
    const pruned = await session.prune({ before: flags.before });
    printResult(
      flags,
      pruned,
      () => `Records before ${pruned.before} are forgotten; about ${plural(pruned.bytes, "byte")} freed`,
    );
  });
}

/** Removing needs a name: the session of a folder is not thrown away by standing in it. */
export async function removeCommand(flags: Flags): Promise<void> {
  if (flags.session === undefined)
    throw new UsageError(
      "Name the session to remove with --session. holdfast session list shows those there are.",
    );
  const store = openStore(flags.store, { make: false });
  try {
    const { id } = await keptInfo(store, flags.session);
    await store.remove(id);
    printResult(flags, { id }, () => `Removed session ${id}`);
  } finally {
    await store.close();
  }
}

const DIFF_BUDGET = 10_000_000;

/** Where the folders were taken in: what came after it is work. */
async function mountedAt(session: Session): Promise<number> {
  const [last] = await session.log({ kind: "mount", newestFirst: true, limit: 1 });
  return last?.seq ?? 0;
}

async function lastChange(session: Session): Promise<number> {
  const [last] = await session.log({ kind: "call", newestFirst: true, limit: 1 });
  if (last === undefined) throw new UsageError("This session holds no change of an agent.");
  return last.seq;
}

/** A record's number as a number, so that it is not taken for a token. */
function positionGiven(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function diffText({ files, moreFiles }: SessionDiff): string {
  const shown = files.map((file) => `${headOf(file)}\n${bodyOf(file)}`.trimEnd());
  return [...shown, ...(moreFiles > 0 ? [`... and ${plural(moreFiles, "more file")}`] : [])].join("\n");
}

function headOf({ path, change }: FileDiff): string {
  const name = relativePath(path);
  return `--- ${change === "added" ? "/dev/null" : `a/${name}`}\n+++ ${change === "removed" ? "/dev/null" : `b/${name}`}`;
}

function bodyOf({ hunks, withoutHunks }: FileDiff): string {
  return hunks === undefined ? `[${withoutHunks ?? "not shown"}]` : showHunks(hunks);
}

function logLine({ seq, time, kind, agent, tool, targets }: JournalRecord): string {
  const what = targets.map((target) => target.replace(/^[a-z]+:/, "")).join(" ");
  return `${String(seq).padStart(5)}  ${when(time)}  ${agent}  ${tool ?? kind}  ${what}`.trimEnd();
}

function when(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}
