// Owns: what a directory on disk holds, for comparing it with a session.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/tools/index.ts";

/** Every file by its path below the directory: its text, with `*` before it when it may be run. Links show as `->`. */
export function onDisk(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const left = [""];
  for (let way = left.pop(); way !== undefined; way = left.pop())
    for (const name of readdirSync(join(directory, way))) {
      const path = way === "" ? name : `${way}/${name}`;
      const stat = lstatSync(join(directory, path));
      if (stat.isDirectory()) left.push(path);
      else if (stat.isFile())
        found[path] = `${(stat.mode & 0o100) === 0 ? "" : "*"}${readFileSync(join(directory, path), "utf8")}`;
      else found[path] = stat.isSymbolicLink() ? "->" : "special";
    }
  return sorted(found);
}

/** The same of a session. */
export async function inSession(session: Session): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, executable } of session.files())
    found[path.slice("/workspace/".length)] =
      `${executable ? "*" : ""}${Buffer.from(await session.workspace.read(path)).toString("utf8")}`;
  return sorted(found);
}

function sorted(found: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
