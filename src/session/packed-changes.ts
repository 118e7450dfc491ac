// Owns: where the changes of a record are: in the record, or, when they are many, in one blob as a line of JSON each.
// Must never: let the rest of the session see the difference. Whoever wants changes asks `changesOf`.

import { HoldfastError, say } from "../errors.ts";
import type { BlobId, Change, Extent, Journal, JournalRecord } from "../store/journal.ts";
import { windowsOf } from "../text/byte-source.ts";
import { GiveWay } from "./give-way.ts";

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
}

const CHUNK_CHARS = 64 * 1024;

/** The form in which `changes` are recorded: as they are up to `most` characters of JSON, else as a staged blob. */
export async function packChanges(
  journal: Journal,
  changes: readonly Change[],
  most: number,
): Promise<RecordBody> {
  const encoder = new TextEncoder();
  const pace = new GiveWay();
  const chunks: Uint8Array[] = [];
  let text = "";
  let length = 0;
  for (const change of changes) {
    const line = JSON.stringify(change);
    text += `${line}\n`;
    length += line.length + 1;
    if (text.length < CHUNK_CHARS) continue;
    chunks.push(encoder.encode(text));
    text = "";
    await pace.step();
  }
  if (length <= most) return { changes };
  if (text !== "") chunks.push(encoder.encode(text));
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const blob = await journal.stage(each(chunks));
  const packed: PackedChanges = { slice: "~", op: "packed", lines: [blob, 0, size] };
  return { changes: [packed], blob };
}

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A record's changes, wherever they are. Throws `conflict` / `snapshot_expired` when retention has dropped them. */
export async function changesOf(
  journal: Journal,
  record: Pick<JournalRecord, "seq" | "changes">,
): Promise<readonly Change[]> {
  if (record.changes === undefined)
    throw new HoldfastError(
      "conflict",
      "snapshot_expired",
      say`Record ${record.seq} is older than the kept history: states before it are gone. Use a later position.`,
    );
  const [first] = record.changes;
  return first !== undefined && isPacked(first) ? unpack(journal, first) : record.changes;
}

function isPacked(change: Change): change is PackedChanges {
  return change.slice === "~" && change.op === "packed";
}

async function unpack(journal: Journal, { lines }: PackedChanges): Promise<Change[]> {
  const changes: Change[] = [];
  const decoder = new TextDecoder();
  const pace = new GiveWay();
  const source = await journal.source({ size: lines[2], extents: [lines] });
  try {
    let rest = "";
    for (const { bytes } of windowsOf(source)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) changes.push(JSON.parse(part) as Change);
      await pace.step();
    }
  } finally {
    source.close();
  }
  return changes;
}
