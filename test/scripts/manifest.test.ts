import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/_command.ts";
import { compareDoors, doorsInManifest, doorsOf, missingFiles } from "../../scripts/_manifest.ts";

describe("the doors of the package", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "holdfast-doors-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function source(...files: readonly string[]): void {
    for (const file of files) {
      mkdirSync(path.dirname(path.join(root, "src", file)), { recursive: true });
      writeFileSync(path.join(root, "src", file), "");
    }
  }

  test("follow from the sources: public rooms, schemas, and the command", () => {
    source("index.ts", "json/index.ts", "host/json/index.ts", "patch/index.ts", "patch/ndpatch.schema.json");
    source("session/index.ts", "text/splice.ts", "cli/main.ts");
    const doors = doorsOf(root);
    expect(Object.keys(doors.exports)).toEqual([
      ".",
      "./json",
      "./json/host",
      "./patch",
      "./patch/schema.json",
      "./package.json",
    ]);
    expect(doors.exports["./json/host"]).toEqual({
      types: "./dist/host/json/index.d.ts",
      default: "./dist/host/json/index.js",
    });
    expect(doors.exports["./patch/schema.json"]).toBe("./dist/patch/ndpatch.schema.json");
    expect(doors.bin).toEqual({ holdfast: "./dist/cli/main.js" });
  });

  test("a room that landed without its door is noticed, and so is a door without a room", () => {
    source("index.ts", "json/index.ts");
    const { exports } = doorsOf(root);
    const { "./json": json, ...rest } = exports;
    expect(json).toBeDefined();
    expect(compareDoors({ exports }, { exports: rest })).toEqual([
      'exports lacks "./json", whose source exists',
    ]);
    expect(compareDoors({ exports: rest }, { exports })).toEqual([
      'exports names "./json", which has no source',
    ]);
    expect(compareDoors({ exports }, { exports: { ...exports, "./json": "./elsewhere.js" } })).toHaveLength(
      1,
    );
    expect(compareDoors({ exports, bin: { holdfast: "./x.js" } }, { exports })).toEqual([
      'bin lacks "holdfast", whose source exists',
    ]);
  });

  test("a file that the build did not make is named", () => {
    source("index.ts");
    writeFileSync(path.join(root, "package.json"), "{}");
    expect(missingFiles(root, doorsOf(root))).toEqual(["./dist/index.d.ts", "./dist/index.js"]);
  });

  test("in package.json are those that the sources call for", () => {
    expect(compareDoors(doorsOf(ROOT), doorsInManifest(ROOT))).toEqual([]);
  });
});
