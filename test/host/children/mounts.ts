// A process that opens a session with a mount and says when it is there. Arguments: store directory, session id, folder.

import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";

const [directory = "", id = "", from = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
process.stdout.write("begin\n");
const session = await openSession({ store, id, mounts: [{ from, to: "/workspace" }] });
process.stdout.write(`mounted ${session.files().length}\n`);
await session.close();
await store.close();
