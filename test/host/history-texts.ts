// Owns: every text that the records of a session have ever brought in.

import type { Content, Extent, Store } from "../../src/store/index.ts";
import { changesOf } from "../../src/session/packed-changes.ts";
import { plainChanges } from "../../src/session/files/file-history.ts";
import type { FileChange } from "../../src/session/files/file-change.ts";
import { readBytes } from "../../src/text/index.ts";

/** All inserted text of a session's history, joined. */
export async function insertedTexts(store: Store, id: string): Promise<string> {
  const journal = await store.open(id);
  const pieces: string[] = [];
  const read = async (extents: readonly Extent[]): Promise<void> => {
    const size = extents.reduce((sum, [, , length]) => sum + length, 0);
    if (size === 0) return;
    const source = await journal.source({ size, extents } as Content);
    pieces.push(Buffer.from(readBytes(source, 0, size)).toString("utf8"));
    source.close();
  };
  for (let after = 0; ;) {
    const records = await journal.records({ after, limit: 256 });
    if (records.length === 0) break;
    for (const record of records) {
      after = record.seq;
      const changes = (await changesOf(journal, record)).filter(({ slice }) => slice === "files");
      for (const change of plainChanges(changes as readonly unknown[] as readonly FileChange[]))
        if (change.op === "create") await read(change.body.content.extents);
        else if (change.op === "replace") await read(change.after.content.extents);
        else if (change.op === "splice") for (const { insert } of change.splices) await read(insert);
    }
  }
  await journal.close();
  return pieces.join("\n");
}
