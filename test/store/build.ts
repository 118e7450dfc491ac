// Owns: building the store into JavaScript for child processes, as it is or with a bug planted.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = packageRoot(import.meta.dirname);

/** Where package.json is: benchmarks run this file compiled, from further down. */
function packageRoot(from: string): string {
  let here = from;
  while (!existsSync(join(here, "package.json"))) here = dirname(here);
  return here;
}

/** One place of a source file, and what stands there instead. `find` must occur exactly once. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export interface Build {
  /** Answers the built form of a file under test/store/children. */
  child(name: string): string;
  remove(): void;
}

/** Builds a copy of src and of the children, inside node_modules so that packages are found. */
export function buildStore(patches: readonly Patch[] = []): Build {
  const base = join(root, "node_modules/.cache");
  mkdirSync(base, { recursive: true });
  const copy = mkdtempSync(join(base, "holdfast-store-"));
  for (const path of ["src/errors.ts", "src/limits.ts", "src/value.ts", "src/text", "src/store"])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  cpSync(join(root, "test/store/children"), join(copy, "test/store/children"), { recursive: true });
  for (const { file, find, put } of patches) {
    const path = join(copy, "src/store", file);
    const parts = readFileSync(path, "utf8").split(find);
    if (parts.length !== 2)
      throw new Error(`${file} holds ${JSON.stringify(find)} ${parts.length - 1} times`);
    writeFileSync(path, parts.join(put));
  }
  writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(copy, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.json",
      compilerOptions: { noEmit: false, rootDir: ".", outDir: "out", noUnusedLocals: false, noCheck: true },
      include: ["src", "test"],
      exclude: [],
    }),
  );
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", copy], { stdio: "pipe" });
  return {
    child(name) {
      const path = join(copy, "out/test/store/children", `${name}.js`);
      if (!existsSync(path)) throw new Error(`${name} was not built`);
      return path;
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
