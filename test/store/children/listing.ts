// Lists the sessions of a store, one line of JSON. Argument: the store's directory.

import { sqliteStore } from "../../../src/store/sqlite/store.ts";

const store = sqliteStore({ directory: process.argv[2] ?? "" });
process.stdout.write(`${JSON.stringify(await store.list())}\n`);
await store.close();
process.exit(0);
