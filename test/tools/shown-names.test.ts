// Names and encodings in lines of ours: quoted where they could be taken for another field.

import { expect, test } from "vitest";
import { fileFacts } from "../../src/tools/files/_file-facts.ts";
import { statFile } from "../../src/tools/files/stat-file.ts";
import { EDITOR, bench } from "./bench-session.ts";

test("[FILES-164] find_files and search_files quote names that look like fields", async () => {
  const { session } = await bench();
  const long = `${"n".repeat(70)}.ts`;
  for (const name of ["d/n  9 bytes  version 3", "q-1- needle", long])
    await session.workspace.write(name, "needle\n");
  const agent = session.as(EDITOR);
  const found = await agent.call("find_files", { glob: "**" });
  expect(found.text).toBe(
    `3 files\nd/"n  9 bytes  version 3"  7 bytes\n${long}  7 bytes\n"q-1- needle"  7 bytes`,
  );
  const hits = await agent.call("search_files", { pattern: "needle" });
  expect(hits.text.split("\n").slice(1)).toEqual([
    'd/"n  9 bytes  version 3":1: needle',
    `${long}:1: needle`,
    '"q-1- needle":1: needle',
  ]);
});

test("[FILES-165] an encoding that is no plain name is refused, and shown quoted where it was kept", async () => {
  const { session } = await bench();
  const encoding = "x, version 7), sha256 00";
  const call = session.as(EDITOR).call("write_file", { path: "f", content: "x", encoding });
  expect((await call).error?.reason).toBe("encoding_bad_name");
  expect(fileFacts({ size_bytes: 1, version: 2, encoding })).toBe(`1 byte, "${encoding}", version 2`);
  const about = { path: "/workspace/f", kind: "file", size_bytes: 1, encoding, version: 2 };
  expect(statFile.text(about as never, {} as never, 1_000)).toContain(`, "${encoding}", version 2`);
});
