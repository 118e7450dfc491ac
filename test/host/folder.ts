// Owns: folders for tests of mounts, and sessions that are opened from them.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import type { SessionOptions } from "../../src/tools/index.ts";
import { hosted, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";

/** A folder with these files: text by path. */
export function folderOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  base: string = scratch(),
): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(base, dirname(path)), { recursive: true });
    writeFileSync(join(base, path), content);
  }
  return base;
}

/** All files of a folder, by path. */
export function filesIn(path: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const at = join(entry.parentPath, entry.name);
      files[at.slice(path.length + 1)] = readFileSync(at, "utf8");
    }
  return files;
}

export function makeExecutable(path: string): void {
  chmodSync(path, 0o755);
}

export function opened(options: SessionOptions): Promise<Hosted> {
  return hosted(options);
}

/** Paths below the workspace. */
export function pathsOf({ session }: Hosted): string[] {
  return session.files().map(({ path }) => path.slice("/workspace/".length));
}

/** `code / reason` of what opening throws; its message names no host path. */
export async function refusalOf(options: SessionOptions, hostPath: string): Promise<string> {
  return (await errorOf(options, hostPath)).join(" / ");
}

export async function errorOf(
  options: SessionOptions,
  hostPath: string,
): Promise<[code: string, reason: string, message: string]> {
  try {
    await (await hosted(options)).session.close();
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    expect(error.message).not.toContain(hostPath);
    expect(JSON.stringify(error.data ?? null)).not.toContain(hostPath);
    return [error.code, error.reason, error.message];
  }
  return ["no error", "", ""];
}
