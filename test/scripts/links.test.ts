import { expect, test } from "vitest";
import { deadLinks } from "../../scripts/_links.ts";

test("links to files that are not there, and to headings that are not there, are found", () => {
  const text = [
    "# A page, and more",
    "[a](b.md) [gone](gone.md) [up](../README.md) [far](https://example.org/x.md) [part](b.md#any)",
    "[here](#a-page-and-more) [nowhere](#nowhere) `[code](code.md)`",
    "```md",
    "[fenced](fenced.md)",
    "```",
  ].join("\n");
  const files = new Set(["README.md", "docs/a.md", "docs/b.md"]);
  expect(deadLinks("docs/a.md", text, files)).toEqual(["gone.md", "#nowhere"]);
});
