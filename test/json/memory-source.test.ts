import { expect, test } from "vitest";
import { getJson } from "../../src/json/index.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import { bytesSource, textSource } from "../../src/text/byte-source.ts";

test("[JSON-82] two documents in memory never share an index, however their sources were made", () => {
  const item = (name: string): string => `{"${name}": [${"1234567,".repeat(60_000)} "${name}"]}`;
  const made = [
    memorySource(item("a")),
    textSource(item("b")),
    bytesSource(new TextEncoder().encode(item("c"))),
    memorySource(new TextEncoder().encode(item("d"))),
  ];
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
  for (const [i, name] of ["a", "b", "c", "d"].entries())
    expect(getJson(made[i] ?? memorySource("0"), `$.${name}[-1]`)).toMatchObject({
      value: { text: `"${name}"` },
    });
});
