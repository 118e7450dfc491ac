// Small texts are searched as one run of bytes: what is found must be what each file alone would give.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Needle } from "../../src/tools/files/_needle.ts";
import { openSession } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";

test("[FILES-117] files that are read together give what each alone gives: no match reaches into the next", async () => {
  const text = fc
    .array(fc.constantFrom("ne", "edle", "needle", "n", "\n", "x", "\u00e9", ""), { maxLength: 8 })
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 30 }), fc.boolean(), async (texts, regex) => {
      const names = texts.map((_, i) => `f${String(i).padStart(2, "0")}`);
      const session = await openSession({
        files: Object.fromEntries(names.map((name, i) => [name, texts[i] ?? ""])),
      });
      const agent = session.as({ id: "reader", role: "reader" });
      const expected = texts.flatMap((whole, i) =>
        whole
          .split("\n")
          .flatMap((line, n) => (line.includes("needle") ? [`/workspace/${names[i] ?? ""}:${n + 1}`] : [])),
      );
      const pages: string[] = [];
      for (let cursor: string | undefined; ;) {
        const found = await agent.call("search_files", {
          pattern: regex ? "need[l]e" : "needle",
          regex,
          budget: 1_000,
          ...(cursor === undefined ? {} : { cursor }),
        });
        if (!found.ok) throw new Error(found.text);
        pages.push(...found.value.hits.map(({ path, line }) => `${path}:${line}`));
        ({ cursor } = found.value);
        if (cursor !== undefined) continue;
        expect(found.value.files).toBe(texts.length);
        break;
      }
      expect(pages).toEqual(expected);
      await session.close();
    }),
    runs(60),
  );
});

test("[FILES-117] a needle is found where Buffer.indexOf finds it, rare byte or not", () => {
  const letters = fc.constantFrom("e", "_", "a", "q", " ", "\u00e9");
  const text = fc.array(letters, { maxLength: 400 }).map((parts) => parts.join(""));
  const needle = fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, needle, fc.nat(500), (whole, part, from) => {
      const window = Buffer.from(whole);
      expect(new Needle(part).indexIn(window, from)).toBe(window.indexOf(part, from));
    }),
    runs(2_000),
  );
});
