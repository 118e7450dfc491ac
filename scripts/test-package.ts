// Owns: `npm run test:package`: the packed package in empty folders, under the lines of Node that are named, or all.

import { printResult } from "./_count.ts";
import { NODE_LINES, testPackage } from "./_package.ts";

const lines = process.argv.slice(2);
process.exitCode = printResult(await testPackage(lines.length > 0 ? lines : NODE_LINES));
