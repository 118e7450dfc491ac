// Owns: version tokens that a caller pins: reading them, checking them, and saying what changed instead.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { isUnder, type WorkspacePath } from "../path/index.ts";
import type { Expectation, Journal, Position } from "../store/journal.ts";
import { parseToken, tokenOf } from "../store/token.ts";
import { showJson } from "../text/show.ts";
import type { WriteArguments } from "./input.ts";
import { fileTarget, type Target, type TokenForm } from "./tool.ts";

/** A token that is a place in history and nothing else. */
export const PLAIN_TOKENS: TokenForm = {
  write: (at) => tokenOf(at),
  read(text) {
    const at = parseToken(text);
    return at === undefined ? undefined : { at };
  },
};

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

/**
 * What the caller's `expectedVersion` pins. Throws `invalid_argument` for a token that is none or names no target of
 * the call.
 */
export function pinsOf(
  expected: WriteArguments["expectedVersion"],
  targets: readonly Target[],
  pathOf: (name: string) => WorkspacePath,
  form: TokenForm,
): Pin[] {
  if (expected === undefined) return [];
  if (typeof expected !== "string")
    return Array.from(expected, ([name, token]) => {
      const target = targets.find((one) => one.name === name) ?? fileAmong(targets, pathOf(name));
      if (target === undefined)
        throw badToken(say`${echo(name)} is not changed by this call. It changes ${names(targets)}.`);
      return pin(target, token, form);
    });
  const changed = targets.filter((one) => one.pin !== "optional");
  const [target, ...others] = changed.length === 0 ? targets : changed;
  if (target === undefined)
    throw badToken(say`This call changes nothing that has a version. Leave expectedVersion out.`);
  if (others.length > 0)
    throw badToken(
      say`This call changes ${changed.length} targets, ${names(changed)}: send expectedVersion as a map from target to token.`,
    );
  return [pin(target, expected, form)];
}

/** The target that a path names: one of them, or a file below one that stands for all files there. */
function fileAmong(targets: readonly Target[], path: WorkspacePath): Target | undefined {
  const file = fileTarget(path);
  const isBelow = targets.some(({ below }) => below !== undefined && isUnder(path, below));
  return targets.find((one) => one.key === file.key) ?? (isBelow ? file : undefined);
}

function pin(target: Target, token: string, form: TokenForm): Pin {
  const read = form.read(token);
  if (read === undefined)
    throw badToken(say`${echo(token)} is not a version token. Use the token that a read or write returned.`);
  const { at, rev } = read;
  return { key: target.key, seq: at.seq, hash: at.hash, pinned: true, target, rev };
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

/** The pinned targets that have moved. Throws `conflict` / `stale_version` for a token that is not of its target. */
export async function stalePins(
  journal: Journal,
  pins: readonly Pin[],
  write: WriteToken,
): Promise<StalePin[]> {
  const last = await journal.last(pins.map((one) => one.key));
  const stale: StalePin[] = [];
  for (const [i, pin] of pins.entries()) {
    const latest = last[i] ?? journal.genesis;
    if (pin.seq > latest.seq) throw otherToken(pin, await write(latest));
    if (latest.seq !== pin.seq || !latest.hash.startsWith(pin.hash)) stale.push({ pin, latest });
  }
  return stale;
}

/** The refusal of a token of something else: it names a record that did not change the target. */
function otherToken({ target, seq }: Pin, token: Shown): HoldfastError {
  return new HoldfastError(
    "conflict",
    "stale_version",
    say`This token is of record ${seq}, which did not change ${target.name}. The latest token of ${target.name} is ${token}: read again, then repeat the call with it.`,
    { data: { target: target.name, token, changes: [] } },
  );
}

/** The refusal of a write that must name the versions it changes and does not name all of them. */
export async function versionRequired(
  journal: Journal,
  targets: readonly Target[],
  write: WriteToken,
): Promise<HoldfastError> {
  const last = await journal.last(targets.map(({ key }) => key));
  const tokens: (readonly [name: Shown, token: Shown])[] = [];
  for (const [i, { name }] of targets.entries()) tokens.push([name, await write(last[i] ?? journal.genesis)]);
  const [[target, token] = ["" as Shown, "" as Shown], ...others] = tokens;
  if (others.length > 0)
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
