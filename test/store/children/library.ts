// A process that uses a store with every thread of it, and says which SQLite library it used and what became of warnings.
// Arguments: store directory.

import { memoryStore, sqliteStore } from "../../../src/store/index.ts";
import { sqlDriver } from "../../../src/store/sqlite/_db.ts";

// oxlint-disable-next-line typescript/unbound-method -- only compared
const { emitWarning } = process;
const listeners = process.listeners("warning");
const [directory = ""] = process.argv.slice(2);
await (await memoryStore().open("s", { create: true })).close();
const store = sqliteStore({ directory });
const journal = await store.open("s", { create: true });
// Enough for a WAL checkpoint, which runs in a thread of its own.
for (let n = 0; n < 20; n++) {
  const blob = await journal.stage(Buffer.alloc(200_000, `${n} `));
  const appended = await journal.append({
    expect: [],
    touch: [`file:/${n}`],
    targets: [],
    time: new Date(),
    request: "r",
    kind: "call",
    agent: "library",
    role: "editor",
    encoding: 1,
    changes: [{ slice: blob, op: "put" }],
    delta: { bytes: 0, files: 0 },
    blobs: [blob],
    quota: { bytes: 1e9, files: 1e9 },
  });
  if (!("at" in appended)) throw new Error(JSON.stringify(appended));
}
const verified = await journal.verify({ blobs: true });
const { seq } = await journal.head();
await store.close();
process.emitWarning("a warning of the host", "ExperimentalWarning");
process.stdout.write(
  JSON.stringify({
    driver: sqlDriver().name,
    seq,
    verified,
    untouched:
      process.emitWarning === emitWarning &&
      listeners.every((one, i) => process.listeners("warning")[i] === one),
  }),
);
