// Owns: how many items a call sends: those of every list that its tool declares, at any depth.
// Must never: count what is data to the tool, such as a JSON value that happens to be a list.

import { z } from "zod";
import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";

/** Throws `invalid_argument` / `batch_too_large` for more items than one call may handle. */
export function checkBatch(items: number, limits: Pick<Limits, "batchItems">): void {
  if (items <= limits.batchItems) return;
  throw new HoldfastError(
    "invalid_argument",
    "batch_too_large",
    say`${items} items are too many for one call. Send at most ${limits.batchItems} at a time.`,
    { data: { items, limit: limits.batchItems } },
  );
}

/** The items of all lists in an input that its schema declares. No recursion: schemas may contain themselves. */
export function itemsIn(schema: z.core.$ZodType, input: unknown): number {
  let items = 0;
  const open: (readonly [z.core.$ZodType | undefined, unknown])[] = [[schema, input]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [declared, value] = next;
    if (declared === undefined || typeof value !== "object" || value === null) continue;
    if (
      declared instanceof z.ZodOptional ||
      declared instanceof z.ZodNullable ||
      declared instanceof z.ZodDefault ||
      declared instanceof z.ZodLazy
    )
      open.push([declared.unwrap(), value]);
    else if (declared instanceof z.ZodUnion) open.push([optionFor(declared, value), value]);
    else if (declared instanceof z.ZodArray && Array.isArray(value)) {
      items += value.length;
      for (const item of value) open.push([declared.element, item]);
    } else if (declared instanceof z.ZodObject)
      for (const [name, field] of Object.entries(value))
        open.push([declared.shape[name] as z.core.$ZodType | undefined, field]);
  }
  return items;
}

/** The kind that a value was read as. */
function optionFor(union: z.ZodUnion, value: object): z.core.$ZodType | undefined {
  return union.options.find((option) => (option as z.ZodType).safeParse(value).success);
}
