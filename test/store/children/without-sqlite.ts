// A process in which the native library is missing. Prints what works and what does not. Arguments: store directory.

import { memoryStore, sqliteStore } from "../../../src/store/index.ts";

const journal = await memoryStore().open("s", { create: true });
const { seq } = await journal.head();
try {
  sqliteStore({ directory: process.argv[2] ?? "" });
} catch (error) {
  const { code, reason, message } = error as { code: string; reason: string; message: string };
  process.stdout.write(JSON.stringify({ seq, code, reason, message }));
}
