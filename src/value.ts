// Owns: the shape of plain JSON data that crosses rooms. Holds types only.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };
