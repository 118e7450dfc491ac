#!/usr/bin/env node
// Owns: the command line as a process: arguments in, exit code out.
// Must never: load what a command does before it is called.

import { letTheReaderLeave, reportFailure } from "./failure.ts";
import { program } from "./program.ts";

letTheReaderLeave();
await program().parseAsync().catch(reportFailure);
