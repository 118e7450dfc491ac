// Owns: `npm run lockfile`.

import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";
import { lockfileProblems, type Lockfile } from "./_lockfile.ts";

const lockfile = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as Lockfile;
const problems = lockfileProblems(lockfile);
for (const problem of problems) console.error(problem);
console.log(`${Object.keys(lockfile.packages).length} locked packages, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
