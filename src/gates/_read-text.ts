// Owns: a model's text on its way to a judge: the JSON in it, with a warning for everything that was not as it should be.

import { echo } from "../errors.ts";
import type { Json } from "../value.ts";
import { extractJson, type ExtractOptions } from "./extract/extract.ts";
import { describeRepair } from "./extract/repairs.ts";
import type { Findings } from "./findings.ts";

export interface TextRead {
  /** Undefined if the text holds nothing that may be judged; `findings` says why. */
  readonly value?: Json;
  /** What could be recovered of a text that broke off. */
  readonly partial?: Json;
  /** The place of the string that the text ended in. */
  readonly halfString?: readonly (string | number)[];
}

/** Reads the JSON out of a text. What broke off is an error, unless `acceptTruncated`. */
export function readText(
  text: string,
  options: ExtractOptions,
  acceptTruncated: boolean,
  findings: Findings,
): TextRead {
  const found = extractJson(text, { ...options, duplicates: true });
  if (!found.ok) {
    findings.error(
      "invalid_json",
      found.message,
      undefined,
      options.want === "any" ? "JSON" : "a JSON object",
    );
    return {};
  }
  for (const repair of found.repairs) findings.warn(`Repaired: ${describeRepair(repair)}.`);
  if (found.repairCount > found.repairs.length)
    findings.warn(`Repaired: ${found.repairCount - found.repairs.length} more places.`);
  for (const path of found.duplicates ?? [])
    findings.warn(`${echo(path.join("."))} is there twice; the last one counts.`);
  if (found.unclosed_thinking) findings.warn("A thinking tag was never closed.");
  const half = found.halfString === undefined ? {} : { halfString: found.halfString };
  if (!found.truncated || acceptTruncated) return { value: found.value, ...half };
  findings.error(
    "invalid_json",
    "The JSON broke off before it was complete: send the whole object again.",
    undefined,
    "a complete JSON object",
  );
  return { partial: found.value };
}
