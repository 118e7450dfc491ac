import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import type { PinOptions } from "../../src/host/pinned-directory.ts";
import { folderOf } from "./folder.ts";
import { folderCore } from "./folder-core.ts";

const BY_PATHS: PinOptions = { by: "paths" };

test("[HOST-8] without descriptors a folder is refreshed and landed alike, and a way that became a link is refused", async () => {
  const from = folderOf({ "in/a": "1\n", b: "1\n" });
  const outside = folderOf({ a: "1\n" });
  const it = await folderCore({ from, to: "/workspace" }, BY_PATHS);
  writeFileSync(join(from, "b"), "2\n");
  expect((await it.folders.refresh({})).changed).toEqual([{ path: "/workspace/b", how: "changed" }]);
  await it.write("in/a", "session\n");
  await it.write("new/c", "session\n");
  await (await it.folders.plan({})).land();
  expect(readFileSync(join(from, "in/a"), "utf8")).toBe("session\n");
  expect(readFileSync(join(from, "new/c"), "utf8")).toBe("session\n");
  await it.write("in/a", "again\n");
  renameSync(join(from, "in"), join(from, "moved"));
  symlinkSync(outside, join(from, "in"));
  const failure = await it.folders
    .plan({})
    .then(
      (plan) => plan.land(),
      (error: unknown) => error,
    )
    .catch((error: unknown) => error);
  expect(HoldfastError.is(failure)).toBe(true);
  expect(readFileSync(join(outside, "a"), "utf8")).toBe("1\n");
  expect(existsSync(join(from, ".holdfast"))).toBe(false);
  await it.close();
});

test("[HOST-8] without descriptors a live folder works alike, and a way that became a link is not written through", async () => {
  const from = folderOf({ "in/a": "1\n", b: "1\n" });
  const outside = folderOf({ a: "1\n" });
  const it = await folderCore({ from, to: "/workspace", live: true }, BY_PATHS);
  await it.write("in/a", "session\n");
  await it.write("new/c", "session\n");
  expect(readFileSync(join(from, "in/a"), "utf8")).toBe("session\n");
  expect(readFileSync(join(from, "new/c"), "utf8")).toBe("session\n");
  writeFileSync(join(from, "b"), "outside\n");
  await it.write("b", "session\n");
  expect(readFileSync(join(from, "b"), "utf8")).toBe("session\n");
  const [imported] = await it.core.journal.records({ kind: "import", limit: 1 });
  expect(imported?.agent).toBe("external");
  renameSync(join(from, "in"), join(from, "moved"));
  symlinkSync(outside, join(from, "in"));
  await it.write("in/a", "again\n").catch((error: unknown) => expect(HoldfastError.is(error)).toBe(true));
  expect(readFileSync(join(outside, "a"), "utf8")).toBe("1\n");
  await it.close();
});
