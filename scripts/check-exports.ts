// Owns: `npm run exports`: every public room has its door, and every door opens. `--update` rewrites package.json.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";
import { compareDoors, doorsInManifest, doorsOf, missingFiles } from "./_manifest.ts";

const wanted = doorsOf(ROOT);
if (process.argv.includes("--update")) {
  const file = path.join(ROOT, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const next: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(manifest)) {
    if (key === "bin") continue;
    next[key] = key === "exports" ? wanted.exports : value;
    if (key === "exports" && wanted.bin !== undefined) next["bin"] = wanted.bin;
  }
  writeFileSync(file, `${JSON.stringify(next, null, 2)}\n`);
}

const problems = compareDoors(wanted, doorsInManifest(ROOT));
if (problems.length > 0) problems.push("`npm run exports:update` writes what the sources call for");
for (const file of missingFiles(ROOT, wanted)) problems.push(`${file} is not there: run \`npm run build\``);
if (problems.length === 0)
  for (const [door, target] of Object.entries(wanted.exports)) {
    if (typeof target === "string") continue;
    const name = door === "." ? "holdfast" : `holdfast${door.slice(1)}`;
    try {
      const loaded = (await import(name)) as Record<string, unknown>;
      if ("default" in loaded) problems.push(`${name} has a default export; exports are named`);
    } catch (error) {
      problems.push(`${name} does not load: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

for (const problem of problems) console.error(problem);
console.log(`${Object.keys(wanted.exports).length} doors, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
