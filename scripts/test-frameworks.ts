// Owns: `npm run test:frameworks`: the bridges against the real frameworks, which live in a folder with a lockfile of its own and need a
// newer Node than the package does. Needs a finished build, and the registry for the first run.

import { existsSync } from "node:fs";
import path from "node:path";
import { ROOT, run } from "./_command.ts";

const folder = path.join(ROOT, "test", "frameworks");
if (!existsSync(path.join(folder, "node_modules"))) {
  const { code } = await run("npm ci --no-audit --no-fund", { cwd: folder });
  if (code !== 0) process.exit(code);
}
const node = path.join(folder, "node_modules", "node", "bin", "node");
const { code } = await run(`"${node}" --test frameworks.test.mjs`, { cwd: folder });
process.exitCode = code;
