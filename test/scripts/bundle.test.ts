import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { builtFrom, loadedBy, placeProblems } from "../../scripts/_bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("the build", () => {
  test("a pure door loads its own room and those below it, and no package but re2js", () => {
    const all = [...loadedBy(ROOT, builtFrom(ROOT, "src/json/index.ts"))];
    expect(all).toContain("src/errors.ts");
    expect(all.filter((name) => !/^src\/(json|text|path)\/|^src\/\w+\.ts$|^re2js$/.test(name))).toEqual([]);
  });

  test("the root loads no protocol, no command line and no bridge", () => {
    const all = [...loadedBy(ROOT, builtFrom(ROOT, "src/index.ts"))];
    expect(all).toContain("src/tools/gateway.ts");
    expect(
      all.filter((name) => /^src\/(mcp|cli|bridges)\/|^@modelcontextprotocol|^commander/.test(name)),
    ).toEqual([]);
  });

  test("a file that would look in the wrong place from a chunk is refused", () => {
    const naming = (target: string): string => `const here = new URL("${target}", import.meta.url);`;
    expect(placeProblems("src/cli/a.ts", naming("../cli/b.json"))).toEqual([]);
    expect(placeProblems("src/cli/a.ts", "createRequire(import.meta.url)")).toEqual([]);
    expect(placeProblems("src/cli/a.ts", naming("b.json"))).toEqual([
      "src/cli/a.ts names b.json; it must begin with ../, as in ../cli/main.js",
    ]);
    expect(placeProblems("src/store/sqlite/a.ts", naming("../b.json"))).toEqual([
      "src/store/sqlite/a.ts names a file from its own place; only files directly in a room may",
    ]);
  });
});
