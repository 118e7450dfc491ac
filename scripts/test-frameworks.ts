// Owns: `npm run test:frameworks`: the bridges against the real frameworks. The last line is the result.

import { printResult } from "./_count.ts";
import { testFrameworks } from "./_frameworks.ts";

process.exitCode = printResult(await testFrameworks());
