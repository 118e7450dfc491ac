import { expect, test } from "vitest";
import type { FolderFile } from "../../src/session/folders/folder-file.ts";
import { foldersSlice, holdChanges, type FoldersState } from "../../src/session/folders/folders-slice.ts";
import type { WorkspacePath } from "../../src/path/index.ts";

const stamp = { at: { seq: 7, hash: "" }, time: new Date(0), agent: "host" };

const fileAt = (n: number): FolderFile =>
  ({
    path: `/workspace/f${n}` as WorkspacePath,
    mount: 1,
    id: `i${n}`,
    content: { size: 1, extents: [["b", n, 1]] },
    encoding: "utf-8",
    executable: false,
    landed: [],
  }) as unknown as FolderFile;

test("[HOST-28] what folders hold is recorded in changes of at most 1,000 files, which come to the same as one", () => {
  const files = Array.from({ length: 2_500 }, (_, n) => fileAt(n));
  const old = foldersSlice.apply(
    foldersSlice.empty(),
    { slice: "folders", op: "hold", anew: true, files: [fileAt(9_999), fileAt(1)], gone: [] },
    stamp,
  );
  for (const anew of [true, false]) {
    const gone = ["/workspace/f9999" as WorkspacePath];
    const changes = [...holdChanges({ files, gone }, anew)];
    expect(changes.map((change) => (change.op === "hold" ? change.files.length : 0))).toEqual([
      1_000, 1_000, 500,
    ]);
    const apply = (state: FoldersState, change: (typeof changes)[number]): FoldersState =>
      foldersSlice.apply(state, change, stamp);
    const whole = apply(old, { slice: "folders", op: "hold", anew, files, gone });
    const paths = [...whole.files.entries()].map(([key]) => key);
    expect([...changes.reduce(apply, old).files.entries()].map(([key]) => key)).toEqual(paths);
    expect(paths).toHaveLength(2_500);
  }
  expect([...holdChanges({ files: [], gone: [] }, true)]).toHaveLength(1);
});
