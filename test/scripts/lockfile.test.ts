import { describe, expect, test } from "vitest";
import { lockfileProblems, type Lockfile } from "../../scripts/_lockfile.ts";

const complete: Lockfile = {
  packages: {
    "": {},
    "node_modules/tool": {
      optionalDependencies: { "@tool/linux-x64": "1", "@tool/darwin-arm64": "1", "@tool/win32-x64": "1" },
    },
    "node_modules/@tool/linux-x64": {},
    "node_modules/@tool/darwin-arm64": {},
    "node_modules/tool/node_modules/@tool/win32-x64": {},
  },
};

describe("a lockfile", () => {
  test("is good when every platform's binary is locked and no entry has an address", () => {
    expect(lockfileProblems(complete, ["tool"])).toEqual([]);
  });

  test("without a platform's binary is refused", () => {
    const { "node_modules/@tool/darwin-arm64": gone, ...packages } = complete.packages;
    expect(gone).toBeDefined();
    expect(lockfileProblems({ packages }, ["tool"])).toEqual([
      "@tool/darwin-arm64, optional in node_modules/tool, is not locked",
    ]);
  });

  test("whose tool knows no binary for a platform is refused", () => {
    const packages = {
      ...complete.packages,
      "node_modules/tool": { optionalDependencies: { "@tool/linux-x64": "1", "@tool/darwin-arm64": "1" } },
    };
    expect(lockfileProblems({ packages }, ["tool"])).toEqual(["tool has no binary package for win32"]);
  });

  test("without the tool is refused", () => {
    expect(lockfileProblems(complete, ["other"])).toEqual(["other is not locked"]);
  });

  test("with an address is refused", () => {
    const packages = { ...complete.packages, "node_modules/x": { resolved: "https://example.org/x.tgz" } };
    expect(lockfileProblems({ packages }, ["tool"])).toEqual([
      "node_modules/x names the address it came from; entries must carry none",
    ]);
  });
});
