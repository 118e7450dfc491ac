// Owns: `holdfast session export`.

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { relativePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import { withStored, type SessionRunFlags as Flags } from "./stored-session.ts";
import { written } from "./input.ts";
import { printResult } from "./output.ts";
import { Progress } from "./progress.ts";
import { UsageError } from "./usage-error.ts";

export async function exportCommand(folder: string, flags: Flags): Promise<void> {
  await withStored(flags, async ({ session }) => {
    await written(folder, () => mkdir(folder, { recursive: true }));
    if ((await written(folder, () => readdir(folder))).length > 0)
      throw new UsageError(`${folder} is not empty. Name a new folder.`);
    const files = session.files();
    const progress = new Progress("Writing");
    try {
      for (const [done, { path, executable }] of files.entries()) {
        progress.show(done, files.length, () => `${done} of ${plural(files.length, "file")}`);
        const target = join(folder, ...relativePath(path).split("/"));
        const mode = executable ? 0o777 : 0o666;
        await written(target, async () => {
          await mkdir(dirname(target), { recursive: true });
          await writeFile(target, session.workspace.stream(path), { flag: "wx", mode });
        });
      }
    } finally {
      progress.end();
    }
    printResult(
      flags,
      { folder, files: files.length },
      () => `Wrote ${plural(files.length, "file")} to ${folder}`,
    );
  });
}
