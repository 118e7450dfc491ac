// Owns: `npm run bench`: compiles src and bench as they are published, then runs the benchmarks as plain JavaScript.
// A loader that rewrites TypeScript on the fly adds code of its own to every function, which small calls would pay for.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { ROOT, run } from "./_command.ts";

const compiled = await run("tsc -p tsconfig.bench.json");
if (compiled.code !== 0) process.exit(compiled.code);
const program = path.join(ROOT, ".build", "compiled", "bench", "run.js");
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
