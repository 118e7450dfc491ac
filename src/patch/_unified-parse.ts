// Owns: the grammar of unified diffs: text to files, hunks and lines, with the line of the diff for every complaint.
// Must never: guess at a hunk. Text around the diff is skipped; inside a hunk every line must be accounted for.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import type { LineEnding } from "../text/lines.ts";

/** One line of a hunk. */
export interface DiffLine {
  /** A blank stays, `-` goes, `+` comes. */
  readonly kind: " " | "-" | "+";
  /** Without its ending. */
  readonly text: string;
  /** Undefined: that of the lines around it. */
  readonly ending?: LineEnding | undefined;
}

/** A run of lines of a diff, and where its header says it is. */
export interface DiffHunk {
  /** Line of the diff that holds the header, from 1. */
  readonly at: number;
  /** The first old line the hunk covers, or, if it covers none, the one its lines are put before; 0 if the header has no numbers. */
  readonly start: number;
  /** From top to bottom. */
  readonly lines: readonly DiffLine[];
}

/** What a diff says of one file. */
export interface DiffFile {
  /** Line of the diff that begins it, from 1. */
  readonly at: number;
  /** Undefined is /dev/null. */
  from: string | undefined;
  /** Likewise. */
  to: string | undefined;
  /** Does it get another name? */
  rename: boolean;
  /** Does it become another file, and stay? */
  copy: boolean;
  /** Is it made? */
  isNew: boolean;
  /** Is it removed? */
  isDeleted: boolean;
  /** Does its mode change? That is ignored. */
  modeChanged: boolean;
  /** From top to bottom. */
  readonly hunks: DiffHunk[];
}

export function parseUnified(text: string): DiffFile[] {
  return new UnifiedParser(text).parse();
}

const HUNK = /^@@ -([0-9]{1,15})(?:,([0-9]{1,15}))? \+([0-9]{1,15})(?:,([0-9]{1,15}))? @@/;

class UnifiedParser {
  readonly #lines: string[];
  readonly #files: DiffFile[] = [];
  #at = 0;
  #file: DiffFile | undefined;
  /** Those of the last git header. */
  #prefixes: Prefixes = ["", ""];

  constructor(text: string) {
    this.#lines = text.split("\n");
    if (this.#lines.at(-1) === "") this.#lines.pop();
  }

  parse(): DiffFile[] {
    while (this.#at < this.#lines.length) {
      const line = this.#line(this.#at);
      if (line.startsWith("diff --git ")) this.#git(line);
      else if (line.startsWith("--- ") && this.#line(this.#at + 1).startsWith("+++ ")) this.#names();
      else if (line.startsWith("@@")) this.#hunk(line);
      else if (line.startsWith("GIT binary patch") || /^Binary files .* differ$/.test(line.slice(0, 4_000)))
        throw new HoldfastError(
          "invalid_argument",
          "binary",
          say`Line ${this.#at + 1} of the diff: a binary file cannot be patched by lines. Leave it out.`,
        );
      else {
        this.#header(line);
        this.#at++;
      }
    }
    if (this.#files.length === 0)
      throw fault(1, say`there is no diff in this text. A diff begins with "--- a/name" and "+++ b/name".`);
    return this.#files;
  }

  #line(at: number): string {
    return this.#lines[at] ?? "";
  }

  #open(from: string | undefined, to: string | undefined): DiffFile {
    const file: DiffFile = {
      at: this.#at + 1,
      from,
      to,
      rename: false,
      copy: false,
      isNew: false,
      isDeleted: false,
      modeChanged: false,
      hunks: [],
    };
    this.#files.push(file);
    this.#file = file;
    return file;
  }

  #git(line: string): void {
    const [from, to] = gitNames(line.slice("diff --git ".length).replace(/\r$/, ""));
    this.#prefixes = prefixesOf(from, to);
    this.#open(strip(from, this.#prefixes[0]), strip(to, this.#prefixes[1]));
    this.#at++;
  }

  #header(line: string): void {
    const file = this.#file;
    if (file === undefined || file.hunks.length > 0) return;
    const rest = (head: string): string | undefined =>
      line.startsWith(head) ? unquote(line.slice(head.length).replace(/\r$/, "")) : undefined;
    if (line.startsWith("new file mode")) file.isNew = true;
    else if (line.startsWith("deleted file mode")) file.isDeleted = true;
    else if (line.startsWith("old mode") || line.startsWith("new mode")) file.modeChanged = true;
    else if (line.startsWith("rename ")) file.rename = true;
    else if (line.startsWith("copy ")) file.copy = true;
    file.from = rest("rename from ") ?? rest("copy from ") ?? file.from;
    file.to = rest("rename to ") ?? rest("copy to ") ?? file.to;
  }

  #names(): void {
    // After a git header the two lines repeat its names; without one they begin a file.
    const begun = this.#file !== undefined && this.#file.hunks.length === 0 && this.#sinceGit();
    const old = nameIn(this.#line(this.#at).slice(4));
    const fresh = nameIn(this.#line(this.#at + 1).slice(4));
    // Beside /dev/null a name alone does not tell: the git header does, or else the usual prefixes are meant.
    const prefixes =
      old !== undefined && fresh !== undefined
        ? prefixesOf(old, fresh)
        : begun
          ? this.#prefixes
          : USUAL_PREFIXES;
    const from = strip(old, prefixes[0]);
    const to = strip(fresh, prefixes[1]);
    const file = begun && this.#file !== undefined ? this.#file : this.#open(from, to);
    if (!file.rename && !file.copy) [file.from, file.to] = [from, to];
    if (from === undefined) file.isNew = true;
    if (to === undefined) file.isDeleted = true;
    if (from === undefined && to === undefined) throw fault(this.#at + 1, say`both sides are /dev/null.`);
    this.#at += 2;
    if (/^[ +-]/.test(this.#line(this.#at)))
      throw fault(
        this.#at + 1,
        say`lines of a hunk without its header. A hunk begins with "@@ -start,count +start,count @@".`,
      );
  }

  /** Is the open file one that a `diff --git` line began? */
  #sinceGit(): boolean {
    const { at } = this.#file ?? { at: 0 };
    return this.#line(at - 1).startsWith("diff --git ");
  }

  #hunk(header: string): void {
    const at = this.#at + 1;
    if (this.#file === undefined)
      throw fault(at, say`a hunk without a file. Put "--- a/name" and "+++ b/name" before it.`);
    const found = HUNK.exec(header);
    if (found === null) {
      this.#file.hunks.push({ at, start: 0, lines: this.#unnumbered(header) });
      return;
    }
    const wanted = { old: Number(found[2] ?? 1), fresh: Number(found[4] ?? 1) };
    const { lines, old, fresh } = this.#body(wanted);
    if (old !== wanted.old || fresh !== wanted.fresh) {
      const range = (start: string | undefined, count: number): Shown => say`${Number(start)},${count}`;
      throw fault(
        at,
        say`the header announces ${wanted.old} old and ${wanted.fresh} new lines, the hunk has ${old} and ${fresh}. Write "@@ -${range(found[1], old)} +${range(found[3], fresh)} @@", or send the missing lines.`,
      );
    }
    const start = Number(found[1]);
    this.#file.hunks.push({ at, start: wanted.old === 0 ? start + 1 : start, lines });
  }

  /** The lines of a hunk without numbers (`@@ ... @@`): empty ones at its end do not belong to it. */
  #unnumbered(header: string): DiffLine[] {
    if (/[0-9]/.test(header) || !/^@@.*@@$|^@@$/.test(header.trimEnd()))
      throw fault(
        this.#at + 1,
        say`${echo(header)} has no line numbers that can be read. A hunk begins with "@@ -start,count +start,count @@".`,
      );
    const from = this.#at + 1;
    const { lines } = this.#body({ old: Infinity, fresh: Infinity });
    for (let line = this.#at - 1; line >= from && this.#line(line).trimEnd() === ""; line--) lines.pop();
    return lines;
  }

  /** The lines of a hunk: as many as announced, and those that clearly still belong to it. */
  #body(wanted: { old: number; fresh: number }): { lines: DiffLine[]; old: number; fresh: number } {
    const lines: DiffLine[] = [];
    let old = 0;
    let fresh = 0;
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line(this.#at);
      const isFull = old >= wanted.old && fresh >= wanted.fresh;
      const mark = line.charAt(0);
      if (mark === "\\") {
        const last = lines.pop();
        if (last !== undefined) lines.push({ kind: last.kind, text: withCr(last), ending: "none" });
        continue;
      }
      if (this.#isEnd(line, isFull)) break;
      // Editors drop the blank of an empty context line.
      const kind = line === "" || line === "\r" ? " " : mark;
      if (kind !== " " && kind !== "-" && kind !== "+")
        throw fault(
          this.#at + 1,
          say`${echo(line)} is in a hunk and begins with neither a blank, "-" nor "+". A line that stays is written with a blank before it.`,
        );
      const text = line.slice(line === "\r" ? 0 : 1);
      const isCrlf = text.endsWith("\r");
      lines.push({ kind, text: isCrlf ? text.slice(0, -1) : text, ending: isCrlf ? "crlf" : "lf" });
      if (kind !== "+") old++;
      if (kind !== "-") fresh++;
    }
    return { lines, old, fresh };
  }

  #isEnd(line: string, isFull: boolean): boolean {
    if (line.startsWith("@@") || line.startsWith("diff --git ")) return true;
    if (
      line.startsWith("--- ") &&
      this.#line(this.#at + 1).startsWith("+++ ") &&
      this.#line(this.#at + 2).startsWith("@@")
    )
      return true;
    if (line.startsWith("```")) return true;
    if (!isFull) return false;
    // After a whole hunk: a mail signature or an empty line ends it, more marked lines mean wrong counts.
    return line === "" || line === "\r" || line.trimEnd() === "--" || !/^[ +-]/.test(line);
  }
}

/** A line without ending holds its CR as text. */
function withCr(line: DiffLine): string {
  return line.ending === "crlf" ? `${line.text}\r` : line.text;
}

/** The two names of a `diff --git` line. Unquoted names with blanks are told apart by being equal. */
function gitNames(rest: string): [string, string] {
  if (rest.startsWith('"')) {
    const end = closingQuote(rest);
    return [unquote(rest.slice(0, end + 1)), unquote(rest.slice(end + 2))];
  }
  const middle = (rest.length - 1) / 2;
  if (rest.charAt(middle) === " " && rest.slice(2, middle) === rest.slice(middle + 3))
    return [rest.slice(0, middle), rest.slice(middle + 1)];
  const gap = rest.indexOf(" b/") >= 0 ? rest.indexOf(" b/") : rest.indexOf(" ");
  return gap < 0 ? [rest, rest] : [rest.slice(0, gap), unquote(rest.slice(gap + 1))];
}

function closingQuote(text: string): number {
  for (let i = 1; i < text.length; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === '"') return i;
  }
  return text.length;
}

/** The name in a `---` or `+++` line; undefined for /dev/null. A tab begins the time of the file. */
function nameIn(rest: string): string | undefined {
  const bare = rest.replace(/\r$/, "");
  const name = bare.startsWith('"')
    ? unquote(bare.slice(0, closingQuote(bare) + 1))
    : (bare.split("\t")[0] ?? "");
  return name === "/dev/null" ? undefined : name;
}

type Prefixes = readonly [old: string, fresh: string];

const USUAL_PREFIXES: Prefixes = ["a/", "b/"];

/**
 * The first folders of two names, if they are prefixes that a tool put there: the usual ones in either order, or different
 * ones before the same name (`i/x` and `w/x`). A folder that both names have is a folder of the file.
 */
function prefixesOf(old: string, fresh: string): Prefixes {
  const a = old.slice(0, old.indexOf("/") + 1);
  const b = fresh.slice(0, fresh.indexOf("/") + 1);
  if (a === "" || b === "" || a === b) return ["", ""];
  const isUsual = (a === "a/" && b === "b/") || (a === "b/" && b === "a/");
  return isUsual || old.slice(a.length) === fresh.slice(b.length) ? [a, b] : ["", ""];
}

function strip(name: string | undefined, prefix: string): string | undefined {
  return name?.startsWith(prefix) === true ? name.slice(prefix.length) : name;
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ['"', 34],
  ["\\", 92],
]);

/** Undoes C quoting; a name without quotes stays as it is. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  const inner = new TextEncoder().encode(name.slice(1, -1));
  for (let i = 0; i < inner.length; i++) {
    const byte = inner[i] as number;
    if (byte !== 92) {
      bytes.push(byte);
      continue;
    }
    const digits = String.fromCharCode(...inner.subarray(i + 1, i + 4));
    if (/^[0-3][0-7]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 8));
      i += 3;
    } else bytes.push(ESCAPES.get(String.fromCharCode(inner[++i] ?? 92)) ?? 92);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

export function fault(at: number, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_patch", say`Line ${at} of the diff: ${message}`, {
    data: { line: at },
  });
}
