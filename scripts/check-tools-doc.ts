// Owns: `npm run tools-doc`: docs/tools.md is what the tools say and do in a real session. `--update` writes it.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";
import { toolReference } from "./_tool-reference.ts";

const file = path.join(ROOT, "docs", "tools.md");
const wanted = await toolReference();

if (process.argv.includes("--update")) writeFileSync(file, wanted);
else if (readFileSync(file, "utf8") !== wanted) {
  console.error(
    "docs/tools.md is out of date: `npm run tools-doc:update` writes it; commit it with the change",
  );
  process.exitCode = 1;
}
console.log(`${wanted.match(/^### /gm)?.length ?? 0} tools`);
