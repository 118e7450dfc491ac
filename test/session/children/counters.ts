// A process that counts in files of one session, by turns without and with a pinned version, and reports what was acknowledged.
// Arguments: store directory, session id, agent, number of commits.

import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { openSession, type CallResult } from "../../../src/tools/index.ts";
import { countUp } from "../splice-tool.ts";
import { watchHeld } from "../../store/children/held.ts";

const [directory = "", id = "", agent = "", count = "0"] = process.argv.slice(2);
const store = sqliteStore({ directory });
const session = await openSession({
  store,
  id,
  tools: [countUp],
  limits: { callBurst: 1_000_000, callsPerMinute: 1_000_000 },
});
const me = session.as({ id: agent, role: "editor" });
const reasons: Record<string, number> = {};

/** Sends a call until it is done. What may be sent again is: nothing was written. */
async function insist(call: () => Promise<CallResult>): Promise<void> {
  for (;;) {
    const result = await call();
    if (result.ok) return;
    reasons[result.error.reason] = (reasons[result.error.reason] ?? 0) + 1;
    if (result.error.reason !== "contended" && result.error.reason !== "stale_version")
      throw new Error(result.text);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  }
}

async function tokenOf(path: string): Promise<string> {
  const result = await me.call<{ token: string }>("read_file", { path });
  if (!result.ok) throw new Error(result.text);
  return result.value.token;
}

process.stdout.write("ready\n");
await new Promise<void>((resolve) => process.stdin.once("data", () => resolve()));
process.stdin.destroy();

const held = watchHeld();
const tally = { shared: 0, pinned: 0, own: 0 };
for (let n = 0; n < Number(count); n++) {
  if (n % 3 === 0) {
    await insist(() => me.call("count_up", { path: "shared" }));
    tally.shared++;
  } else if (n % 3 === 1) {
    await insist(async () =>
      me.call("count_up", { path: "pinned", expectedVersion: await tokenOf("pinned") }),
    );
    tally.pinned++;
  } else {
    const line = { path: `own/${agent}`, content: `${n}\n`, mode: n === 2 ? "create" : "append" } as const;
    await insist(() => me.call("write_file", line));
    tally.own++;
  }
}
const most = await held();
await session.close();
await store.close();
process.stdout.write(`${JSON.stringify({ ...tally, reasons, ...most })}\n`);
