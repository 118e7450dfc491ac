import { describe, expect, test } from "vitest";
import { parsePath } from "../../src/path/index.ts";
import { idForCreation, NO_FILES, fileAt, type FilesState } from "../../src/session/files/file-state.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { bodyOf } from "../../src/session/files/make-change.ts";
import type { FileChange } from "../../src/session/files/file-change.ts";

let seq = 0;

function make(state: FilesState, change: FileChange): FilesState {
  expect(filesSlice.refuse(state, change)).toEqual([]);
  seq++;
  const stamp = { at: { seq, hash: `${seq}` }, time: new Date(seq * 1000), agent: "a" };
  return filesSlice.apply(state, change, stamp);
}

function create(state: FilesState, name: string, executable = false): FilesState {
  const path = parsePath(name);
  const body = { content: { size: 1, extents: [["b", 0, 1]] as const }, encoding: "utf-8", executable };
  const id = idForCreation(state, path);
  return make(state, { slice: "files", op: "create", id, path, body, created: new Date(0).toISOString() });
}

function move(state: FilesState, from: string, to: string): FileChange {
  const path = parsePath(from);
  const id = fileAt(state, path)?.id ?? "none";
  return { slice: "files", op: "move", id, path, to: parsePath(to) };
}

function remove(state: FilesState, name: string): FilesState {
  const entry = fileAt(state, parsePath(name));
  if (entry === undefined) throw new Error("no such file");
  const { id, path, created } = entry;
  return make(state, {
    slice: "files",
    op: "delete",
    id,
    path,
    body: bodyOf(entry),
    created: created.toISOString(),
  });
}

const idAt = (state: FilesState, name: string) => fileAt(state, parsePath(name))?.id;

describe("a file's id", () => {
  test("[FILES-8] is continued by a creation where the file was deleted", () => {
    const one = create(NO_FILES, "a");
    const again = create(remove(one, "a"), "a");
    expect(idAt(again, "a")).toBe(idAt(one, "a"));
    expect(idAt(create(again, "b"), "b")).not.toBe(idAt(one, "a"));
  });

  test("[FILES-8] is not taken by a creation where the file was moved away", () => {
    const one = create(NO_FILES, "a");
    const moved = make(one, move(one, "a", "b"));
    const both = create(moved, "a");
    expect(idAt(both, "b")).toBe(idAt(one, "a"));
    expect(idAt(both, "a")).not.toBe(idAt(one, "a"));
  });

  test("[FILES-8] waits at its path while another file lives there", () => {
    const one = create(NO_FILES, "a");
    let state = create(remove(one, "a"), "b");
    state = make(state, move(state, "b", "a"));
    state = make(state, move(state, "a", "c"));
    expect(idAt(create(state, "a"), "a")).toBe(idAt(one, "a"));
  });

  test("[FILES-8] [FILES-7] a state in which the file is elsewhere is reached with the same id, once", () => {
    const one = create(create(NO_FILES, "a"), "b");
    let state = make(one, move(one, "a", "c"));
    state = make(state, move(state, "b", "a"));
    state = remove(state, "c");
    let back = state;
    for (const change of filesSlice.between(state, one)) if (change !== undefined) back = make(back, change);
    expect([idAt(back, "a"), idAt(back, "b")]).toEqual([idAt(one, "a"), idAt(one, "b")]);
    expect(idAt(create(back, "c"), "c")).not.toBe(idAt(one, "a"));
    const scoped = filesSlice.between(state, one, "/workspace/b");
    const made = [...scoped].filter((change) => change !== undefined);
    expect(made.map(({ op, id }) => [op, id === idAt(one, "b")])).toEqual([["create", false]]);
  });
});

describe("a move", () => {
  test("[FILES-9] [FILES-13] keeps what the file is and goes on counting", () => {
    let state = create(NO_FILES, "d/a", true);
    state = remove(create(state, "b"), "b");
    state = remove(create(state, "b"), "b");
    const before = fileAt(state, parsePath("d/a"));
    const moved = make(state, move(state, "d/a", "b"));
    expect(fileAt(moved, parsePath("b"))).toMatchObject({
      id: before?.id,
      content: before?.content,
      created: before?.created,
      executable: true,
      version: 3,
    });
    expect(fileAt(moved, parsePath("d/a"))).toBeUndefined();
    expect(fileAt(create(moved, "d/a"), parsePath("d/a"))?.version).toBe(2);
  });

  test("[FILES-9] [FILES-11] touches both names, and the directories that come or go", () => {
    const state = create(NO_FILES, "old/a");
    const keys = filesSlice.keys(state, move(state, "old/a", "new/x/b"));
    const gone = ["file:/old/a", "fold:/old/a", "dir:/old", "fold:/old", "dir:/"];
    const made = ["file:/new/x/b", "fold:/new/x/b", "dir:/new/x", "fold:/new/x", "dir:/new", "fold:/new"];
    expect(keys.toSorted()).toEqual([...gone, ...made].toSorted());
  });

  test("[FILES-9] is refused where a creation would be, the file itself not counted", () => {
    const state = create(create(NO_FILES, "a"), "d/b");
    const reason = (from: string, to: string) => filesSlice.refuse(state, move(state, from, to))[0]?.reason;
    expect(reason("a", "d/b")).toBe("file_exists");
    expect(reason("a", "d")).toBe("is_directory");
    expect(reason("a", "D/c")).toBe("case_clash");
    expect(reason("a", "d/b/c")).toBe("file_above");
    expect(reason("none", "c")).toBe("no_such_file");
    expect(reason("a", "A")).toBeUndefined();
    expect(reason("a", "a/b")).toBeUndefined();
  });
});
