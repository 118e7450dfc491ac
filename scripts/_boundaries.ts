// Owns: asking dependency-cruiser whether the arrows between rooms hold.
// Must never: take silence for agreement; zero modules seen is a failure.

import { createRequire } from "node:module";
import path from "node:path";
import { cruise, type ICruiseResult, type IConfiguration } from "dependency-cruiser";
import { ROOT } from "./_command.ts";

export interface Boundaries {
  /** How many source files were looked at. */
  readonly modules: number;
  readonly violations: readonly { readonly rule: string; readonly from: string; readonly to: string }[];
}

/** Checks the `src` folder under `base` against .dependency-cruiser.cjs. */
export async function checkBoundaries(base: string = ROOT): Promise<Boundaries> {
  const config = createRequire(import.meta.url)(path.join(ROOT, ".dependency-cruiser.cjs")) as IConfiguration;
  const answer = await cruise(["src"], {
    ...config.options,
    baseDir: base,
    ruleSet: { forbidden: config.forbidden ?? [] },
    validate: true,
  });
  const result = answer.output as ICruiseResult;
  return {
    modules: result.modules.filter((module) => module.source.startsWith("src/")).length,
    violations: result.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
