#!/usr/bin/env node
// Owns: the command line: reading arguments, printing answers, exit codes.
//   0 all went well   1 a call was refused or failed   2 the command line itself was wrong

import { Command, Option } from "commander";
import { VERSION } from "../version.ts";
import { callCommand } from "./call.ts";
import { demoCommand } from "./demo.ts";
import { letTheReaderLeave, reportFailure } from "./failure.ts";
import { mcpCommand } from "./mcp.ts";
import { withSessionOptions } from "./session-options.ts";
import { toolsCommand } from "./tools.ts";

function program(): Command {
  const root = new Command("holdfast")
    .description("A workbench for AI agents: it holds the work still while the agent cuts.")
    .version(VERSION)
    .showHelpAfterError("(holdfast --help shows how)")
    .exitOverride();

  const call = root
    .command("call")
    .summary("call tools")
    .description(
      "Calls one tool, or with --batch one for each line of standard input, in one session.\n" +
        'The input is JSON: holdfast call write_file \'{"path":"a.txt","content":"hello"}\'',
    )
    .argument("[tool]", "the tool's name; holdfast tools lists them")
    .argument("[input]", "its input as JSON; - reads it from standard input", "{}")
    .option("--batch", 'read lines such as {"tool":"read_file","input":{"path":"a.txt"}} from standard input')
    .option("--json", "print whole results as JSON instead of their text")
    .action(callCommand);
  withSessionOptions(call);

  const mcp = root
    .command("mcp")
    .summary("serve the tools over MCP on standard input and output")
    .description(
      "Serves a session's tools over the Model Context Protocol (stdio). Point an MCP client at this command.",
    )
    .action(mcpCommand);
  withSessionOptions(mcp);

  root
    .command("tools")
    .summary("list the tools and what they cost an agent")
    .option("--json", "print the definitions with their JSON Schemas")
    .addOption(new Option("--role <role>", "whose tools").choices(["reader", "editor"]).default("editor"))
    .action(toolsCommand);

  root
    .command("demo")
    .summary("walk through a session: write, read, conflict, retry, undo")
    .action(demoCommand);

  return root;
}

letTheReaderLeave();
await program().parseAsync().catch(reportFailure);
