// Owns: what a session must hold, said in the most naive way: every record in order, whole contents, every character with
// who put it in and who took it out. An undone record simply does not count.

export interface Edit {
  readonly path: string;
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
  /** Whether the file is there after it; undefined when it only edits. */
  readonly exists?: boolean;
}

export interface ModelRecord {
  readonly seq: number;
  readonly edits: readonly Edit[];
  /** The records that this one takes back. */
  readonly undoes: readonly number[];
}

interface Character {
  readonly text: string;
  readonly by: number;
  readonly removers: number[];
}

export type Contents = Readonly<Record<string, string>>;

export class Model {
  records: ModelRecord[] = [];

  add(record: ModelRecord): void {
    this.records.push(record);
  }

  /** Everything after `seq` never happened: a fork. */
  cutTo(seq: number): void {
    this.records = this.records.filter((record) => record.seq <= seq);
  }

  get seq(): number {
    return this.records.at(-1)?.seq ?? 0;
  }

  /** Records from `seq` on that touch a path, after it. */
  touchedAfter(seq: number, paths: ReadonlySet<string>): boolean {
    return this.records.some(
      (record) => record.seq > seq && this.pathsOf(record.seq).some((path) => paths.has(path)),
    );
  }

  /** 0 for a change, 1 for an undo of one, 2 for an undo of that, and so on. */
  undoDepth(seq: number): number {
    const { undoes = [] } = this.records.find((one) => one.seq === seq) ?? {};
    return undoes.length === 0 ? 0 : 1 + Math.max(...undoes.map((undone) => this.undoDepth(undone)));
  }

  pathsOf(seq: number): string[] {
    const record = this.records.find((one) => one.seq === seq);
    if (record === undefined) return [];
    return [
      ...record.edits.map(({ path }) => path),
      ...record.undoes.flatMap((undone) => this.pathsOf(undone)),
    ];
  }

  /** All files at a position. */
  at(seq: number = this.seq): Contents {
    const contents: Record<string, string> = {};
    for (const [path, characters] of this.#replay(seq))
      contents[path] = characters.map(({ text }) => text).join("");
    return contents;
  }

  /** For each line of a file, the newest record that one of its characters is from. */
  blame(path: string): number[] {
    const lines: number[] = [];
    let newest = 0;
    let isOpen = false;
    for (const { text, by } of this.#replay(this.seq).get(path) ?? []) {
      newest = Math.max(newest, by);
      isOpen = text !== "\n";
      if (isOpen) continue;
      lines.push(newest);
      newest = 0;
    }
    return isOpen ? [...lines, newest] : lines;
  }

  /** What can be seen of every file that is there, replayed from nothing. */
  #replay(seq: number): Map<string, Character[]> {
    const files = new Map<string, Character[]>();
    const exists = new Map<string, { by: number; is: boolean }[]>();
    const counts = new Map<number, boolean>();
    const isActive = (record: number): boolean => counts.get(record) ?? true;
    const isVisible = ({ by, removers }: Character): boolean => isActive(by) && !removers.some(isActive);
    for (const record of this.records) {
      if (record.seq > seq) break;
      for (const undone of record.undoes) this.#toggle(counts, undone);
      for (const { path, at, remove, insert, exists: is } of record.edits) {
        const characters = files.get(path) ?? [];
        files.set(path, characters);
        if (is !== undefined) exists.set(path, [...(exists.get(path) ?? []), { by: record.seq, is }]);
        splice(characters, isVisible, record.seq, at, remove, insert);
      }
    }
    const seen = new Map<string, Character[]>();
    for (const path of [...files.keys()].toSorted())
      if (exists.get(path)?.findLast(({ by }) => isActive(by))?.is === true)
        seen.set(path, (files.get(path) ?? []).filter(isVisible));
    return seen;
  }

  /** A record that is taken back stops counting, with what it had itself taken back. */
  #toggle(counts: Map<number, boolean>, seq: number): void {
    counts.set(seq, !(counts.get(seq) ?? true));
    for (const undone of this.records.find((record) => record.seq === seq)?.undoes ?? [])
      this.#toggle(counts, undone);
  }
}

/** Characters that are gone stay in the list: what is brought back comes before what was put in its place later. */
function splice(
  characters: Character[],
  isVisible: (character: Character) => boolean,
  by: number,
  at: number,
  remove: number,
  insert: string,
): void {
  let seen = 0;
  let place = 0;
  while (place < characters.length && (seen < at || !isVisible(characters[place] as Character))) {
    if (isVisible(characters[place] as Character)) seen++;
    place++;
  }
  let left = remove;
  for (let i = place; left > 0 && i < characters.length; i++) {
    const character = characters[i] as Character;
    if (!isVisible(character)) continue;
    character.removers.push(by);
    left--;
  }
  characters.splice(place, 0, ...Array.from(insert, (text) => ({ text, by, removers: [] })));
}
