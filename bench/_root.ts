// Owns: where the repository is, whether a benchmark runs as TypeScript or compiled under .build.

import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SELF = fileURLToPath(import.meta.url);

/** How the files that run are called: `.ts` from the source tree, `.js` once compiled. */
export const EXTENSION: string = path.extname(SELF);

/** The directory of the benchmarks that run. */
export const HERE: string = path.dirname(SELF);

/** The root of the repository: the nearest directory above that holds the manifest. */
export const ROOT: string = rootAbove(HERE);

function rootAbove(directory: string): string {
  let at = directory;
  while (!existsSync(path.join(at, "package.json"))) {
    const above = path.dirname(at);
    if (above === at) throw new Error(`No package.json above ${directory}`);
    at = above;
  }
  return at;
}
