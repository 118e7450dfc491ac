// A process that makes sessions and forks until it is killed. Arguments: store directory.

import { randomBytes } from "node:crypto";
import { sqliteStore } from "../../../src/store/index.ts";

process.stdin.resume().on("close", () => process.exit());
const [directory = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const parent = await store.open("parent");
const head = await parent.head();
process.stdout.write("ready\n");
for (;;) {
  const name = randomBytes(6).toString("hex");
  await (await store.open(`m${name}`, { create: true })).close();
  await (await store.fork("parent", head, `f${name}`)).close();
}
