// Owns: the smallest slice that has everything: notes by name, each with a text that is stored in a blob too.

import { say, type Shown } from "../../src/errors.ts";
import type { Refusal, Slice } from "../../src/session/slice.ts";
import { SortedMap } from "../../src/session/sorted-map.ts";
import { undoByRebase, type Rebasable } from "../../src/session/undo-by-rebase.ts";
import type { BlobId, Change, Extent, Key } from "../../src/store/journal.ts";

interface Note {
  readonly text: string;
  readonly stored: Extent;
}

/** Sets a note, from what it was; null is no note. */
export interface NoteChange extends Change {
  readonly slice: "notes";
  readonly op: "set";
  readonly name: string;
  readonly before: Note | null;
  readonly after: Note | null;
}

export type NotesState = SortedMap<Note>;

export interface NotesReader {
  note(name: string): string | undefined;
}

function keyOf(name: string): Key {
  return `note:${name}`;
}

const changes: Rebasable<NotesState, NoteChange> = {
  name: "notes",
  apply: (state, { name, after }) => (after === null ? state.delete(name) : state.set(name, after)),
  refuse: (state, { name, before }) =>
    state.get(name)?.stored.join() === before?.stored.join() ? [] : [refusal(name, "not as it was")],
  part: ({ name }) => name,
  invert: (change) => ({ ...change, before: change.after, after: change.before }),
  rebase: (change, since) =>
    since.some((other) => other.name === change.name) ? [refusal(change.name, "changed again")] : change,
};

export const notesSlice: Slice<NotesState, NoteChange, NotesReader> = {
  ...changes,
  empty: () => SortedMap.empty<Note>(),
  reader: (state, read) => ({
    note(name) {
      read(keyOf(name));
      return state.get(name)?.text;
    },
  }),
  undo: undoByRebase(changes),
  *between(from, to, scope = "") {
    for (const { key, before = null, after = null } of from.changesTo(to)) {
      if (!key.startsWith(scope) || before?.stored.join() === after?.stored.join()) continue;
      yield { slice: "notes", op: "set", name: key, before, after };
    }
  },
  keys: (_state, { name }) => [keyOf(name)],
  blobs: ({ before, after }) =>
    [before, after].flatMap((one): BlobId[] => (one === null ? [] : [one.stored[0]])),
  weigh: (_state, { before, after }) => ({
    bytes: (after?.stored[2] ?? 0) - (before?.stored[2] ?? 0),
    files: 0,
  }),
  diff(from, to, scope = "") {
    const lists = { added: [] as Shown[], changed: [] as Shown[], removed: [] as Shown[] };
    const changed = [...notesSlice.between(from, to, scope)].filter((change) => change !== undefined);
    for (const { name, before, after } of changed)
      (before === null ? lists.added : after === null ? lists.removed : lists.changed).push(name as Shown);
    return lists;
  },
  *encode(state) {
    for (const [name, { text, stored }] of state.entries())
      yield new TextEncoder().encode(`${JSON.stringify([name, text, stored])}\n`);
  },
  async decode(chunks) {
    const all: Uint8Array[] = [];
    for await (const chunk of chunks) all.push(chunk);
    let state = SortedMap.empty<Note>();
    for (const line of Buffer.concat(all).toString().split("\n").slice(0, -1)) {
      const [name, text, stored] = JSON.parse(line) as [string, string, Extent];
      state = state.set(name, { text, stored });
    }
    return state;
  },
};

function refusal(name: string, what: string): Refusal {
  return {
    key: keyOf(name),
    code: "conflict",
    reason: "changed_since",
    message: say`note ${name as Shown} is ${what as Shown}`,
  };
}
