// Owns: programs that tests start in processes of their own. They are bundled once before the tests (vitest's globalSetup): a process
// that loads one file and its chunks starts sooner than one that loads every source, and much sooner than one that rewrites TypeScript.

import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePrograms } from "../scripts/_bundle.ts";

const ROOT = join(import.meta.dirname, "..");
const BUILT = join(ROOT, ".build", "children");

/** Called by vitest before any test. */
export async function setup(): Promise<void> {
  const programs = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^[^/\\]+[/\\]children[/\\][^/\\]+\.ts$/u.test(name))
    .map((name) => join("test", name));
  rmSync(BUILT, { recursive: true, force: true });
  await bundlePrograms(ROOT, [...programs, join("src", "cli", "program.ts")], BUILT);
  const catalogue = join("cli", "catalogue.json");
  copyFileSync(join(ROOT, "dist", catalogue), join(BUILT, "src", catalogue));
}

/** The command line as it is built, for this process. */
export async function builtProgram(): Promise<typeof import("../src/cli/program.ts")> {
  return (await import(pathToFileURL(join(BUILT, "src", "cli", "program.js")).href)) as never;
}

/** The built form of `test/<room>/children/<name>.ts`. */
export function childProgram(room: string, name: string): string {
  const path = join(BUILT, "test", room, "children", `${name}.js`);
  if (!existsSync(path)) throw new Error(`${path} was not built`);
  return path;
}
