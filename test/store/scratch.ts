// Owns: directories that a test file uses and leaves no trace of.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
// Registered when the file is loaded: a test cannot register it any more.
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** A directory on disk, or in memory where the system has such a place. Gone after the test file. */
export function scratch(where: "disk" | "memory" = "disk"): string {
  const base = where === "memory" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const path = mkdtempSync(join(base, "holdfast-store-"));
  made.push(path);
  return path;
}
