// Owns: `npm run test:matrix`: the tests under every supported line of Node, each fetched as an npm package.

import { run } from "./_command.ts";

const LINES = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24", "26"];

let failed = 0;
for (const line of LINES) {
  const { code, seconds } = await run(
    `npm exec --yes --package=node@${line} -- node node_modules/vitest/vitest.mjs run --reporter=dot`,
  );
  console.log(`Node ${line}: ${code === 0 ? "passed" : "FAILED"} in ${seconds.toFixed(0)} s`);
  if (code !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
