// Owns: `npm run tool-types`: the types of the built-in tools are those of their schemas. `--update` writes them.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";
import { toolTypes } from "./_tool-types.ts";

const folder = path.join(ROOT, "src", "tools", "types");
const update = process.argv.includes("--update");
const wanted = toolTypes();
const problems: string[] = [];

mkdirSync(folder, { recursive: true });
for (const [name, text] of wanted) {
  const file = path.join(folder, name);
  if (update) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text)
    problems.push(`src/tools/types/${name} is out of date`);
}
for (const name of readdirSync(folder)) {
  if (wanted.has(name)) continue;
  if (update) rmSync(path.join(folder, name));
  else problems.push(`src/tools/types/${name} belongs to no toolset`);
}

if (problems.length > 0)
  problems.push("`npm run tool-types:update` writes them; commit them with the change");
for (const problem of problems) console.error(problem);
console.log(`${wanted.size} files, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
