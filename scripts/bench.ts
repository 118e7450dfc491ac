// Owns: `npm run bench`: compiles src and bench as they are published, then runs the benchmarks as plain JavaScript.
// A loader that rewrites TypeScript on the fly adds code of its own to every function, which small calls would pay for.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { ROOT, run } from "./_command.ts";

// The kernel is made, not committed: a fresh clone has none.
for (const command of ["tsx scripts/build-kernel.ts", "tsc -p tsconfig.bench.json"]) {
  const { code } = await run(command);
  if (code !== 0) process.exit(code);
}
const program = path.join(ROOT, ".build", "compiled", "bench", "run.js");
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
