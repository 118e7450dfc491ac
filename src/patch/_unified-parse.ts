// Owns: the grammar of unified diffs: text to files, hunks and lines, with the line of the diff for every complaint.
// Must never: guess at a hunk. Text around the diff is skipped; inside a hunk every line must be accounted for.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import type { LineEnding } from "../text/lines.ts";
import {
  gitNames,
  diffName,
  prefixesOf,
  strip,
  unquote,
  USUAL_PREFIXES,
  type Prefixes,
} from "./_diff-names.ts";

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
  /** Does its mode change, or is it made executable? That is ignored. */
  modeChanged: boolean;
  /** From top to bottom. */
  readonly hunks: DiffHunk[];
}

/** Reads a diff. `beside` hears of every line that belongs to none, counted from 0. */
export function parseUnified(text: string, beside: (at: number) => void = () => {}): DiffFile[] {
  return new UnifiedParser(text, beside).parse();
}

/** What git writes between the line that begins a file and its hunks. */
const GIT_HEAD =
  /^(?:index |(?:old|new) mode |(?:new|deleted) file mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) )/;
/** The mode of a symbolic link or a submodule, at the end of a line of git. */
const NO_FILE_MODE = /^(?:index .* |(?:old|new) mode |(?:new|deleted) file mode )1[26]0000$/;
/** What begins with the sign of a change and is none: rules, the line above a signature, one name of a file. */
const NO_CHANGE = /^(?:--|---|\+\+\+)(?: .*)?$/;
/** One side of the names of a file. */
const LONE_NAME = /^(?:---|\+\+\+) (?:"|[\w.@-]+\/|[\w.@-]+\.\w+\s*$)/;
const HUNK = /^@@ -([0-9]{1,15})(?:,([0-9]{1,15}))? \+([0-9]{1,15})(?:,([0-9]{1,15}))? @@/;

class UnifiedParser {
  readonly #lines: string[];
  readonly #files: DiffFile[] = [];
  readonly #beside: (at: number) => void;
  #at = 0;
  #file: DiffFile | undefined;
  /** May the line still have been meant for the hunk above? Only blank and marked lines are between. */
  #isAfterHunk = false;
  /** Those of the last git header. */
  #prefixes: Prefixes = ["", ""];

  constructor(text: string, beside: (at: number) => void) {
    this.#beside = beside;
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
        this.#header(line.trimEnd());
        this.#at++;
      }
    }
    for (const file of this.#files) this.#refuseEmpty(file);
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
    this.#isAfterHunk = false;
    return file;
  }

  #git(line: string): void {
    const [from, to] = gitNames(line.slice("diff --git ".length).replace(/\r$/, ""));
    this.#prefixes = prefixesOf(from, to);
    this.#open(strip(from, this.#prefixes[0]), strip(to, this.#prefixes[1]));
    this.#at++;
  }

  /** A line outside hunks: one of git's, or text, which ends the file. */
  #header(line: string): void {
    const file = this.#file;
    if (line === "") return;
    if (!/^[ +-]/.test(line)) this.#isAfterHunk = false;
    if (this.#isAfterHunk && /^[+-]/.test(line) && !NO_CHANGE.test(line))
      throw fault(
        this.#at + 1,
        say`${echo(line)} is below a hunk that has all lines its header announces. Correct the counts of the header, or give these lines one of their own.`,
      );
    if (file === undefined || file.hunks.length > 0 || !GIT_HEAD.test(line)) {
      this.#file = undefined;
      this.#beside(this.#at);
      return;
    }
    if (NO_FILE_MODE.test(line))
      throw fault(
        this.#at + 1,
        say`a symbolic link or a submodule cannot be patched by lines. Leave it out.`,
      );
    const rest = (head: string): string | undefined =>
      line.startsWith(head) ? unquote(line.slice(head.length)) : undefined;
    if (line.startsWith("new file mode")) [file.isNew, file.modeChanged] = [true, line.endsWith("755")];
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
    const old = diffName(this.#line(this.#at).slice(4));
    const fresh = diffName(this.#line(this.#at + 1).slice(4));
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
    return this.#file !== undefined && this.#isGit(this.#file);
  }

  #isGit({ at }: DiffFile): boolean {
    return this.#line(at - 1).startsWith("diff --git ");
  }

  /** A file without hunks says something only in the words of git. */
  #refuseEmpty(file: DiffFile): void {
    const says = file.rename || file.copy || file.isNew || file.isDeleted || file.modeChanged;
    if (file.hunks.length > 0 || (says && this.#isGit(file))) return;
    throw fault(
      file.at,
      say`no hunk follows the names of this file, so nothing would change, or go unseen. Send its hunks, or leave it out.`,
    );
  }

  #hunk(header: string): void {
    const at = this.#at + 1;
    this.#isAfterHunk = true;
    if (this.#file === undefined)
      throw fault(
        at,
        say`a hunk without a file: text between two hunks ends the file. Put "--- a/name" and "+++ b/name" before it.`,
      );
    const found = HUNK.exec(header);
    if (found === null) {
      const lines = this.#unnumbered(header);
      refuseUnchanged(at, lines);
      this.#file.hunks.push({ at, start: 0, lines });
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
    refuseUnchanged(at, lines);
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
      if (wanted.old === Infinity && LONE_NAME.test(line) && this.#line(this.#at + 1).startsWith("@@"))
        throw fault(
          this.#at + 1,
          say`${echo(line)} is one of the two names of a file. Put "--- a/name" and "+++ b/name" before its hunks.`,
        );
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

function refuseUnchanged(at: number, lines: readonly DiffLine[]): void {
  if (lines.every(({ kind }) => kind === " "))
    throw fault(at, say`the hunk has no line that begins with "-" or "+", so it changes nothing.`);
}

/** A line without ending holds its CR as text. */
function withCr(line: DiffLine): string {
  return line.ending === "crlf" ? `${line.text}\r` : line.text;
}

export function fault(at: number, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_patch", say`Line ${at} of the diff: ${message}`, {
    data: { line: at },
  });
}
