// The examples of docs/frameworks.md are those that run against the real frameworks.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const folder = new URL("test/frameworks/examples/", root);

test("docs/frameworks.md shows every example as it is run", () => {
  const page = readFileSync(new URL("docs/frameworks.md", root), "utf8");
  const blocks = page
    .split("```ts\n")
    .slice(1)
    .map((block) => block.slice(0, block.indexOf("```")));
  for (const name of readdirSync(folder)) {
    // Two versions of one package are installed under two names there.
    const code = readFileSync(new URL(name, folder), "utf8").replace('"ai7"', '"ai"');
    expect(blocks, name).toContain(code);
  }
  expect(blocks).toHaveLength(readdirSync(folder).length + 1);
});
