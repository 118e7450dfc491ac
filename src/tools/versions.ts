// Owns: version tokens that a caller pins: reading them, checking them, and saying what changed instead.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { isUnder, type WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import { pathOfFileKey } from "../session/files/file-keys.ts";
import { fileAt, filesUnder, type FilesState } from "../session/files/file-state.ts";
import type { PathRules } from "../session/files/workspace.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Expectation, Journal, JournalRecord, Key, Position } from "../store/journal.ts";
import { readAnyToken, tokenOf } from "../store/token.ts";
import { showJson } from "../text/show.ts";
import type { WriteArguments } from "./input.ts";
import { fileTarget, pathOfTarget, type BasedTarget, type Target, type TokenForm } from "./tool.ts";

/** A token that is a place in history and nothing else. */
export const PLAIN_TOKENS: TokenForm = { write: (at) => tokenOf(at), read: readAnyToken };

/**
 * Writes the token of a place as the caller's next call should send it. The state here is at least as new when it resolves:
 * the next read sees what the token names.
 */
export type WriteToken = (at: Position) => Promise<Shown>;

export interface Pin extends Expectation {
  readonly hash: string;
  readonly target: Target;
  /** The view that the token names. */
  readonly rev: number | undefined;
}

/** Keys whose version a caller named. */
export type PinnedKeys = Pick<ReadonlySet<Key>, "has">;

/** What a call can name versions of: its targets, and what it may change besides. */
export interface Pinnable {
  readonly targets: readonly Target[];
  readonly mayChange: readonly Target[];
}

/**
 * What the caller's `expectedVersion` pins. Throws `invalid_argument` for a token that is none or names no target of
 * the call.
 */
export function pinsOf(
  expected: WriteArguments["expectedVersion"],
  { targets, mayChange }: Pinnable,
  pathOf: (name: string) => WorkspacePath,
  form: TokenForm,
): Pin[] {
  if (expected === undefined) return [];
  const all = [...targets, ...mayChange];
  if (all.length === 0)
    throw badToken(say`This call changes nothing that has a version. Leave expectedVersion out.`);
  if (typeof expected !== "string")
    return Array.from(expected, ([name, token]) => {
      const target = all.find((one) => one.name === name) ?? fileAmong(all, pathOf(name));
      if (target === undefined)
        throw badToken(say`${echo(name)} is not changed by this call. It changes ${names(all)}.`);
      return pin(target, token, form);
    });
  return [pin(onlyTarget(targets) ?? (all[0] as Target), expected, form)];
}

/** What the input of a call pins besides. What is no token the run refuses in words of its own. */
export function basedPins(based: readonly BasedTarget[], form: TokenForm): Pin[] {
  return based.flatMap(({ version, ...target }) =>
    form.read(version) === undefined ? [] : [pin(target, version, form)],
  );
}

/** The target that one token is of; undefined where the call has none of its own. */
function onlyTarget(targets: readonly Target[]): Target | undefined {
  const changed = targets.filter((one) => one.pin !== "optional");
  const meant = changed.length === 0 ? targets : changed;
  if (meant.length > 1)
    throw badToken(
      say`This call changes ${meant.length} targets, ${names(meant)}: send expectedVersion as a map from target to token.`,
    );
  return meant[0];
}

/** The target that a path names: one of them, or a file below one that stands for all files there. */
function fileAmong(targets: readonly Target[], path: WorkspacePath): Target | undefined {
  const isBelow = targets.some(({ below }) => below !== undefined && isUnder(path, below));
  return targets.find((one) => pathOfTarget(one) === path) ?? (isBelow ? fileTarget(path) : undefined);
}

function pin(target: Target, token: string, form: TokenForm): Pin {
  const read = form.read(token);
  if (read === undefined)
    throw badToken(say`${echo(token)} is not a version token. Use the token that a read or write returned.`);
  const { at, rev } = read;
  // Of all files below a directory the token says up to where the caller knows them: it may be that of any of them.
  const isExact = target.below === undefined;
  return { key: target.key, seq: at.seq, hash: at.hash, pinned: isExact, target, rev };
}

function badToken(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_token", message);
}

function names(targets: readonly Target[]): Shown {
  return sayAll(targets.map((target) => target.name));
}

/** A pinned target that has moved: where it is now. */
export interface StalePin {
  readonly pin: Pin;
  readonly latest: Position;
}

/**
 * The pinned targets that have moved; of all files below a directory that is {@link movedNames}. Throws `conflict` /
 * `stale_version` for a token that is not of its target.
 */
export async function stalePins(
  core: SessionCore,
  pins: readonly Pin[],
  rules: PathRules,
  write: WriteToken,
): Promise<StalePin[]> {
  const { journal } = core;
  const last = await journal.last(pins.map((one) => one.key));
  const stale: StalePin[] = [];
  for (const [i, pin] of pins.entries()) {
    const latest = last[i] ?? journal.genesis;
    const isBelow = pin.target.below !== undefined;
    if (isBelow ? !(await isOfRecord(journal, pin)) : pin.seq > latest.seq) {
      const token = await write(await newest(core, pin.target, latest, rules));
      const path = pathOfFileKey(pin.key);
      const state = core.timeline.state.slices.get("files") as FilesState;
      const isMissing = path !== undefined && fileAt(state, path) === undefined;
      const isOurs = await isOfRecord(journal, pin);
      throw otherToken(pin, token, { isMissing, newest: isOurs ? undefined : core.timeline.state.at.seq });
    }
    if (!isBelow && (latest.seq !== pin.seq || !latest.hash.startsWith(pin.hash)))
      stale.push({ pin, latest });
  }
  return stale;
}

async function isOfRecord(journal: Journal, { seq, hash }: Pin): Promise<boolean> {
  if (seq === 0) return journal.genesis.hash.startsWith(hash);
  const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record?.hash.startsWith(hash) === true;
}

/** The pinned directories in which names came or went, as far as the caller may see: up to a record, or up to now. */
export async function movedNames(
  core: SessionCore,
  pins: readonly Pin[],
  rules: PathRules,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<StalePin[]> {
  const moved: StalePin[] = [];
  for (const pin of pins) {
    const at = await namesChangedAt(core.journal, pin.target, rules, pin.seq, upTo);
    if (at !== undefined) moved.push({ pin, latest: await newest(core, pin.target, at, rules) });
  }
  return moved;
}

const RECORDS_AT_ONCE = 100;

/** The newest record by which a name came or went in a directory, as far as the caller may see; undefined for other targets. */
async function namesChangedAt(
  journal: Journal,
  { key, below }: Target,
  rules: PathRules,
  after: number,
  upTo: number,
): Promise<Position | undefined> {
  if (below === undefined) return undefined;
  for (let last = upTo; ;) {
    const query = { key, after, upTo: last, newestFirst: true, limit: RECORDS_AT_ONCE };
    const records = await journal.records(query);
    const found = records.find((record) => isSeenBelow(record, below, rules));
    if (found !== undefined || records.length < RECORDS_AT_ONCE) return found;
    last = (records.at(-1)?.seq ?? 0) - 1;
  }
}

/** Whether a record changed a file below a directory that the caller may see. */
export function isSeenBelow({ keys }: JournalRecord, below: WorkspacePath, rules: PathRules): boolean {
  return keys.some((key) => {
    const path = pathOfFileKey(key);
    return path !== undefined && isUnder(path, below) && rules.of(path).read;
  });
}

/**
 * Where a target is now, whose key was last touched at `latest`: of all files below a directory, the newest of them that the
 * caller may see.
 */
export async function newest(
  { journal, timeline }: SessionCore,
  target: Target,
  latest: Position,
  rules: PathRules,
): Promise<Position> {
  const { below } = target;
  if (below === undefined) return latest;
  await timeline.catchUp();
  const { at: head, slices } = timeline.state;
  let found = (await namesChangedAt(journal, target, rules, 0, head.seq)) ?? journal.genesis;
  for (const { path, at } of filesUnder(slices.get("files") as FilesState, below))
    if (at.seq > found.seq && rules.of(path).read) found = at;
  return found;
}

/** Keys whose version the caller named: the pinned ones, those of all files below a pinned directory, and what it named besides. */
export function pinnedKeys(pins: readonly Pin[], based: readonly Target[] = []): PinnedKeys {
  const keys = new Set([...pins, ...based].map(({ key }) => key));
  const directories = pins.flatMap(({ target: { below } }) => (below === undefined ? [] : [below]));
  return {
    has(key) {
      const path = keys.has(key) || directories.length === 0 ? undefined : pathOfFileKey(key);
      return keys.has(key) || (path !== undefined && directories.some((below) => isUnder(path, below)));
    },
  };
}

/** A pinned directory, and the files below it that the call works on and that have changed since. */
export interface StaleBelow {
  readonly pin: Pin;
  readonly paths: readonly WorkspacePath[];
}

/** The pinned directories below which a run works on files that have changed since; files with a pin of their own are fine. */
export function staleBelow(draft: Draft, pins: readonly Pin[]): StaleBelow[] {
  const state = draft.base.slices.get("files") as FilesState;
  const own = new Set(pins.map(({ key }) => key));
  return pins.flatMap((pin) => {
    const { below, pin: how } = pin.target;
    if (below === undefined) return [];
    const paths: WorkspacePath[] = [];
    for (const key of how === "read" ? draft.reads : draft.touched) {
      const path = own.has(key) ? undefined : pathOfFileKey(key);
      if (path !== undefined && isUnder(path, below) && (fileAt(state, path)?.at.seq ?? 0) > pin.seq)
        paths.push(path);
    }
    return paths.length === 0 ? [] : [{ pin, paths }];
  });
}

/**
 * The refusal of a token of something else: it names a record that did not change the target, or none of this history, whose newest
 * record is then told.
 */
function otherToken(
  { target, seq }: Pin,
  token: Shown,
  { isMissing, newest }: { readonly isMissing: boolean; readonly newest: number | undefined },
): HoldfastError {
  const what =
    newest === undefined
      ? say`This token is of record ${seq}, which did not change ${target.name}.`
      : say`This token is not part of this session's history, whose newest record is ${newest}.`;
  const then = isMissing
    ? say`There is no such file now: to make it, leave expectedVersion out; to change one, name a file that exists.`
    : say`The latest token of ${target.name} is ${token}: read again, then repeat the call with it.`;
  return new HoldfastError("conflict", "stale_version", say`${what} ${then}`, {
    data: { target: target.name, token, changes: [] },
  });
}

interface RequiredVersions {
  /** The versions that the caller did name. */
  readonly given?: ReadonlyMap<Key, Position>;
  /** The call takes a map and not one token. */
  readonly isMap?: boolean;
}

/** The refusal of a write that must name the versions it changes and does not name all of them. */
export async function versionRequired(
  core: SessionCore,
  targets: readonly Target[],
  rules: PathRules,
  write: WriteToken,
  { given, isMap = targets.length > 1 }: RequiredVersions = {},
): Promise<HoldfastError> {
  const { journal } = core;
  const last = await journal.last(targets.map(({ key }) => key));
  const tokens: (readonly [name: Shown, token: Shown])[] = [];
  for (const [i, target] of targets.entries()) {
    const at = given?.get(target.key) ?? (await newest(core, target, last[i] ?? journal.genesis, rules));
    tokens.push([target.name, await write(at)]);
  }
  const [[target, token] = ["" as Shown, "" as Shown]] = tokens;
  if (isMap)
    return new HoldfastError(
      "conflict",
      "version_required",
      say`This call must name the versions of all that it changes. Send as expectedVersion: ${showJson(Object.fromEntries(tokens))}.`,
      { data: { tokens: Object.fromEntries(tokens) } },
    );
  return new HoldfastError(
    "conflict",
    "version_required",
    say`This call must name the version of ${target} that it changes. The latest token is ${token}: send it as expectedVersion.`,
    { data: { target, token } },
  );
}

/** The refusal of a view call whose token names an older view of the agent's own, or none. */
export async function staleView(
  journal: Journal,
  { target, rev }: Pin,
  write: WriteToken,
): Promise<HoldfastError> {
  const token = await write(await latestOf(journal, target));
  if (rev === undefined)
    return new HoldfastError(
      "conflict",
      "stale_version",
      say`This token names no view of yours: it is that of a record. The latest token of ${target.name} is ${token}: repeat the call with it.`,
      { data: { target: target.name, token, changes: [] } },
    );
  return new HoldfastError(
    "conflict",
    "stale_version",
    say`Your view of ${target.name} has changed since the version you named. The latest token is ${token}: look again, then repeat the call with it.`,
    { data: { target: target.name, token, changes: [] } },
  );
}

async function latestOf(journal: Journal, target: Target): Promise<Position> {
  const [at] = await journal.last([target.key]);
  return at ?? journal.genesis;
}
