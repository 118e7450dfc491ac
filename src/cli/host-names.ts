// Owns: which names files of the user's own folders may have: more than an agent's own workspace allows.

import { resolveLimits, type Limits } from "../limits.ts";

/** Bounds of names as the common file systems have them. */
export const FOLDER_LIMITS: { readonly pathSegmentLength: number; readonly pathDepth: number } = {
  pathSegmentLength: 255,
  pathDepth: 64,
};

/** The same for what reads paths without a session. */
export const FOLDER_NAMES: { readonly names: "unicode"; readonly limits: Limits } = {
  names: "unicode",
  limits: resolveLimits(FOLDER_LIMITS),
};
