// A process that does one thing to a session beside another one. Arguments: store directory, then
// `commit <key> <bytes> [session]`, `prune <before> <live blob>` or `remove`.

import { sqliteStore } from "../../../src/store/index.ts";

const [directory = "", what = "", ...how] = process.argv.slice(2);
const store = sqliteStore({ directory });
if (what === "remove") await store.remove("s");
else {
  const journal = await store.open(how[2] ?? "s");
  if (what === "prune") await journal.prune(Number(how[0]), [how[1] ?? ""]);
  else
    await journal.append({
      expect: [],
      touch: [how[0] ?? ""],
      targets: [],
      time: new Date(),
      request: "r",
      kind: "call",
      agent: "other",
      role: "editor",
      encoding: 1,
      changes: [],
      delta: { bytes: Number(how[1]), files: 0 },
      blobs: [],
      quota: { bytes: 1e9, files: 1e9 },
    });
}
await store.close();
