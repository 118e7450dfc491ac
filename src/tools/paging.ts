// Owns: the two arguments that every reading tool takes, so that its answer fits and can be continued.

import { z } from "zod";

/** The two arguments that every reading tool takes: spread them into its input, and keep within `ctx.budget`. */
export const paging: {
  readonly budget: z.ZodOptional<z.ZodInt>;
  readonly cursor: z.ZodOptional<z.ZodString>;
} = {
  budget: z.int().min(200).optional().describe("Characters"),
  cursor: z.string().optional().describe("From the last result"),
};
