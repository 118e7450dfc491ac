// Owns: the Standard Schema face of a tool's input, so that any framework that knows the standard can take it.

import { HoldfastError } from "../errors.ts";
import type { JsonObject } from "../value.ts";
import type { ToolDefinition } from "./definition.ts";

/** What `validate` of a Standard Schema returns. */
export type Validated =
  | { readonly value: unknown }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly PropertyKey[] }[] };

/** Standard Schema v1 with Standard JSON Schema. */
export interface StandardSchema {
  /** What the Standard Schema specification asks for. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "holdfast";
    readonly validate: (value: unknown) => Validated;
    readonly jsonSchema: {
      readonly input: () => JsonObject;
      readonly output: () => JsonObject;
    };
  };
}

/**
 * `validate` returns the input as the caller sent it: the call itself reads it again, so that a framework which skips
 * validation is no less safe.
 */
export function standardSchema(
  definition: ToolDefinition,
  read: (value: unknown) => unknown,
): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate(value) {
        try {
          read(value);
          return { value };
        } catch (error) {
          if (!HoldfastError.is(error)) throw error;
          return { issues: [{ message: error.message }] };
        }
      },
      jsonSchema: { input: () => definition.inputSchema, output: () => definition.inputSchema },
    },
  };
}
