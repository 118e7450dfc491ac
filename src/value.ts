// Owns: the shape of plain JSON data that crosses rooms. Holds types only.

/** Any JSON value, never changed after it was given. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object, never changed after it was given. */
export type JsonObject = { readonly [key: string]: Json };
