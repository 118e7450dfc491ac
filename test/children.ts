// Owns: programs that tests start in processes of their own. They are compiled once before the tests (vitest's globalSetup), because a
// loader that rewrites TypeScript on the fly costs each process some seconds.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Called by vitest before any test. */
export function setup(): void {
  execFileSync(
    process.execPath,
    [join(ROOT, "node_modules/@typescript/native/bin/tsc"), "-p", "tsconfig.children.json"],
    {
      cwd: ROOT,
      stdio: "inherit",
    },
  );
}

/** The compiled form of `test/<room>/children/<name>.ts`. */
export function childProgram(room: string, name: string): string {
  const path = join(ROOT, ".build/children/test", room, "children", `${name}.js`);
  if (!existsSync(path)) throw new Error(`${path} was not compiled`);
  return path;
}
