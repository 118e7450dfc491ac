// Owns: `holdfast session list|show|log|blame|verify`: reading stored sessions.

import { isUnder, ROOT, type WorkspacePath } from "../path/index.ts";
import { allSessions, type JournalRecord, type Session, type SessionInfo } from "../tools/index.ts";
import { plural } from "../text/plural.ts";
import type { ShowPath } from "./given-path.ts";
import { advised } from "./stored-command.ts";
import { requireKnown } from "./known-work.ts";
import { withStored, type SessionRunFlags as Flags } from "./stored-session.ts";
import { note, paint, printResult, printText } from "./output.ts";
import { skippedLines, skippedOf } from "./skipped-text.ts";
import { foldersNamed, NO_SESSIONS, openStore } from "./store-place.ts";
import { RefusedError } from "./usage-error.ts";
import { when } from "./when.ts";

export async function listCommand(flags: Flags): Promise<void> {
  const store = openStore(flags.store, { make: false });
  try {
    const sessions: SessionInfo[] = [];
    for await (const session of allSessions(store)) sessions.push(session);
    sessions.sort((a, b) => b.updated.getTime() - a.updated.getTime());
    const shown = sessions.map(({ id, name, created, updated, head, damaged, unreadable }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      created,
      updated,
      records: head.seq,
      ...(damaged === undefined ? {} : { damaged }),
      ...(unreadable === undefined ? {} : { unreadable }),
    }));
    printResult(flags, { sessions: shown }, () => {
      if (shown.length === 0) note(NO_SESSIONS);
      return sessions.map(lineOf).join("\n");
    });
  } finally {
    await store.close();
  }
}

function lineOf(session: SessionInfo): string {
  const { id, name, updated, head, damaged, unreadable } = session;
  if (damaged !== undefined) return `${id}  damaged (${damaged})`;
  if (unreadable !== undefined) return `${id}  cannot be read here (${unreadable})`;
  const named = (foldersNamed(session) ?? [name ?? ""]).join(", ");
  return `${id}  ${when(updated)}  ${plural(head.seq, "record")}  ${named}`.trimEnd();
}

export async function showCommand(flags: Flags): Promise<void> {
  await withStored(flags, async ({ session, info }) => {
    const files = session.files();
    const bytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
    const requests = session.landings().filter(({ state }) => state === "open");
    const folders = foldersNamed(info) ?? [];
    const skipped = skippedOf(session);
    const value = {
      id: session.id,
      folders,
      created: info.created,
      updated: info.updated,
      records: session.at.seq,
      files: files.length,
      bytes,
      landingRequests: requests,
      skipped: skipped.entries,
      skippedCount: skipped.count,
    };
    printResult(flags, value, () =>
      [
        paint("bold", session.id),
        ...folders.map((folder) => `folder   ${folder}`),
        `created  ${when(info.created)}`,
        `updated  ${when(info.updated)}`,
        `holds    ${plural(files.length, "file")}, ${plural(bytes, "byte")}, ${plural(session.at.seq, "record")}`,
        ...requests.map(({ request, agent, reason }) => `request  ${request} by ${agent}: ${reason}`),
        ...skippedLines(skipped),
      ].join("\n"),
    );
  });
}

export async function logCommand(
  flags: Flags & { readonly limit?: number; readonly agent?: string; readonly path?: string },
): Promise<void> {
  const { limit = 50, agent } = flags;
  await withStored(flags, async ({ session, paths }) => {
    const path = flags.path === undefined ? undefined : await paths.known(flags.path);
    if (agent !== undefined) await requireKnown(session, { agents: [agent] }, flags);
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
    printResult(flags, { records: shown }, () =>
      records.map((record) => logLine(record, paths.show)).join("\n"),
    );
  });
}

export async function blameCommand(given: string, flags: Flags): Promise<void> {
  await withStored(flags, async ({ session, paths }) => {
    const path = await paths.known(given);
    if (isDirectory(session, path))
      throw new RefusedError(
        "invalid_argument",
        "not_a_file",
        `${given} is a directory. Name a file in it; ${advised("log", flags, "--path", given)} lists what changed below it.`,
        { path },
      );
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

function isDirectory(session: Session, path: WorkspacePath): boolean {
  return path === ROOT || session.files().some((file) => file.path !== path && isUnder(file.path, path));
}

export async function verifyCommand(flags: Flags & { readonly blobs?: boolean }): Promise<void> {
  await withStored(flags, async ({ session }) => {
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

function logLine({ seq, time, kind, agent, tool, targets }: JournalRecord, show: ShowPath): string {
  const what = targets.map((target) => targetText(target, show)).join(" ");
  return `${String(seq).padStart(5)}  ${when(time)}  ${agent}  ${tool ?? kind}  ${what}`.trimEnd();
}

/** What a record is about: a path as it can be typed here, or what else it names. */
function targetText(target: string, show: ShowPath): string {
  const [, path] = /^(?:file|dir):(\/.*)$/s.exec(target) ?? [];
  if (path !== undefined) return show((path === "/" ? ROOT : ROOT + path) as WorkspacePath);
  return target.startsWith("landing:") ? target.replace(":", " ") : target.replace(/^[a-z]+:/, "");
}
