import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith(".ts"));

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(examples)("examples/%s runs, and what it asserts holds", (name) => {
  const ran = spawnSync(process.execPath, ["--import", "tsx", `examples/${name}`], {
    cwd: root,
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  expect(ran.status).toBe(0);
});
