// Owns: the two arguments that every reading tool takes, so that its result fits and can be continued.

import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** Characters that a result may have. With fewer than these a page might show nothing of what its cursor goes past. */
export const budget: z.ZodOptional<z.ZodInt> = z
  .int()
  .min(LIMITS.budgetChars.min)
  .optional()
  .describe("Characters");

/** The two arguments that every reading tool takes: spread them into its input, and keep within `ctx.budget`. */
export const paging: {
  readonly budget: z.ZodOptional<z.ZodInt>;
  readonly cursor: z.ZodOptional<z.ZodString>;
} = {
  budget,
  cursor: z.string().optional().describe("From the last result"),
};
