import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { parsePath, type WorkspacePath } from "../../src/path/index.ts";
import { spliceContent } from "../../src/session/content.ts";
import { EXTENTS, removedBy } from "../../src/text/index.ts";
import type { FileBody, FileChange } from "../../src/session/files/file-change.ts";
import { factsBeforeSteps, factsOf, noFile, type FileFacts } from "../../src/session/files/file-facts.ts";
import type { StepRecord } from "../../src/session/files/file-history.ts";
import { NO_FILES, fileAt, idForCreation, type FilesState } from "../../src/session/files/file-state.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { bodyOf } from "../../src/session/files/make-change.ts";
import { movedInto } from "../../src/session/files/rewrite.ts";
import type { Stamp } from "../../src/session/slice.ts";
import type { Content, Extent } from "../../src/store/journal.ts";
import { runNow } from "../../src/text/steps.ts";

/** Blobs stand for themselves here: blob `k` holds bytes k, k+1, k+2, ... so that contents can be compared as numbers. */
function bytesOf(content: Content): number[] {
  return content.extents.flatMap(([blob, at, length]) =>
    Array.from({ length }, (_, i) => (blob.charCodeAt(0) * 1000 + at + i) | 0),
  );
}

const extent = fc.tuple(
  fc.constantFrom("a", "b", "c"),
  fc.nat(20),
  fc.integer({ min: 1, max: 9 }),
) as fc.Arbitrary<[string, number, number]>;
const content: fc.Arbitrary<Content> = fc
  .array(extent, { maxLength: 4 })
  .map((extents) => ({ size: extents.reduce((sum, one) => sum + one[2], 0), extents }));
const body: fc.Arbitrary<FileBody> = fc.record({
  content,
  encoding: fc.constantFrom("utf-8", "binary", null),
  executable: fc.boolean(),
});
const path = fc
  .constantFrom("a", "a/b", "a/b/c", "A/x", "d.txt", "e/f", "e/F", "e/g")
  .map((text) => parsePath(text));

type Wish =
  | { readonly kind: "create"; readonly path: WorkspacePath; readonly body: FileBody }
  | { readonly kind: "replace"; readonly path: WorkspacePath; readonly body: FileBody }
  | { readonly kind: "delete"; readonly path: WorkspacePath }
  | { readonly kind: "move"; readonly path: WorkspacePath; readonly to: WorkspacePath }
  | {
      readonly kind: "splice";
      readonly path: WorkspacePath;
      readonly cuts: readonly [number, number, Extent[]][];
    };

const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), path, body }),
  fc.record({ kind: fc.constant("replace" as const), path, body }),
  fc.record({ kind: fc.constant("delete" as const), path }),
  fc.record({ kind: fc.constant("move" as const), path, to: path }),
  fc.record({
    kind: fc.constant("splice" as const),
    path,
    cuts: fc.array(fc.tuple(fc.nat(8), fc.nat(5), fc.array(extent, { maxLength: 2 })), {
      maxLength: 3,
    }),
  }),
);

function changeFor(state: FilesState, wanted: Wish): FileChange | undefined {
  const { path } = wanted;
  const entry = fileAt(state, path);
  const slice = "files";
  if (wanted.kind === "create")
    return {
      slice,
      op: "create",
      id: idForCreation(state, path),
      path,
      body: wanted.body,
      created: BIRTH,
    };
  if (entry === undefined) return undefined;
  const { id } = entry;
  if (wanted.kind === "move") return { slice, op: "move", id, path, to: wanted.to };
  if (wanted.kind === "delete")
    return { slice, op: "delete", id, path, body: bodyOf(entry), created: entry.created.toISOString() };
  if (wanted.kind === "replace")
    return { slice, op: "replace", id, path, before: bodyOf(entry), after: wanted.body };
  const splices = [];
  let from = 0;
  for (const [gap, remove, insert] of wanted.cuts) {
    const at = from + gap;
    if (at > entry.content.size) break;
    const cut = Math.min(remove, entry.content.size - at);
    splices.push({ at, remove: cut, insert });
    from = at + cut;
  }
  return {
    slice,
    op: "splice",
    id,
    path,
    splices,
    removed: removedBy(entry.content.extents, splices, EXTENTS),
  };
}

const BIRTH = new Date(0).toISOString();

let clock = 0;
function stamp(): Stamp {
  clock++;
  return { at: { seq: clock, hash: `h${clock}` }, time: new Date(clock * 1000), agent: "a" };
}

function bytesByPath(state: FilesState): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(state.files.entries(), ([, { id, path, content, encoding, executable }]) => [
      path,
      [id, bytesOf(content), encoding, executable],
    ]),
  );
}

describe("the files slice under random changes", () => {
  test("[FILES-5] [FILES-2] [FILES-8] [FILES-9] [FILES-10] changes apply and tell what was before them, versions only grow, refused ones change nothing", () => {
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 30 }), (wishes) => {
        let state = NO_FILES;
        const model = new Map<string, number[]>();
        const versions = new Map<string, number>();
        for (const wanted of wishes) {
          const change = changeFor(state, wanted);
          if (change === undefined || filesSlice.refuse(state, change).length > 0) continue;
          const next = filesSlice.apply(state, change, stamp());
          const after = factsIn(next, change.op === "move" ? change.to : wanted.path);
          const steps = [{ record: { seq: 1 } as StepRecord, changes: [change] }];
          expect(told(runNow(factsBeforeSteps(after, steps, LIMITS.weaveRuns.default)))).toEqual(
            told(factsIn(state, wanted.path)),
          );
          naive(model, change);
          expect(
            Object.fromEntries(Array.from(next.files.entries(), ([, e]) => [e.path, bytesOf(e.content)])),
          ).toEqual(Object.fromEntries(model));
          const { op } = change;
          const touched = op === "move" ? (change.to as WorkspacePath) : wanted.path;
          const entry = fileAt(next, touched);
          if (entry !== undefined) {
            expect(entry.version).toBeGreaterThan(versions.get(touched) ?? 0);
            if (op === "move") expect(entry.version).toBeGreaterThan(versions.get(wanted.path) ?? 0);
            versions.set(touched, entry.version);
          }
          state = next;
        }
        expectNoClash(state);
        expectOneLife(state);
      }),
    );
  });

  test("[FILES-7] [FILES-8] what lies between two states turns the one into the other", () => {
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 20 }), fc.array(wish, { maxLength: 20 }), (one, two) => {
        const from = build(NO_FILES, one);
        const to = build(from, two);
        let state = from;
        for (const change of filesSlice.between(from, to)) {
          if (change === undefined) continue;
          expect(filesSlice.refuse(state, change)).toEqual([]);
          state = filesSlice.apply(state, change, stamp());
        }
        expect(bytesByPath(state)).toEqual(bytesByPath(to));
        expectOneLife(state);
      }),
    );
  });

  test("[FILES-6] a checkpoint brings the same state back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { maxLength: 30 }), async (wishes) => {
        const state = build(NO_FILES, wishes);
        const decoded = await filesSlice.decode(chunked(filesSlice.encode(state)));
        expect([...decoded.files.entries()]).toEqual([...state.files.entries()]);
        expect([...decoded.graves.entries()]).toEqual([...state.graves.entries()]);
        expect([...decoded.folds.entries()]).toEqual([...state.folds.entries()]);
      }),
    );
  });
});

test("[HIST-10] a rewrite moves what it has copied and leaves what was changed meanwhile", () => {
  fc.assert(
    fc.property(content, content, fc.array(fc.nat(40), { maxLength: 4 }), (copied, other, cuts) => {
      let now = copied;
      for (const cut of cuts) {
        const at = cut % (now.size + 1);
        const remove = Math.min(cut % 5, now.size - at);
        now = spliceContent(now, [{ at, remove, insert: cut % 2 === 0 ? other.extents : [] }]);
      }
      const blob = "~";
      const copy = bytesOf(copied);
      const read = ({ extents }: Content) =>
        extents.flatMap(([id, at, length]) =>
          id === blob ? copy.slice(at, at + length) : bytesOf({ size: length, extents: [[id, at, length]] }),
        );
      const moved = movedInto(blob, copied, now);
      expect([read(moved), moved.size]).toEqual([bytesOf(now), now.size]);
      if (now === copied && now.size > 0) expect(moved.extents).toEqual([[blob, 0, now.size]]);
    }),
  );
});

function factsIn(state: FilesState, path: string): FileFacts {
  const entry = fileAt(state, path as WorkspacePath);
  return entry === undefined ? noFile(path) : factsOf(entry);
}

function told({ exists, path, encoding, executable, content }: FileFacts): unknown {
  return { exists, path, encoding, executable, bytes: bytesOf(content) };
}

function build(from: FilesState, wishes: readonly Wish[]): FilesState {
  let state = from;
  for (const wanted of wishes) {
    const change = changeFor(state, wanted);
    if (change === undefined || filesSlice.refuse(state, change).length > 0) continue;
    state = filesSlice.apply(state, change, stamp());
  }
  return state;
}

function naive(model: Map<string, number[]>, change: FileChange): void {
  if (change.op === "delete") model.delete(change.path);
  else if (change.op === "create") model.set(change.path, bytesOf(change.body.content));
  else if (change.op === "replace") model.set(change.path, bytesOf(change.after.content));
  else if (change.op === "move") {
    const bytes = model.get(change.path) ?? [];
    model.delete(change.path);
    model.set(change.to, bytes);
  } else if (change.op === "splice") {
    const bytes = model.get(change.path) ?? [];
    for (const { at, remove, insert } of change.splices.toReversed())
      bytes.splice(at, remove, ...bytesOf({ size: 0, extents: insert }));
  }
}

/** No path is a file and a directory, and no two differ only in case. */
function expectNoClash(state: FilesState): void {
  const names = new Map<string, string>();
  for (const [, { path }] of state.files.entries()) {
    const segments = path.split("/");
    for (let depth = 3; depth <= segments.length; depth++) {
      const spelled = `${segments.slice(0, depth).join("/")}${depth === segments.length ? "" : "/"}`;
      const folded = spelled.toLowerCase().replace(/\/$/, "");
      expect(names.get(folded) ?? spelled).toBe(spelled);
      names.set(folded, spelled);
    }
  }
}

/** No two files have one id, and no path waits for a file that lives. */
function expectOneLife(state: FilesState): void {
  const ids = Array.from(state.files.entries(), ([, { id }]) => id);
  const waiting = Array.from(state.graves.entries(), ([, { id }]) => id).filter((id) => id !== null);
  expect(new Set([...ids, ...waiting]).size).toBe(ids.length + waiting.length);
}

async function* chunked(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) for (let at = 0; at < chunk.length; at += 7) yield chunk.subarray(at, at + 7);
}

test("[FILES-4] splicing shares the blobs of the old content", () => {
  const before: Content = { size: 10, extents: [["a", 0, 10]] };
  const after = spliceContent(before, [{ at: 4, remove: 2, insert: [["b", 0, 3]] }]);
  expect(after).toEqual({
    size: 11,
    extents: [
      ["a", 0, 4],
      ["b", 0, 3],
      ["a", 6, 4],
    ],
  });
});
