import { join } from "node:path";
import { parsePath } from "../../src/path/index.ts";
import { blobContent } from "../../src/session/content.ts";
import { EXTENTS, removedBy } from "../../src/text/index.ts";
import type { FileChange } from "../../src/session/files/file-change.ts";
import type { FilesState } from "../../src/session/files/file-state.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { bodyOf } from "../../src/session/files/make-change.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { scratch } from "../store/scratch.ts";
import { historySuite, type SliceUnderTest } from "./history-suite.ts";
import { notesSlice, type NoteChange, type NotesState } from "./notes-slice.ts";
import { below, pick, type Random } from "./random.ts";

const PATHS = ["a", "b.txt", "d/x", "d/y", "d/e/z", "D/q"];

function text(random: Random): Uint8Array {
  const lines = Array.from({ length: below(random, 6) }, () => `${pick(random, ["one", "two", "three"])}\n`);
  return new TextEncoder().encode(lines.join(""));
}

const files: SliceUnderTest<FilesState, FileChange> = {
  name: "files",
  slice: filesSlice,
  async change(state, random, stage) {
    const path = parsePath(pick(random, PATHS));
    const entry = filesSlice.reader(state, () => {}).file(path);
    const bytes = text(random);
    const content = blobContent(bytes.length === 0 ? "" : await stage(bytes), bytes.length);
    let change: FileChange;
    if (entry === undefined)
      change = {
        slice: "files",
        op: "create",
        id: filesSlice.reader(state, () => {}).idFor(path),
        path,
        body: { content, encoding: "utf-8", executable: random() < 0.2 },
        created: new Date(0).toISOString(),
      };
    else if (random() < 0.2)
      change = {
        slice: "files",
        op: "delete",
        id: entry.id,
        path,
        body: bodyOf(entry),
        created: entry.created.toISOString(),
      };
    else if (random() < 0.3)
      change = {
        slice: "files",
        op: "replace",
        id: entry.id,
        path,
        before: bodyOf(entry),
        after: { content, encoding: pick(random, ["utf-8", null]), executable: random() < 0.3 },
      };
    else if (random() < 0.25)
      change = { slice: "files", op: "move", id: entry.id, path, to: parsePath(pick(random, PATHS)) };
    else {
      const at = below(random, entry.content.size + 1);
      const remove = below(random, Math.min(6, entry.content.size - at + 1));
      const splices = [{ at, remove, insert: content.extents }];
      const removed = removedBy(entry.content.extents, splices, EXTENTS);
      change = { slice: "files", op: "splice", id: entry.id, path, splices, removed };
    }
    return filesSlice.refuse(state, change).length > 0 ? undefined : change;
  },
  async view(state, read) {
    const seen: Record<string, unknown> = {};
    for (const [, { path, content, encoding, executable }] of state.files.entries())
      seen[path] = [Buffer.from(await read(content)).toString(), encoding, executable];
    return seen;
  },
  scopes: () => ["/workspace/a", "/workspace/d", "/workspace/d/e"],
  within: (view, scope) =>
    Object.fromEntries(
      Object.entries(view as object).filter(([path]) => path === scope || path.startsWith(`${scope}/`)),
    ),
};

const notes: SliceUnderTest<NotesState, NoteChange> = {
  name: "notes, a small slice",
  slice: notesSlice,
  async change(state, random, stage) {
    const name = pick(random, ["ab", "ac", "b", "c"]);
    const before = state.get(name) ?? null;
    const bytes = text(random);
    const stored = [await stage(bytes), 0, bytes.length] as const;
    const after = random() < 0.25 ? null : { text: new TextDecoder().decode(bytes), stored };
    if (before === null && after === null) return undefined;
    return { slice: "notes", op: "set", name, before, after };
  },
  view: (state) => Object.fromEntries(Array.from(state.entries(), ([name, { text }]) => [name, text])),
  scopes: () => ["a", "b"],
  within: (view, scope) =>
    Object.fromEntries(Object.entries(view as object).filter(([name]) => name.startsWith(scope))),
};

const root = scratch("memory");
let stores = 0;
const onDisk = () => sqliteStore({ directory: join(root, String(++stores)) });

historySuite(files);
historySuite(notes);
historySuite({ ...files, name: "files, in SQLite" }, { store: onDisk, runs: 5 });
