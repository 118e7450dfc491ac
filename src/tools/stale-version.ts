// Owns: what a conflict of versions tells its caller: what changed since the version it named, by whom, and the token to go on
// with.

import { echo, HoldfastError, say, sayAll, type Shown, type ShownData } from "../errors.ts";
import {
  sideChanges,
  diffPositions,
  withoutHunksWords,
  type FileDiff,
  type SessionDiff,
} from "../session/diff.ts";
import { pathOfFileKey } from "../session/files/file-keys.ts";
import { entriesById, fileAt, type FileEntry, type FilesState } from "../session/files/file-state.ts";
import { fileIn } from "../session/files/former-names.ts";
import type { PathRules } from "../session/files/workspace.ts";
import type { Part } from "../session/restore.ts";
import type { SessionCore } from "../session/transact.ts";
import { treeOfKey } from "../session/tree/tree-slice.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { JournalRecord, Key, Position } from "../store/journal.ts";
import { plural } from "../text/plural.ts";
import { showHunks } from "../text/show-hunks.ts";
import { Pacer } from "../text/steps.ts";
import { isSeenBelow, type StalePin, type WriteToken } from "./versions.ts";

/** Bytes of hunks that a conflict shows of what others changed, and of the caller's own edit. */
export const SHOWN_DIFF = 2_000;
const SHOWN_CHANGES = 5;
/** Records that are looked through for those of files below a directory. */
const LOOKED_AT = 200;
/** Of a tree, so many nodes. */
const SHOWN_NODES = 20;

/** Beside what changed since. */
export interface Explained {
  /** In place of "has changed since the version you named". */
  readonly happened?: Shown;
  /** The records that changed what the caller's edit is about. */
  readonly inTheWay?: readonly number[];
  /** What the caller can do besides reading again. */
  readonly advice?: Shown;
  /** The edit that found no place, as hunks over the text that the caller saw. */
  readonly mine?: Shown;
  /** Of a directory, records are told only of files that the caller may see. */
  readonly rules?: PathRules;
}

/** The refusal of pinned versions that are no longer the latest. */
export async function staleVersion(
  core: SessionCore,
  stale: readonly StalePin[],
  write: WriteToken,
  more: Explained = {},
): Promise<HoldfastError> {
  const messages: Shown[] = [];
  const told: StaleData[] = [];
  for (const one of stale) {
    const { message, data } = await explain(core, one, write, more, SHOWN_DIFF / stale.length);
    messages.push(message);
    told.push(data);
  }
  const [first, ...others] = told;
  const mine: Shown = more.mine === undefined ? say`` : say`\nYour edit:\n${more.mine}`;
  const { inTheWay = [] } = more;
  return new HoldfastError("conflict", "stale_version", say`${sayAll(messages, "\n")}${mine}`, {
    data: {
      ...first,
      ...(inTheWay.length > 0 ? { inTheWay } : {}),
      ...(others.length > 0 ? { others } : {}),
    },
  });
}

interface StaleData {
  readonly [name: string]: ShownData;
  readonly target: Shown;
  readonly token: Shown;
  readonly changes: readonly ShownData[];
}

async function explain(
  core: SessionCore,
  { pin, latest }: StalePin,
  write: WriteToken,
  { happened = say`has changed since the version you named`, advice, mine, rules }: Explained,
  budget: number,
): Promise<{ readonly message: Shown; readonly data: StaleData }> {
  const { target, key, seq } = pin;
  const directory = target.below;
  // An edit of a file below a directory does not touch the directory's own key.
  const query = directory === undefined ? { key, limit: SHOWN_CHANGES } : { limit: LOOKED_AT };
  const all = await core.journal.records({ ...query, after: seq, newestFirst: true });
  const since =
    directory === undefined || rules === undefined
      ? all.slice(0, SHOWN_CHANGES)
      : all.filter((one) => isSeenBelow(one, directory, rules)).slice(0, SHOWN_CHANGES);
  const token = await write(latest);
  const missing = isMissing(core, key);
  const moved = missing ? await movedAway(core, pin, rules) : undefined;
  const diff = moved === undefined ? await changedSince(core, { pin, latest }, budget) : undefined;
  const next = diff?.isWhole === true ? say`look at the change below` : say`read again`;
  const again =
    mine === undefined ? say`repeat the call with it` : say`send it with an edit of the text as it is now`;
  const below: Shown = diff === undefined ? say`` : say`\n${diff.text}`;
  const data = { target: target.name, token, changes: since.map(summary) };
  const then = missing
    ? (moved ?? say`There is no such file now: to make it anew, use write_file without expectedVersion.`)
    : say`The latest token is ${token}: ${next}, then ${again}${advice ?? say``}.`;
  return {
    data: diff === undefined ? data : { ...data, diff: diff.text },
    message: say`${target.name} ${happened}${changedBy(since)}. ${then}${below}`,
  };
}

/** What became of a file that was moved: where it is now, if the caller may see that. Undefined for one that was not. */
async function movedAway(
  { timeline }: SessionCore,
  pin: StalePin["pin"],
  rules: PathRules | undefined,
): Promise<Shown | undefined> {
  const path = pathOfFileKey(pin.key);
  const was = path === undefined ? undefined : await fileThen(timeline, pin, path);
  const files = timeline.state.slices.get("files") as FilesState;
  const now = was && (await entriesById(files, new Pacer())).get(was.id);
  if (now === undefined) return undefined;
  return rules?.of(now.path).read === true
    ? say`It was moved to ${now.path}: name it there, with the token that reading it returns.`
    : say`It was moved.`;
}

/** The file as the caller saw it; undefined where there was none, or the version is pruned or of another timeline. */
export async function fileThen(
  timeline: SessionCore["timeline"],
  { seq, hash }: Position,
  path: WorkspacePath,
): Promise<FileEntry | undefined> {
  try {
    return fileIn(await timeline.past({ seq, hash }), path);
  } catch (error) {
    if (HoldfastError.is(error) && error.code === "conflict") return undefined;
    throw error;
  }
}

/** Is a key that of a file that does not exist? */
function isMissing({ timeline }: SessionCore, key: Key): boolean {
  const path = pathOfFileKey(key);
  return path !== undefined && fileAt(timeline.state.slices.get("files") as FilesState, path) === undefined;
}

/** What changed in a target, as lines. */
interface Told {
  readonly text: Shown;
  /** All of it is there. */
  readonly isWhole: boolean;
}

/** Undefined where that cannot be told: a target without content, or a version that is pruned or of another timeline. */
async function changedSince(
  core: SessionCore,
  { pin: { key, seq, hash }, latest }: StalePin,
  budget: number,
): Promise<Told | undefined> {
  const part = partOf(key);
  if (part === undefined) return undefined;
  try {
    const diff = await diffPositions(core, { from: { seq, hash }, to: latest, budget, ...part });
    return shownDiff(diff);
  } catch (error) {
    if (HoldfastError.is(error) && error.code === "conflict") return undefined;
    throw error;
  }
}

function partOf(key: Key): Part | undefined {
  const path = pathOfFileKey(key);
  if (path !== undefined) return { path };
  const tree = treeOfKey(key);
  return tree === undefined ? undefined : { slice: "tree", scope: tree };
}

function shownDiff({ files, slices }: SessionDiff): Told | undefined {
  const [file] = files;
  if (file !== undefined) return shownFile(file);
  const nodes = slices["tree"];
  if (nodes === undefined) return undefined;
  const lines = [
    ...nodes.added.map((name) => say`+ ${name}`),
    ...nodes.changed.map((name) => say`~ ${name}`),
    ...nodes.removed.map((name) => say`- ${name}`),
  ];
  const more = lines.length - SHOWN_NODES;
  const tail = more > 0 ? [say`\\ ${plural(more, "more change") as Shown} not shown`] : [];
  return { text: sayAll([...lines.slice(0, SHOWN_NODES), ...tail], "\n"), isWhole: false };
}

function shownFile({ change, before, after, hunks, withoutHunks }: FileDiff): Told {
  if (change === "removed") return { text: say`It was deleted.`, isWhole: true };
  if (hunks !== undefined) {
    const parts = [...sideChanges(before, after).map((one) => say`[${one}]`), showHunks(hunks) as Shown];
    const text = sayAll(
      parts.filter((part) => part !== ""),
      "\n",
    );
    return { text, isWhole: hunks.exact && change === "changed" };
  }
  const size = say`${plural(after?.size_bytes ?? 0, "byte") as Shown}`;
  return { text: say`It has ${size} now: ${withoutHunksWords(withoutHunks)}.`, isWhole: false };
}

function changedBy(records: readonly JournalRecord[]): Shown {
  const [newest] = records;
  if (newest === undefined) return say``;
  return say` (last by ${echo(newest.agent)} with ${(newest.tool ?? newest.kind) as Shown}, record ${newest.seq})`;
}

function summary(record: JournalRecord): { record: number; agent: Shown; tool: Shown; time: Shown } {
  const { seq, agent, tool, kind, time } = record;
  return {
    record: seq,
    agent: agent as Shown,
    tool: (tool ?? kind) as Shown,
    time: time.toISOString() as Shown,
  };
}
