// A process that refreshes or lands a session and says when it begins and when it is done. Arguments: store directory, session id,
// folder, what to do.

import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";

const [directory = "", id = "", from = "", what = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const session = await openSession({ store, id, mounts: [{ from, to: "/workspace" }] });
const plan = what === "land" ? await session.plan() : undefined;
process.stdout.write("begin\n");
await (plan === undefined ? session.refresh() : plan.land());
process.stdout.write("done\n");
await session.close();
await store.close();
