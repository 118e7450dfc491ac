// Owns: where the changes of a record are (in it, or, when they are many, in one blob as a line of JSON each), and the version
// of their encoding.
// Must never: let the rest of the session see the difference. Changes are read with `changesOf`.

import { HoldfastError, say } from "../errors.ts";
import type { BlobId, Change, Extent, Journal, JournalRecord } from "../store/journal.ts";
import { windowsOf } from "../text/byte-source.ts";
import { Pacer } from "../text/steps.ts";
import { fromEncoding1, type FileChange } from "./files/file-change.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import { isPruned, prunedUpTo } from "./pruned-records.ts";

/** The version of the encoding in which changes are written. All earlier ones are read (docs/format.md). */
export const ENCODING = 2;

/** What such a record holds instead: the blob with the lines. No slice can have this name. */
interface PackedChanges extends Change {
  readonly slice: "~";
  readonly op: "packed";
  readonly lines: Extent;
}

export interface RecordBody {
  readonly changes: readonly Change[];
  /** The blob that must be committed with the record. */
  readonly blob?: BlobId;
  /** Characters of JSON that each slice's changes take. */
  readonly lengths: ReadonlyMap<string, number>;
}

const CHUNK_CHARS = 64 * 1024;

/** Items of a list in one line. */
const LIST_ITEMS = 1_024;

/*
 * A change is one line. One with lists of very many items is cut: its own line has the first items of each, and lines
 * after it, each a pair [name, items], have the rest. So no line takes long to write or to read.
 */
function* linesOf(change: Change): Generator<string, void, undefined> {
  const long = longLists(change);
  if (long.length === 0) {
    yield JSON.stringify(change);
    return;
  }
  yield JSON.stringify(beginningOf(change, long));
  for (const [name, items] of long)
    for (let at = LIST_ITEMS; at < items.length; at += LIST_ITEMS)
      yield JSON.stringify([name, items.slice(at, at + LIST_ITEMS)]);
}

type LongList = readonly [name: string, items: readonly unknown[]];

function longLists(change: Change): readonly LongList[] {
  let found: LongList[] | undefined;
  for (const name of Object.keys(change)) {
    const value = (change as unknown as { readonly [name: string]: unknown })[name];
    if (Array.isArray(value) && value.length > LIST_ITEMS) (found ??= []).push([name, value]);
  }
  return found ?? NO_LISTS;
}

const NO_LISTS: readonly LongList[] = [];

function beginningOf(change: Change, long: readonly LongList[]): Change {
  return {
    ...change,
    ...Object.fromEntries(long.map(([name, items]) => [name, items.slice(0, LIST_ITEMS)])),
  };
}

/** Characters of a change as JSON; of very long lists only the beginning is looked at. */
export function lengthOf(change: Change): number {
  const long = longLists(change);
  const length = JSON.stringify(long.length === 0 ? change : beginningOf(change, long)).length;
  const all = long.reduce((sum, [, items]) => sum + items.length, 0);
  return long.length === 0 ? length : Math.ceil((length * all) / (long.length * LIST_ITEMS));
}

/** The form in which `changes` are recorded: as they are up to `most` characters of JSON, else as a staged blob. */
export async function packChanges(
  journal: Journal,
  changes: readonly Change[],
  most: number,
): Promise<RecordBody> {
  const encoder = new TextEncoder();
  const pace = new Pacer();
  const chunks: Uint8Array[] = [];
  const lengths = new Map<string, number>();
  let text = "";
  let length = 0;
  for (const change of changes) {
    let own = 0;
    for (const line of linesOf(change)) {
      text += `${line}\n`;
      length += line.length + 1;
      own += line.length;
      if (text.length < CHUNK_CHARS) continue;
      chunks.push(encoder.encode(text));
      text = "";
      await pace.step();
    }
    lengths.set(change.slice, (lengths.get(change.slice) ?? 0) + own);
  }
  if (length <= most) return { changes, lengths };
  if (text !== "") chunks.push(encoder.encode(text));
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const blob = await journal.stage(each(chunks));
  const packed: PackedChanges = { slice: "~", op: "packed", lines: [blob, 0, size] };
  return { changes: [packed], blob, lengths };
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A record's changes, wherever they are. Throws `conflict` / `snapshot_expired` when retention has dropped them. */
export async function changesOf(
  journal: Journal,
  record: Pick<JournalRecord, "seq" | "changes" | "encoding">,
): Promise<readonly Change[]> {
  if (record.encoding > ENCODING)
    throw new HoldfastError(
      "internal",
      "newer_format",
      say`Record ${record.seq} was written by a newer version. Upgrade to open the session.`,
    );
  if (record.changes === undefined) throw await prunedRecord(journal, record.seq);
  const [first] = record.changes;
  const changes =
    first !== undefined && isPacked(first) ? await unpackedOf(journal, record.seq, first) : record.changes;
  return record.encoding === 1 ? changes.map(upgrade) : changes;
}

async function prunedRecord(journal: Journal, seq: number): Promise<HoldfastError> {
  const oldest = await prunedUpTo(journal);
  return new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`Record ${seq} is pruned: states before position ${oldest} are gone. Use ${oldest} or a later one.`,
    { data: { oldest } },
  );
}

export function isExpired(error: unknown): boolean {
  return HoldfastError.is(error) && error.reason === "snapshot_expired";
}

/** The changes in the blob of a record, which may have been pruned since the record was read. */
async function unpackedOf(journal: Journal, seq: number, packed: PackedChanges): Promise<readonly Change[]> {
  try {
    return await unpacked(journal, packed);
  } catch (error) {
    if (isBlobLost(error) && (await isPruned(journal, seq))) throw await prunedRecord(journal, seq);
    throw error;
  }
}

/** A change of encoding 1 as one of today. Only files have changed since. */
function upgrade(change: Change): Change {
  return change.slice === "files" ? fromEncoding1(change as FileChange) : change;
}

function isPacked(change: Change): change is PackedChanges {
  return change.slice === "~" && change.op === "packed";
}

/**
 * The large records that were read last, by blob, the oldest first, as long as the collector leaves them: all files of a mount
 * ask for the same few in turn.
 */
const lastUnpacked = new WeakMap<Journal, Map<BlobId, WeakRef<readonly Change[]>>>();

const MOST_UNPACKED = 16;

async function unpacked(journal: Journal, packed: PackedChanges): Promise<readonly Change[]> {
  const [blob] = packed.lines;
  const last = lastUnpacked.get(journal) ?? new Map<BlobId, WeakRef<readonly Change[]>>();
  const changes = last.get(blob)?.deref() ?? (await unpack(journal, packed));
  last.delete(blob);
  last.set(blob, new WeakRef(changes));
  const [oldest] = last.keys();
  if (last.size > MOST_UNPACKED && oldest !== undefined) last.delete(oldest);
  lastUnpacked.set(journal, last);
  return changes;
}

async function unpack(journal: Journal, { lines }: PackedChanges): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const decoder = new TextDecoder();
  const pace = new Pacer();
  const source = await journal.source({ size: lines[2], extents: [lines] });
  try {
    let rest = "";
    for (const { bytes } of windowsOf(source)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        addLine(changes, JSON.parse(part) as Change | LongList);
        await pace.step();
      }
    }
  } finally {
    source.close();
  }
  return changes;
}

function addLine(changes: Change[], line: Change | LongList): void {
  if (!isRest(line)) {
    changes.push(line);
    return;
  }
  const [name, items] = line;
  const list = (changes.at(-1) as unknown as { readonly [name: string]: unknown[] })[name] as unknown[];
  for (const item of items) list.push(item);
}

function isRest(line: Change | LongList): line is LongList {
  return Array.isArray(line);
}
