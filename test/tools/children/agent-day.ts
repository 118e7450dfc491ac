// A process that carries out an agent's script step by step, says each that is done, and waits to be killed.
// Arguments: store directory, first step.

import { sqliteStore } from "../../../src/store/index.ts";
import { openSession } from "../../../src/tools/index.ts";
import { SCRIPT } from "../agent-script.ts";

const [directory = "", first = "0"] = process.argv.slice(2);
const session = await openSession({ store: sqliteStore({ directory }), id: "day", toolsets: ["all"] });
const agent = session.as({ id: "worker", role: "editor" });
for (let i = Number(first); i < SCRIPT.length; i++) {
  const result = await SCRIPT[i]?.call(agent);
  if (result?.ok !== true) throw new Error(result?.text);
  process.stdout.write(`${i + 1}\n`);
}
await new Promise((resolve) => setTimeout(resolve, 60_000));
