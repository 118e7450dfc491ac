// A process that drives a session by commands on its input, one line of JSON each, and answers each with a line.

import { createInterface } from "node:readline";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Store } from "../../../src/store/index.ts";
import { drive, type Command, type Driver } from "../driver.ts";

type Line = { readonly open: { directory: string; id: string } } | { readonly close: true } | Command;

let store: Store | undefined;
let driver: Driver | undefined;
const troubles: unknown[] = [];

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as Line;
  let answer: unknown = null;
  if ("open" in line) {
    store = sqliteStore({ directory: line.open.directory });
    driver = await drive(store, line.open.id, troubles);
  } else if ("close" in line) {
    await driver?.close();
    await store?.close();
    answer = { troubles: troubles.splice(0).map(String) };
  } else answer = await driver?.run(line);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
