// Owns: the directories a case works in: one that vanishes, one that keeps large inputs.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./_root.ts";
import type { BenchContext } from "./harness.ts";

const CACHE = path.join(ROOT, ".build", "bench");

export function caseContext(bench: string, log: (line: string) => void): BenchContext & { remove(): void } {
  const dir = mkdtempSync(
    path.join(process.env["HOLDFAST_BENCH_DIR"] ?? tmpdir(), `holdfast-bench-${bench}-`),
  );
  return {
    dir,
    log,
    async cached(name, make) {
      const file = path.join(CACHE, name);
      if (existsSync(file)) return file;
      mkdirSync(path.dirname(file), { recursive: true });
      log(`making ${name}`);
      // Renamed when finished, so that a run that was cut off leaves no half input.
      const unfinished = `${file}.${process.pid}`;
      await make(unfinished);
      renameSync(unfinished, file);
      return file;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
