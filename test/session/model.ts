// Owns: what a session must hold, said in the most naive way: every file a list of characters, each with who put it in and who
// took it out (test/text/weave-model.ts), and who said where the file is and whether it exists.

import { Model } from "../text/weave-model.ts";

export interface TextEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** What a record did to one file. */
export type Deed = { readonly seq: number; readonly file: number } & (
  | { readonly edits: readonly TextEdit[]; readonly exists?: boolean; readonly path?: string }
  | { readonly takesBack: readonly number[] }
);

export type Contents = Readonly<Record<string, string>>;

/** What a record said of a file, and the record whose word it was said over. */
interface Word {
  readonly seq: number;
  readonly what: "exists" | "path";
  readonly value: unknown;
  readonly over: number;
}

class ModelFile {
  readonly text: Model = new Model([], (value) => value);
  readonly #says: Word[] = [];
  /** Where it is, or was last. */
  path = "";

  do(deed: Deed): void {
    if ("takesBack" in deed) this.text.reverse(deed.seq, deed.takesBack);
    else {
      const splices = deed.edits.map(({ at, remove, insert }) => ({ at, remove, insert: codes(insert) }));
      this.text.edit(deed.seq, splices);
      const { seq, exists, path } = deed;
      const say = (what: Word["what"], value: unknown): void => {
        this.#says.push({ seq, what, value, over: this.#newest(what, this.text.standing())?.seq ?? 0 });
      };
      if (exists !== undefined) say("exists", exists);
      if (path !== undefined) say("path", path);
    }
    if (this.exists()) this.path = this.pathIf(this.text.standing());
  }

  exists(stands: ReadonlySet<number> = this.text.standing()): boolean {
    return this.#newest("exists", stands)?.value === true;
  }

  pathIf(stands: ReadonlySet<number>): string {
    return (this.#newest("path", stands)?.value as string | undefined) ?? this.path;
  }

  #newest(what: Word["what"], stands: ReadonlySet<number>, before = Infinity): Word | undefined {
    return this.#says.findLast((one) => one.what === what && one.seq < before && stands.has(one.seq));
  }

  shown(): string {
    return String.fromCharCode(...this.text.visible().map(({ value }) => value));
  }

  /** What is to be taken back so that none of some records stands: those that do, and those that would come back. */
  targetsAmong(named: readonly number[]): number[] {
    const now = this.text.standing();
    const targets = named.filter((seq) => now.has(seq));
    for (;;) {
      const then = this.text.standing(targets);
      const back = named.filter((seq) => then.has(seq));
      if (back.length === 0) return targets;
      targets.push(Math.max(...back));
    }
  }

  /** The record before all that undoing some reaches back to: of what was there then only the text is known (WEAVE-6, WEAVE-17). */
  #baseFor(named: readonly number[]): number {
    for (let start = Math.min(...named); ;) {
      const later = this.text.records.filter(({ seq }) => seq >= start);
      const reach = Math.min(start, ...later.flatMap(({ targets }) => targets));
      if (reach === start) return start - 1;
      start = reach;
    }
  }

  /** Whether records can be taken back here, when some are named. */
  canUndo(targets: readonly number[], named: readonly number[]): boolean {
    if (named.length === 0) return true;
    const [now, then] = [this.text.standing(), this.text.standing(targets)];
    if (this.text.newFaults(targets, this.#baseFor(named)).length > 0) return false;
    // Whoever said something over a word must find that word before its own.
    const isFault = ({ seq, what, over }: Word, stands: ReadonlySet<number>): boolean =>
      stands.has(seq) && (this.#newest(what, stands, seq)?.seq ?? 0) !== over;
    if (this.#says.some((word) => isFault(word, then) && !isFault(word, now))) return false;
    return this.exists(then) || this.text.visible(then).length === 0;
  }
}

export class SessionModel {
  readonly #deeds: Deed[] = [];
  readonly #files: ModelFile[] = [];
  /** The file that a creation at a path continues. */
  readonly #graves = new Map<string, number>();
  /** All records, also those that did nothing to files. */
  readonly seqs: number[] = [];

  get seq(): number {
    return this.seqs.at(-1) ?? 0;
  }

  /** Adds what one record did. */
  add(seq: number, deeds: readonly Deed[]): void {
    this.seqs.push(seq);
    for (const deed of deeds) {
      this.#deeds.push(deed);
      while (this.#files.length <= deed.file) this.#files.push(new ModelFile());
      const file = this.#files[deed.file] as ModelFile;
      const existed = file.exists();
      file.do(deed);
      if (existed && !file.exists()) this.#graves.set(file.path, deed.file);
      if (!existed && file.exists())
        for (const [path, id] of this.#graves) if (id === deed.file) this.#graves.delete(path);
    }
  }

  /** The same up to a record. */
  upTo(seq: number): SessionModel {
    const model = new SessionModel();
    for (const one of this.seqs)
      if (one <= seq)
        model.add(
          one,
          this.#deeds.filter((deed) => deed.seq === one),
        );
    return model;
  }

  /** The file at a path. */
  at(path: string): number | undefined {
    const id = this.#files.findIndex((file) => file.exists() && file.path === path);
    return id < 0 ? undefined : id;
  }

  /** The file that one created at a path is. */
  idFor(path: string): number {
    return this.#graves.get(path) ?? this.#files.length;
  }

  pathOf(file: number): string | undefined {
    const found = this.#files[file];
    return found?.exists() === true ? found.path : undefined;
  }

  lastPathOf(file: number): string {
    return this.#files[file]?.path ?? "";
  }

  get contents(): Contents {
    const living = this.#files.filter((file) => file.exists());
    const sorted = living.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return Object.fromEntries(sorted.map((file) => [file.path, file.shown()]));
  }

  /** The number that the next new file gets. */
  get fresh(): number {
    return this.#files.length;
  }

  /** Whether a record did nothing to any file. */
  doesNothing(seq: number): boolean {
    return !this.#deeds.some((deed) => deed.seq === seq);
  }

  /** The records that did something to a file after one. */
  seqsOf(file: number, after = 0): number[] {
    return this.#deeds.filter((deed) => deed.file === file && deed.seq > after).map(({ seq }) => seq);
  }

  /** What taking records back comes to: the targets by file; undefined where that cannot be. */
  undo(
    seqs: readonly number[],
    isMeant: (file: number) => boolean,
  ): ReadonlyMap<number, number[]> | undefined {
    const targets = new Map<number, number[]>();
    const paths: string[] = [];
    for (const [id, file] of this.#files.entries()) {
      const named = this.seqsOf(id).filter((seq) => seqs.includes(seq));
      const own = file.targetsAmong(named);
      if (own.length > 0 && isMeant(id)) targets.set(id, [...new Set(own)]);
      if (!file.canUndo(targets.get(id) ?? [], named)) return undefined;
      const then = file.text.standing(targets.get(id) ?? []);
      if (file.exists(then)) paths.push(file.pathIf(then));
    }
    return new Set(paths).size === paths.length ? targets : undefined;
  }

  /** The newest record that takes another back in some file. */
  undoOf(seq: number): number | undefined {
    return this.#deeds.findLast((deed) => "takesBack" in deed && deed.takesBack.includes(seq))?.seq;
  }

  /** Where a file was before a record. */
  pathBefore(file: number, seq: number): string {
    const before = this.upTo(this.seqs.findLast((one) => one < seq) ?? 0);
    return before.lastPathOf(file) === "" ? this.upTo(seq).lastPathOf(file) : before.lastPathOf(file);
  }

  /** For each line of a file, the newest record that one of its characters is from. */
  blame(path: string): number[] {
    const lines: number[] = [];
    let newest = 0;
    let isOpen = false;
    for (const { value, by } of this.#files[this.at(path) ?? -1]?.text.visible() ?? []) {
      newest = Math.max(newest, by);
      isOpen = value !== 10;
      if (isOpen) continue;
      lines.push(newest);
      newest = 0;
    }
    return isOpen ? [...lines, newest] : lines;
  }
}

function codes(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}
