import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { toolReference } from "../../scripts/_tool-reference.ts";
import { EVERY_TOOL } from "./catalogue.ts";

test("[CALL-107] the reference of the tools has every tool, from a run that always says the same", async () => {
  const reference = await toolReference();
  expect(await toolReference()).toBe(reference);
  expect(readFileSync(fileURLToPath(new URL("../../docs/tools.md", import.meta.url)), "utf8")).toBe(
    reference,
  );
  for (const { name, description } of EVERY_TOOL)
    expect(reference).toContain(`### ${name}\n\n${description}`);
});
