// Owns: records as an agent may see them: which ones a token or number means, whose they are, and what they are about.

import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { pathNamedBy } from "../../session/files/workspace.ts";
import { isHistoryKey } from "../../session/record-keys.ts";
import { SNAPSHOTS_KEY } from "../../session/snapshots.ts";
import type { JournalRecord, Key, Position } from "../../store/journal.ts";
import { readAnyToken } from "../../store/token.ts";
import type { Pacer } from "../../text/steps.ts";
import type { ReadCtx } from "../tool.ts";
import { targetName } from "./_target-names.ts";

/** How callers name a record, or the place in history right after it: by its number or its token, as lists print them. */
export const recordRef: z.ZodUnion<readonly [z.ZodInt, z.ZodString]> = z.union([z.int().min(0), z.string()]);

export type RecordRef = z.output<typeof recordRef>;

/** The number of the record that is meant; undefined for text that is neither number nor token. */
export function recordNumber(ref: RecordRef): number | undefined {
  if (typeof ref === "number") return ref;
  return /^\d{1,15}$/.test(ref) ? Number(ref) : readAnyToken(ref)?.at.seq;
}

/** A record of this history. Throws where a token is none of it; a number is taken as it is. */
export async function recordNamed(ctx: ReadCtx, ref: RecordRef, what: Shown): Promise<number> {
  return typeof ref === "number" ? ref : (await positionNamed(ctx, ref, what)).seq;
}

/** A position of this history by its number or its token, of a file, a tree or a snapshot. Throws when it is none. */
export async function positionNamed(ctx: ReadCtx, ref: RecordRef, what: Shown): Promise<Position> {
  const seq = recordNumber(ref);
  const at = typeof ref === "string" ? readAnyToken(ref)?.at : undefined;
  if (seq === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "bad_token",
      say`${what} is neither a version token nor the number of a record. Use one that a call returned.`,
    );
  const there = seq === 0 ? (await ctx.past({ seq: 0, hash: "" })).at : await recordAt(ctx, seq);
  if (there === undefined || !there.hash.startsWith(at?.hash ?? ""))
    throw new HoldfastError(
      "conflict",
      "unknown_position",
      say`${echo(String(ref))} is not part of this session's history, whose newest record is ${ctx.at.seq}. Name an earlier one, or read again to get a current token.`,
      { data: { newest: ctx.at.seq } },
    );
  return { seq: there.seq, hash: there.hash };
}

export async function recordAt(ctx: ReadCtx, seq: number): Promise<JournalRecord | undefined> {
  const [record] = await ctx.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record?.seq === seq && seq <= ctx.at.seq ? record : undefined;
}

/** Does a rule of the host hide what a key is about? */
export function isHidden(ctx: ReadCtx, key: Key): boolean {
  const path = pathNamedBy(key);
  return path !== undefined && !ctx.files.permission(path).read;
}

/** What a record is about, as callers name it, without what is hidden; undefined when nothing else is left of it. */
export async function aboutOf(
  ctx: ReadCtx,
  { targets, keys }: JournalRecord,
  pace: Pacer,
): Promise<string[] | undefined> {
  const changed = keys.filter((key) => key.startsWith("file:") || key.startsWith("tree:"));
  // A snapshot is about its name, not about the list of all; a restore about what it changed, not about its position.
  const own = targets.filter((key) => key !== SNAPSHOTS_KEY && !isHistoryKey(key));
  const names = new Set<string>();
  for (const key of own.length > 0 ? own : changed) {
    if (!isHidden(ctx, key)) names.add(targetName(key));
    await pace.step();
  }
  const isAllHidden = names.size === 0 && own.length + changed.length > 0;
  if (isAllHidden || (changed.length > 0 && changed.every((key) => isHidden(ctx, key)))) return undefined;
  return [...names];
}

const BATCH = 256;

/** Throws `forbidden` / `others_work` where another than the caller has changed one of `keys` after a position. */
export async function requireOwn(ctx: ReadCtx, keys: ReadonlySet<Key>, after: number): Promise<void> {
  if (ctx.permissions.restoreAll || keys.size === 0) return;
  const isWork = (key: Key): boolean => keys.has(key) && !isName(key) && !isHidden(ctx, key);
  for (let from = after; ;) {
    const records = await ctx.records({ after: from, upTo: ctx.at.seq, limit: BATCH });
    for (const { seq, agent, keys: touched } of records) {
      from = seq;
      if (agent === ctx.agent.id) continue;
      const key = touched.find(isWork);
      if (key !== undefined)
        throw new HoldfastError(
          "forbidden",
          "others_work",
          say`This would revert the work of ${echo(agent)} in ${shownKey(key)} (record ${seq}). Restore a part that only you have changed, or ask the host.`,
        );
    }
    if (records.length < BATCH) return;
  }
}

/** Keys of which names there are: another name in the same directory is nobody's work here. */
function isName(key: Key): boolean {
  return key.startsWith("dir:") || key.startsWith("fold:") || key === "trees";
}

function shownKey(key: Key): Shown {
  return pathNamedBy(key) ?? (key.slice(key.indexOf(":") + 1) as Shown);
}
