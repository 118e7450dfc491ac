import { expect, test } from "vitest";
import { apiPage, commentText, type ApiItem } from "../../scripts/_api-reference.ts";

const model: ApiItem = {
  kind: "Package",
  members: [
    {
      kind: "EntryPoint",
      members: [
        {
          kind: "Function",
          name: "cut",
          docComment: "/**\n * Cuts a {@link Board}.\n *\n * @example cut(board)\n */\n",
          excerptTokens: [
            { text: "export declare function cut(board: " },
            { text: "Board" },
            { text: "): void;" },
          ],
        },
        {
          kind: "Interface",
          name: "Board",
          docComment: "/** Something to cut. */",
          excerptTokens: [{ text: "export interface Board " }],
          members: [
            {
              kind: "PropertySignature",
              name: "width",
              docComment: "/** In millimetres. */",
              excerptTokens: [{ text: "readonly width: number;" }],
            },
          ],
        },
      ],
    },
  ],
};

test("a page shows each export with its comment, example and members, and only names what an earlier page has", () => {
  const described = new Map<string, string>();
  const page = apiPage("holdfast/saw", "saw.md", model, described);
  expect(page).toContain(
    "### cut\n\n```ts\nfunction cut(board: Board): void\n```\n\nCuts a `Board`.\n\n```ts\ncut(board)\n```\n",
  );
  expect(page).toContain("- `readonly width: number`: In millimetres.\n");
  const again = apiPage("holdfast/all", "all.md", model, described);
  expect(again).toContain("## Described in [saw.md](saw.md)\n\n`Board`, `cut`\n");
  expect(again).not.toContain("### cut");
});

test("tags of a comment are words", () => {
  expect(commentText("/**\n * Adds.\n * @param a - the first\n * @returns the sum\n */")).toBe(
    "Adds.\n- `a`: the first\nReturns the sum",
  );
});
