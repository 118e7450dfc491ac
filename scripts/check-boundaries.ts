// Owns: `npm run boundaries`.

import { checkBoundaries } from "./_boundaries.ts";

const { modules, violations } = await checkBoundaries();
for (const { rule, from, to } of violations) console.error(`${rule}: ${from} -> ${to}`);
if (modules === 0) console.error("dependency-cruiser saw no module: is the `typescript` alias installed?");
console.log(`${modules} modules, ${violations.length} violations`);
if (modules === 0 || violations.length > 0) process.exitCode = 1;
