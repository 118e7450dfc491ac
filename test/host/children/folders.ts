// A process that refreshes, syncs or lands a session and says when it begins and when it is done. Arguments: store directory, session
// id, folder, what to do, the sides to take as JSON, `appended` to die right after the first commit.

import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";
import { beforeAppend } from "../../store/before-append.ts";

const [directory = "", id = "", from = "", what = "", sides = "{}", moment = ""] = process.argv.slice(2);
const take = JSON.parse(sides) as Record<string, "outside" | "session">;
let isDying = false;
const store = beforeAppend(sqliteStore({ directory }), async (commit, journal) => {
  if (!isDying) return;
  await journal.append(commit);
  process.kill(process.pid, "SIGKILL");
});
const session = await openSession({ store, id, mounts: [{ from, to: "/workspace" }] });
const plan = what === "land" ? await session.plan() : undefined;
if (what === "sync") await session.directory();
process.stdout.write("begin\n");
isDying = moment === "appended";
if (plan !== undefined) await plan.land();
else if (what === "sync") await session.sync({ take });
else await session.refresh({ take });
process.stdout.write("done\n");
await session.close();
await store.close();
