// A process that appends lines to one file without pins, and reports how its calls ended.
// Arguments: store directory, session id, agent, number of calls.

import { openSession, sqliteStore } from "../../../src/index.ts";

const [directory = "", id = "", agent = "", count = "0"] = process.argv.slice(2);
const store = sqliteStore({ directory });
const session = await openSession({ store, id, limits: { callsPerMinute: 1_000_000 } });
const as = session.as({ id: agent, role: "editor" });
process.stdout.write("ready\n");
await new Promise<void>((resolve) => process.stdin.once("data", () => resolve()));
process.stdin.on("close", () => process.exit(1)).unref();
const failed: Record<string, number> = {};
for (let n = 0; n < Number(count); n++) {
  const result = await as.call("write_file", { path: "log.txt", content: `${agent} ${n}\n`, mode: "append" });
  if (!result.ok) failed[result.error.reason] = (failed[result.error.reason] ?? 0) + 1;
}
await session.close();
await store.close();
process.stdout.write(`${JSON.stringify(failed)}\n`);
process.exit(0);
