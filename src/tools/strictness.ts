// Owns: making sure, when a tool is declared, that no part of its input would silently drop a field it does not know.

import { z } from "zod";
import { say, type Shown } from "../errors.ts";
import { badOptions } from "../text/options.ts";

/** Throws `invalid_argument` / `bad_options` when an object below the root of `input` is neither strict nor explicitly loose. */
export function requireStrict(tool: string, input: z.ZodObject): void {
  const seen = new Set<z.core.$ZodType>([input]);
  const waiting: z.core.$ZodType[] = partsOf(input);
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    if (schema instanceof z.ZodObject && schema.def.catchall === undefined)
      throw badOptions(
        say`${tool as Shown}: write z.strictObject (or z.looseObject) for objects inside the input`,
      );
    waiting.push(...partsOf(schema));
  }
}

function partsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return [...schema.options];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodLazy
  )
    return [schema.unwrap()];
  return [];
}
