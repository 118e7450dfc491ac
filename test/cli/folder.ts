// A folder of its own for a test, gone at its end, and work that agents did in its session.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openFor } from "../../src/cli/session-options.ts";

export function scratch(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cli-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Has agents call tools in the session of a folder, as `holdfast call --folder` does, without a process for each. */
export async function workedIn(
  folder: string,
  store: string,
  calls: readonly (readonly [agent: string, tool: string, input: object])[],
): Promise<void> {
  const { session, close } = await openFor({ role: "editor", folder: [folder], store });
  for (const [id, tool, input] of calls)
    expect(await session.as({ id, role: "editor" }).call<unknown>(tool, input)).toMatchObject({ ok: true });
  await close();
}
