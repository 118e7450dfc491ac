import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^;]*?\sfrom\s+)?"([^"]+)";/gm;

/** Everything that loading a module loads: files of `src`, and packages. What is imported when it is called is not. */
function loaded(entry: string, found = new Set<string>()): Set<string> {
  const file = join(SOURCE, entry);
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, from = ""] of readFileSync(file, "utf8").matchAll(IMPORT))
    if (from.startsWith(".")) loaded(relative(SOURCE, resolve(dirname(file), from)), found);
    else found.add(from);
  return found;
}

test.each(["cli/main.ts", "cli/json-get.ts", "cli/json-read.ts", "cli/json-edit.ts"])(
  "[CLI-47] %s loads neither store, call path nor protocol",
  (entry) => {
    const all = [...loaded(entry)];
    expect(all).toContain("errors.ts");
    const rooms = new Set(all.filter((name) => name.endsWith(".ts")).map((name) => name.split("/")[0] ?? ""));
    expect(
      [...rooms].filter((room) => ["store", "session", "tools", "mcp", "patch", "tree"].includes(room)),
    ).toEqual([]);
    const packages = all.filter((name) => !name.endsWith(".ts") && !name.startsWith("node:"));
    expect(packages.filter((name) => !["commander", "re2js"].includes(name))).toEqual([]);
    expect(all).not.toContain("node:sqlite");
  },
);
