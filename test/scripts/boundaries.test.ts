import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkBoundaries, type Boundaries } from "../../scripts/_boundaries.ts";
import { ROOT } from "../../scripts/_command.ts";

// That they hold in `src` is the check `boundaries`.
describe("room boundaries", () => {
  describe("in a house that breaks every rule", () => {
    let broken: Boundaries;
    beforeAll(async () => {
      broken = await checkBoundaries(path.join(ROOT, "test/fixtures/boundaries"));
      expect(broken.modules).toBeGreaterThan(0);
    });
    const breaks = (rule: string, file: string): void => {
      expect(broken.violations.filter((v) => v.rule === rule).map((v) => v.from)).toContain(file);
    };

    test.each([
      ["arrows-path", "src/path/up.ts"],
      ["arrows-tree", "src/tree/sibling.ts"],
      ["arrows-root-files", "src/value.ts"],
      ["known-rooms", "src/cellar/index.ts"],
      ["pure-no-node", "src/text/node.ts"],
      ["pure-no-packages", "src/patch/third.ts"],
      ["re2js-for-patterns", "src/text/pattern.ts"],
      ["zod-from-tools-upward", "src/session/schema.ts"],
      ["libsql-in-its-driver", "src/store/sqlite/shortcut.ts"],
      ["files-by-their-door", "src/tools/shortcut.ts"],
      ["protocols-in-their-room", "src/store/protocol.ts"],
      ["private-files", "src/tools/peek.ts"],
      ["json-by-index", "src/tools/inside.ts"],
      ["private-files-root", "src/index.ts"],
      ["surfaces-by-index", "src/cli/peek.ts"],
      ["no-dev-packages", "src/patch/third.ts"],
      ["no-cycles", "src/gates/a.ts"],
      ["resolvable", "src/gates/lost.ts"],
    ])("%s is reported for %s", breaks);

    test.each([
      "src/patch/allowed.ts",
      "src/host/json/index.ts",
      "src/store/sqlite/_driver-libsql.ts",
      "src/cli/by-index.ts",
      "src/tools/index.ts",
    ])("%s, which is allowed, is not reported", (file) => {
      expect(broken.violations.filter((v) => v.from === file)).toEqual([]);
    });
  });
});
