// Owns: `holdfast gates`: which commands there are and what they take.

import type { Command } from "commander";
import { collect, group, withExamples, withJson } from "./declare.ts";

export function declareGates(root: Command): void {
  const gates = group(root, "gates", "judge a model's answers, and take JSON out of its text").description(
    "Gates are questions that must be answered before work begins. Whether they pass is decided here, whatever an answer claims.",
  );
  const check = withJson(gates.command("check").summary("judge an answer by a gate configuration"));
  check.argument("<config>", "the gate configuration, as JSON");
  check.argument("[answer]", "a file with the model's text; standard input when left out", "-");
  check.option("--previous <file>", "the state of gates before, as JSON");
  check.description(
    "Prints PASS, or the next question. Exit code 0: passed; 1: not passed, or the answer cannot be used.",
  );
  check.action(async (config, answer, flags) =>
    (await import("./gates-run.ts")).checkGatesCommand(config, answer, flags),
  );
  withExamples(check, [
    "holdfast gates check plan.json answer.txt",
    "llm < prompt.md | holdfast gates check plan.json",
  ]);

  const prompt = withJson(
    gates.command("prompt").summary("print what a model has to be told to answer the gates"),
  );
  prompt.argument("<config>", "the gate configuration, as JSON");
  prompt.action(async (config, flags) => (await import("./gates-run.ts")).promptCommand(config, flags));
  withExamples(prompt, ["holdfast gates prompt plan.json > prompt.md"]);

  const extract = withJson(gates.command("extract").summary("print the JSON inside a model's text"));
  extract.argument("[text]", "a file; standard input when left out", "-");
  extract.option("--any", "take arrays and other values too, not only objects");
  extract.option(
    "--require <key>",
    "take only an object with this key, and refuse a text without one; may be repeated",
    collect,
  );
  extract.description(
    "Finds the JSON in prose, fences and thinking, repairs it, and says on standard error what was repaired.",
  );
  extract.action(async (text, flags) => (await import("./gates-run.ts")).extractCommand(text, flags));
  withExamples(extract, [
    "llm 'answer as JSON' | holdfast gates extract",
    "holdfast gates extract reply.md --require status",
  ]);
}
