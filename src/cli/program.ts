// Owns: the tree of commands: which there are, and how all of them read arguments and refuse wrong ones. Only declarations are
// loaded here; what a command does is loaded when it is called.

import { Command, Option } from "commander";
import { VERSION } from "../version.ts";
import { declareCompletion } from "./completion.ts";
import { declareConfig } from "./config.ts";
import { withExamples, withJson } from "./declare.ts";
import { declareFolder } from "./folder.ts";
import { declareGates } from "./gates.ts";
import { declareJson } from "./json.ts";
import { note } from "./output.ts";
import { declarePatch } from "./patch.ts";
import { declareSession } from "./session.ts";
import { withMountOption, withSessionOptions } from "./session-flags.ts";

const EXIT_CODES = `
Exit codes:
  0  all went well
  1  refused or failed: what was asked for cannot be done, and standard error says why
  2  the command line itself was wrong; nothing was done
  130  broken off with Ctrl-C
A landing that is declined ends with 1: nothing was written.
holdfast run ends with the exit code of the command that it runs.`;

export function program(): Command {
  const root = new Command("holdfast")
    .description("A workbench for AI agents: it holds the work still while the agent cuts.")
    .version(VERSION)
    .showHelpAfterError("(add --help to see how)")
    .configureOutput({ outputError: (text) => note(text.replace(/^error: /, "[Error] ").trimEnd()) })
    .exitOverride()
    .addHelpText("after", EXIT_CODES);
  declareTools(root);
  declareFolder(root);
  declareSession(root);
  declareJson(root);
  declarePatch(root);
  declareGates(root);
  declareConfig(root);
  declareCompletion(root);
  return root;
}

function declareTools(root: Command): void {
  const mcp = root.command("mcp").summary("serve the tools over MCP on standard input and output");
  mcp.description(
    "Serves a session's tools over the Model Context Protocol (stdio). Point an MCP client at this command. With folders it is the " +
      "stored session of these folders: agents work on a copy, and the folders themselves are written when a person lands it. A second client joins the " +
      "session. Without a folder or --session, files are in memory and gone when the client leaves.",
  );
  mcp.argument(
    "[folders...]",
    "one folder is /workspace itself; of several, each is a folder of its own name in it",
  );
  mcp.option(
    "--live",
    "work in the folders themselves: a write is there when its call returns, and nothing waits to be landed",
  );
  mcp.action(async (folders, flags) => (await import("./mcp.ts")).mcpCommand(folders, flags));
  withExamples(withSessionOptions(mcp), [
    "holdfast mcp .",
    "holdfast mcp ../api ../web --new",
    "holdfast mcp . --live",
    "holdfast mcp . --toolsets files,json,patch --rules rules.json",
    "holdfast config claude-code > .mcp.json",
  ]);

  const call = root.command("call").summary("call tools as an agent would");
  call.description("Calls one tool, or with --batch one for each line of standard input, in one session.");
  call.argument("[tool]", "the tool's name; holdfast tools lists them");
  call.argument("[input]", "its input as JSON; - reads it from standard input", "{}");
  call.option(
    "--batch",
    'read lines such as {"tool":"read_file","input":{"path":"a.txt"}} from standard input',
  );
  call.option("--json", "print whole results as JSON, one a line, instead of their text");
  call.action(async (tool, input, flags) => (await import("./call.ts")).callCommand(tool, input, flags));
  withExamples(withSessionOptions(withMountOption(call)), [
    `holdfast call write_file '{"path":"a.txt","content":"hello"}'`,
    `holdfast call --mount . search_files '{"pattern":"TODO"}'`,
    "holdfast call --batch < calls.jsonl",
  ]);

  const tools = withJson(root.command("tools").summary("list the tools and what they cost an agent"));
  tools.addOption(new Option("--role <role>", "whose tools").choices(["reader", "editor"]).default("editor"));
  tools.option("--toolsets <names>", "these toolsets and tools, separated by commas");
  tools.action(async (flags) => (await import("./tools.ts")).toolsCommand(flags));
  withExamples(tools, [
    "holdfast tools --toolsets files,json",
    "holdfast tools --json | holdfast json query - '$.tools[*].name'",
  ]);

  const tour = root.command("tour").summary("a guided tour: two agents, a conflict, an undo, a landing");
  tour.description(
    "Two agents work on a copy of a small project, with every toolset, until the work is landed. It pauses between steps on a terminal.",
  );
  tour.option("-y, --yes", "no pauses");
  tour.action(async (flags) => (await import("./tour.ts")).tourCommand(flags));
  withExamples(tour, ["holdfast tour", "holdfast tour --yes | less"]);
}
