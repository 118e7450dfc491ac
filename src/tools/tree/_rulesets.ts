// Owns: finding the ruleset that a call names: one of the host's by its id, or a file of the workspace by its path.

import { echo, HoldfastError, say, sayAll } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import { takeRuleset, type Ruleset } from "../../tree/operations.ts";
import type { WorkspacePath } from "../../path/index.ts";
import type { ReadCtx, Shared } from "../tool.ts";
import { readJsonFile } from "./_json-file.ts";

export type Rulesets = ReadonlyMap<string, Ruleset>;

/** The host's rulesets, seeded when a session opens. */
export const RULESETS: Shared<Rulesets> = { make: () => new Map() };

/** Checks the host's rulesets. Throws `invalid_argument` naming every problem. */
export function rulesetsOf(given: readonly unknown[], limits: Limits): Rulesets {
  return new Map(given.map((json) => takeRuleset(json, limits)).map((ruleset) => [ruleset.id, ruleset]));
}

/** A ruleset of the host, or the path of a ruleset file. */
type NamedRuleset = Ruleset | WorkspacePath;

/** What an id names. Throws `not_found` / `no_such_ruleset`. */
export function rulesetNamed(ctx: ReadCtx, id: string): NamedRuleset {
  const known = ctx.shared(RULESETS);
  const ruleset = known.get(id);
  if (ruleset !== undefined) return ruleset;
  if (id.endsWith(".json")) return ctx.path(id, "file");
  throw new HoldfastError(
    "not_found",
    "no_such_ruleset",
    say`There is no ruleset ${echo(id)}.${known.size === 0 ? say`` : say` Rulesets: ${sayAll([...known.keys()].map((one) => echo(one)))}.`} A ruleset file is named by its path, such as /workspace/rules.json.`,
  );
}

export function rulesetFile(named: NamedRuleset): WorkspacePath | undefined {
  return typeof named === "string" ? named : undefined;
}

/** The ruleset that was named. Throws `invalid_argument` for a file that is none. */
export async function readRuleset(ctx: ReadCtx, named: NamedRuleset): Promise<Ruleset> {
  if (typeof named !== "string") return named;
  const { json } = await readJsonFile(ctx, named, say`A ruleset is a JSON file.`);
  return takeRuleset(json, ctx.limits);
}
