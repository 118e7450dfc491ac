import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { builtFrom, loadedBy } from "../../scripts/_bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test.each(["cli/main.ts", "cli/json-get.ts", "cli/json-read.ts", "cli/json-edit.ts"])(
  "[CLI-47] %s loads neither store, call path nor protocol",
  (entry) => {
    const all = [...loadedBy(ROOT, builtFrom(ROOT, `src/${entry}`))];
    expect(all).toContain(`src/${entry}`);
    expect(all).toContain("src/errors.ts");
    expect(all.filter((name) => /^src\/(store|session|tools|mcp|patch|tree)\//.test(name))).toEqual([]);
    const packages = all.filter((name) => !name.startsWith("src/") && !name.startsWith("node:"));
    expect(packages.filter((name) => !["commander", "re2js"].includes(name))).toEqual([]);
    expect(all).not.toContain("node:sqlite");
  },
);
