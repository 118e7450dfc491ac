// Owns: every kind of record there is, and what each means for the log, for undo and for what an agent did last.

/** What a record of a kind is to the rest of the house. */
interface KindOfRecord {
  /** The log and `watch` leave it out unless it is asked for by kind. */
  readonly isHidden: boolean;
  /** An undo can take it back. What changes nothing, or is an agreement with the outside, cannot be. */
  readonly isUndoable: boolean;
  /** It is an agent's or the host's work: "my last call" and "all I did since" find it. */
  readonly isWork: boolean;
  /** It takes other records back. A tool of another kind may do so too, beside what else it changes. */
  readonly takesBack?: true;
}

const WORK: KindOfRecord = { isHidden: false, isUndoable: true, isWork: true };
const FIXED: KindOfRecord = { isHidden: false, isUndoable: false, isWork: false };

/** A kind is part of the journal's format: a name is never used again for something else. */
export type RecordKind =
  /** A tool's call. */
  | "call"
  | "undo"
  | "restore"
  | "reset"
  /** What the host itself does to a gate set. */
  | "gates"
  /** A name for a position. */
  | "snapshot"
  /** The same bytes in other blobs. */
  | "rewrite"
  /** Files of a folder, brought in for the first time; what was changed in a mirror. */
  | "mount"
  | "import"
  /** What a person changed meanwhile in a mounted folder. */
  | "refresh"
  /** A landing is over: its number, and whether it was written or taken back. Its content is in the intent. */
  | "land"
  /** What is about to be written to the folders, with its content, so that a landing that is cut off can be finished. */
  | "land_intent"
  | "landing_request"
  | "landing_reply"
  /** What the host has settled: limits, names, gates and rules. Its mounts are not part of it. */
  | "policy";

const KINDS: Readonly<Record<RecordKind, KindOfRecord>> = {
  call: WORK,
  undo: { isHidden: false, isUndoable: true, isWork: false, takesBack: true },
  restore: { ...WORK, takesBack: true },
  reset: { ...WORK, takesBack: true },
  gates: WORK,
  snapshot: FIXED,
  rewrite: { isHidden: true, isUndoable: false, isWork: false },
  mount: WORK,
  import: WORK,
  refresh: WORK,
  land: FIXED,
  land_intent: { isHidden: true, isUndoable: false, isWork: false },
  landing_request: FIXED,
  landing_reply: FIXED,
  policy: FIXED,
};

const BY_NAME: ReadonlyMap<string, KindOfRecord> = new Map(Object.entries(KINDS));

/** A kind that this version does not know is shown and otherwise left alone. */
export function kindOf(record: { readonly kind: string }): KindOfRecord {
  return BY_NAME.get(record.kind) ?? FIXED;
}

/** The kinds whose records take others back. */
export const REVERSALS: readonly string[] = [...BY_NAME].flatMap(([name, kind]) =>
  kind.takesBack === true ? [name] : [],
);
