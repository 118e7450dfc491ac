import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("what the README shows of the library runs", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const library = readme.slice(readme.indexOf("### As a library"), readme.indexOf("### On the command line"));
  const snippets = Array.from(library.matchAll(/```ts\n([^]*?)```/g), ([, code = ""]) => code);
  expect(snippets.length).toBeGreaterThan(1);
  // Inside the package, so that its name leads to it.
  const folder = join(root, ".build", "readme");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "docs", "api"), { recursive: true });
  writeFileSync(join(folder, "docs", "api", "a.md"), "# A\n");
  for (const [i, code] of snippets.entries()) {
    writeFileSync(join(folder, `${i}.mjs`), code);
    const ran = spawnSync(process.execPath, [`${i}.mjs`], { cwd: folder, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    expect(ran.status).toBe(0);
  }
});
