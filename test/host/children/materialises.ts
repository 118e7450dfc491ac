// A process that writes into a session, has its directory follow, imports from it, and says what was acknowledged.
// Arguments: store directory, session id, a number that tells its texts from others'.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";

const [directory = "", id = "", run = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const session = await openSession({ store, id });
const path = await session.directory();
process.stdout.write(`at ${path}\n`);
for (let n = 0; ; n++) {
  const name = `d${n % 3}/f${n % 7}`;
  const text = `session ${run}.${n}\n`.repeat(1 + ((n * 37) % 400));
  await session.workspace.write(name, text);
  process.stdout.write(`ack ${name} ${run}.${n}\n`);
  if (n % 5 === 4) await session.workspace.remove(name);
  if (n % 4 !== 3) continue;
  await session.settled();
  writeFileSync(join(path, `outside${n % 3}`), `outside ${run}.${n}\n`.repeat(1 + ((n * 53) % 300)));
  await session.sync();
}
