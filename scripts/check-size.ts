// Owns: `npm run size`: how long the files of src/ are. Above 300 lines of code is worth a note, above 500 is refused.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";

const NOTE = 300;
const REFUSE = 500;

const lengths: { readonly file: string; readonly lines: number }[] = [];
for (const name of readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" }).sort()) {
  if (!name.endsWith(".ts") || name.endsWith(".gen.ts")) continue;
  const lines = readFileSync(path.join(ROOT, "src", name), "utf8")
    .split("\n")
    .filter((line) => !/^\s*(?:$|\/\/|\/?\*)/u.test(line)).length;
  lengths.push({ file: `src/${name.replaceAll(path.sep, "/")}`, lines });
}

const long = lengths.filter(({ lines }) => lines > NOTE);
for (const { file, lines } of long)
  if (lines > REFUSE)
    console.error(`${file} has ${lines} lines of code; ${REFUSE} is the most. Split it by what it owns.`);
  else console.log(`note: ${file} has ${lines} lines of code`);
console.log(`${lengths.length} files, ${long.length} above ${NOTE} lines`);
if (long.some(({ lines }) => lines > REFUSE)) process.exitCode = 1;
