// Owns: the check of paths that a tool hands on: only what `ctx.path` makes of a text is a path, whatever the compiler was told.

import { echo, HoldfastError, say } from "../errors.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { parsePath, type NameAlphabet, type WorkspacePath } from "../path/index.ts";

/** What new paths of a session must keep to. */
export interface PathSettings {
  readonly limits: Pick<Limits, "pathSegmentLength" | "pathDepth">;
  readonly names: NameAlphabet;
}

/** What any state may hold: an older one stays within reach when the host has narrowed what files may be called. */
const WIDEST: PathSettings = {
  limits: { pathSegmentLength: LIMITS.pathSegmentLength.max, pathDepth: LIMITS.pathDepth.max },
  names: "unicode",
};

/**
 * Throws what {@link parsePath} says against a text that is no path, and `invalid_argument` / `path_not_canonical` for one that it reads
 * as another: rules, keys and files are asked of the canonical form only. Linear in the text.
 */
export function requirePath(path: WorkspacePath, { limits, names }: PathSettings = WIDEST): void {
  const read = parsePath(path, { limits, names, kind: "any", allowRoot: true });
  if (read === path) return;
  throw new HoldfastError(
    "invalid_argument",
    "path_not_canonical",
    say`${echo(path)} is not the canonical form of a path, which is ${read}. Send that; a tool reads what it is sent with ctx.path(text, kind) before it uses it.`,
    { data: { path: read } },
  );
}
