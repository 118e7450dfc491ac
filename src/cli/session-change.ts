// Owns: `holdfast session undo|snapshot|restore|fork|reset|prune|rm`: changing stored sessions, as the host.

import { HoldfastError } from "../errors.ts";
import { plural } from "../text/plural.ts";
import { advised } from "./stored-command.ts";
import { storedInfo, positionGiven, withStored, type SessionRunFlags as Flags } from "./stored-session.ts";
import { printResult } from "./output.ts";
import { openStore } from "./store-place.ts";
import { RefusedError, UsageError } from "./usage-error.ts";
import { when } from "./when.ts";

interface UndoFlags extends Flags {
  readonly agent?: string;
  readonly since?: number;
  readonly path?: string;
  readonly partial?: boolean;
  readonly dryRun?: boolean;
}

/** `record`: those to take back together. None, and no agent: the last change. */
export async function undoCommand(record: readonly number[], flags: UndoFlags): Promise<void> {
  const { agent, since = 0, partial = false, dryRun = false } = flags;
  if (record.length > 0 && agent !== undefined)
    throw new UsageError("Name records, or --agent for all that an agent did, not both.");
  if (flags.since !== undefined && agent === undefined)
    throw new UsageError("--since goes with --agent: all that this agent did after that record.");
  await withStored(flags, async ({ session, paths }) => {
    const path = flags.path === undefined ? undefined : await paths.known(flags.path);
    const which =
      record.length > 0 ? { record } : agent !== undefined ? { agent, since } : { last: true as const };
    const part = path === undefined ? {} : { path };
    const { undone, refused, at } = await session
      .undo({ ...which, partial, dryRun, ...part })
      .catch((error: unknown) => inOwnWords(error, flags));
    const refusals = refused.map(({ seq, refusal }) => ({ record: seq, message: refusal.message }));
    printResult(flags, { undone, refused: refusals, at, dryRun }, () =>
      [
        `${dryRun ? "Would undo" : "Undid"} ${plural(undone.length, "record")}: ${undone.join(", ")}`,
        ...refusals.map(({ record: seq, message }) => `Not undone: record ${seq}: ${message}`),
      ].join("\n"),
    );
  });
}

/** A tool's argument is an option here, and a tool a command. */
function inOwnWords(error: unknown, flags: Flags): never {
  if (!HoldfastError.is(error)) throw error;
  const { code, reason, message, data } = error;
  const own = message
    .replace(/the error's data lists all, as (?=together|undoneBy)/, "--json lists all, as error.data.")
    .replace(", or set partial to", ", or add --partial to");
  const said = reason === "nothing_to_undo" ? `${own} ${advised("log", flags)} lists the records.` : own;
  if (said === message) throw error;
  throw new RefusedError(code, reason, said, (data ?? {}) as object);
}

export async function snapshotCommand(label: string | undefined, flags: Flags): Promise<void> {
  await withStored(flags, async ({ session }) => {
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
  await withStored(flags, async ({ session, paths }) => {
    const part = path === undefined ? {} : { path: await paths.known(path) };
    const { changes, at } = await session.restore({
      to: await positionGiven(session, position),
      dryRun,
      ...part,
    });
    const count = Object.values(changes).reduce((sum, one) => sum + one, 0);
    printResult(
      flags,
      { changes, at, dryRun },
      () => `${dryRun ? "Would restore" : "Restored"} ${position}: ${plural(count, "change")}`,
    );
  });
}

export async function forkCommand(flags: Flags & { readonly at?: string }): Promise<void> {
  await withStored(flags, async ({ session }) => {
    await using fork = await session.fork(
      flags.at === undefined ? {} : { at: await positionGiven(session, flags.at) },
    );
    printResult(flags, { id: fork.id, of: session.id }, () => `Session ${fork.id}`);
  });
}

export async function resetCommand(flags: Flags): Promise<void> {
  await withStored(flags, async ({ session }) => {
    const { at } = await session.reset();
    printResult(
      flags,
      { id: session.id, at, files: session.files().length },
      () => `Session ${session.id} begins anew with ${plural(session.files().length, "file")}`,
    );
  });
}

export async function pruneCommand(flags: Flags & { readonly before: number }): Promise<void> {
  await withStored(flags, async ({ session }) => {
    const pruned = await session.prune({ before: flags.before });
    printResult(
      flags,
      pruned,
      () => `Records before ${pruned.before} are forgotten; about ${plural(pruned.bytes, "byte")} freed`,
    );
  });
}

/** Removing needs a name: the session of the current folder is not thrown away because none is given. */
export async function removeCommand(flags: Flags): Promise<void> {
  if (flags.session === undefined)
    throw new UsageError(
      `Name the session to remove with --session. ${advised("list", flags)} shows those there are.`,
    );
  const store = openStore(flags.store, { make: false });
  try {
    const { id } = await storedInfo(store, flags);
    await store.remove(id);
    printResult(flags, { id }, () => `Removed session ${id}`);
  } finally {
    await store.close();
  }
}
