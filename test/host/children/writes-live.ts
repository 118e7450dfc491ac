// A process that writes into a live folder, changes it from outside at times, and says what was acknowledged.
// Arguments: store directory, folder, a number that tells its texts from others'.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";

const [directory = "", folder = "", run = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const session = await openSession({
  store,
  id: "s",
  mounts: [{ from: folder, to: "/workspace", live: true }],
});
process.stdout.write("begin\n");
for (let n = 0; ; n++) {
  const path = `d${n % 3}/f${n % 12}`;
  const line = `text ${run}.${n}`;
  await session.workspace.write(path, `${line}\n`.repeat(1 + ((n * 37) % 400)));
  process.stdout.write(`ack ${line}\n`);
  if (n % 5 === 4) await session.workspace.remove(path);
  if (n % 7 === 3) appendFileSync(join(folder, `d${n % 3}`, "outside"), `outside ${run}.${n}\n`);
}
