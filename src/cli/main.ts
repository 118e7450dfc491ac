#!/usr/bin/env node
// Owns: the command line as a process: arguments in, exit code out.

import { letTheReaderLeave, reportFailure } from "./failure.ts";
import { program } from "./program.ts";

letTheReaderLeave();
await program().parseAsync().catch(reportFailure);
