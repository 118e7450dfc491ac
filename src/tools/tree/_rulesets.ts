// Owns: finding the ruleset that a call names: one of the host's by its id, or a file of the workspace by its path.

import { echo, HoldfastError, say, sayAll } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import { takeRuleset, type Ruleset } from "../../tree/operations.ts";
import type { ReadCtx, Shared } from "../tool.ts";
import { readJsonFile } from "./_json-file.ts";

export type Rulesets = ReadonlyMap<string, Ruleset>;

/** The host's rulesets, seeded when a session opens. */
export const RULESETS: Shared<Rulesets> = { make: () => new Map() };

/** Checks the host's rulesets. Throws `invalid_argument` naming every problem. */
export function rulesetsOf(given: readonly unknown[], limits: Limits): Rulesets {
  return new Map(given.map((json) => takeRuleset(json, limits)).map((ruleset) => [ruleset.id, ruleset]));
}

export async function rulesetNamed(ctx: ReadCtx, id: string): Promise<Ruleset> {
  const known = ctx.shared(RULESETS);
  const ruleset = known.get(id);
  if (ruleset !== undefined) return ruleset;
  if (id.endsWith(".json")) {
    const { json } = await readJsonFile(ctx, ctx.path(id, "file"), say`A ruleset is a JSON file.`);
    return takeRuleset(json, ctx.limits);
  }
  throw new HoldfastError(
    "not_found",
    "no_such_ruleset",
    say`There is no ruleset ${echo(id)}.${known.size === 0 ? say`` : say` Rulesets: ${sayAll([...known.keys()].map((one) => echo(one)))}.`} A ruleset file is named by its path, such as /workspace/rules.json.`,
  );
}
