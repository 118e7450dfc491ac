// Owns: the segments of a query as the stages of a walk.

import type { JsonPathStep, Segment } from "./ast.ts";
import { stepOf } from "./singular.ts";

// A run of singular child segments is followed in one go; everything else selects segment by segment.
export type QueryStage =
  | { readonly kind: "steps"; readonly steps: readonly JsonPathStep[] }
  | { readonly kind: "segment"; readonly segment: Segment; readonly nextName: string | undefined };

export function planStages(segments: readonly Segment[]): readonly QueryStage[] {
  const stages: QueryStage[] = [];
  let steps: JsonPathStep[] = [];
  segments.forEach((segment, i) => {
    if (isSingular(segment)) {
      if (steps.push(stepOf(segment)) === 1) stages.push({ kind: "steps", steps });
      return;
    }
    steps = [];
    const next = segments[i + 1];
    const step = next !== undefined && isSingular(next) ? stepOf(next) : undefined;
    stages.push({ kind: "segment", segment, nextName: typeof step === "string" ? step : undefined });
  });
  return stages;
}

function isSingular({ kind, selectors }: Segment): boolean {
  const only = selectors.length === 1 ? selectors[0]?.kind : undefined;
  return kind === "child" && (only === "name" || only === "index");
}

export type OneStep = QueryStage & { readonly kind: "steps" };

export function isOneStep(stage: QueryStage): stage is OneStep {
  return stage.kind === "steps" && stage.steps.length === 1;
}
