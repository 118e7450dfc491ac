// Real changes of this repository written in every edit format, and spoilt in the ways models spoil them. For each case the
// text that was meant is known: an edit makes exactly that, or it is refused.

import { readFileSync } from "node:fs";
import { parseUnified, type DiffLine } from "../../src/patch/_unified-parse.ts";
import { HoldfastError } from "../../src/errors.ts";
import {
  applyPatch,
  createPatch,
  parseEdits,
  patchedFiles,
  placeEdits,
  toUnifiedDiff,
} from "../../src/patch/index.ts";

interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export type CorpusFormat = "search_replace" | "v4a" | "unified_diff" | "whole_file";

export interface EditCase {
  readonly name: string;
  readonly file: string;
  readonly before: string;
  /** The text that is meant. */
  readonly after: string;
  readonly edit: string;
  /** Must it be refused, must it apply, or may it be either? */
  readonly must: "apply" | "refuse" | "either";
}

interface Hunk {
  readonly start: number;
  readonly lines: readonly DiffLine[];
}

const FIXTURE = new URL("../fixtures/edits/changes.json", import.meta.url);

function changes(): Change[] {
  const stored = JSON.parse(readFileSync(FIXTURE, "utf8")) as {
    file: string;
    before: string[];
    after: string[];
  }[];
  return stored.map(({ file, before, after }) => ({
    file,
    before: before.join("\n"),
    after: after.join("\n"),
  }));
}

function hunksOf({ file, before, after }: Change, context: number): Hunk[] {
  const patch = createPatch(before, after, { file });
  return parseUnified(toUnifiedDiff({ [file]: before }, patch, { context })).flatMap(({ hunks }) => hunks);
}

const WRITERS: Record<
  Exclude<CorpusFormat, "whole_file">,
  (file: string, hunks: readonly Hunk[]) => string
> = {
  search_replace: (file, hunks) =>
    hunks
      .map(({ lines }) => {
        const side = (kind: "-" | "+"): string =>
          lines
            .flatMap((line) => (line.kind === " " || line.kind === kind ? [`${line.text}\n`] : []))
            .join("");
        return `${file}\n\`\`\`\n<<<<<<< SEARCH\n${side("-")}=======\n${side("+")}>>>>>>> REPLACE\n\`\`\`\n`;
      })
      .join("\n"),
  v4a: (file, hunks) =>
    `*** Begin Patch\n*** Update File: ${file}\n${hunks.map(({ lines }) => `@@\n${marked(lines)}`).join("")}*** End Patch\n`,
  unified_diff: (file, hunks) => {
    let shift = 0;
    const body = hunks.map(({ start, lines }) => {
      const old = lines.filter(({ kind }) => kind !== "+").length;
      const fresh = lines.filter(({ kind }) => kind !== "-").length;
      const from = old === 0 ? start - 1 : start;
      const text = `@@ -${from},${old} +${from + shift + (old === 0 ? 1 : 0)},${fresh} @@\n${marked(lines)}`;
      shift += fresh - old;
      return text;
    });
    return `--- a/${file}\n+++ b/${file}\n${body.join("")}`;
  },
};

function marked(lines: readonly DiffLine[]): string {
  return lines.map(({ kind, text }) => `${kind}${text}\n`).join("");
}

type Spoil = (
  change: Change,
  hunks: readonly Hunk[],
  random: () => number,
) => Partial<EditCase> & { hunks?: readonly Hunk[] };

const mapLines = (hunks: readonly Hunk[], map: (line: DiffLine) => DiffLine): Hunk[] =>
  hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(map) }));
const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
const HEAD = "// one more line\n// and another\n";

/** The ways to go wrong, by name. */
const SPOILS: Record<string, Spoil> = {
  "as it is": () => ({ must: "apply" }),
  "a file with CRLF": ({ before, after }) => ({ before: crlf(before), after: crlf(after), must: "apply" }),
  "lines added above meanwhile": ({ before, after }) => ({
    before: HEAD + before,
    after: HEAD + after,
    must: "apply",
  }),
  "blanks at the ends of the lines that stay": (_, hunks) => ({
    hunks: mapLines(hunks, (line) => (line.kind === "+" ? line : { ...line, text: `${line.text}  ` })),
    must: "apply",
  }),
  "indented by four more": (_, hunks) => ({
    hunks: mapLines(hunks, (line) => (line.text === "" ? line : { ...line, text: `    ${line.text}` })),
    must: "apply",
  }),
  "indented by a tab more": (_, hunks) => ({
    hunks: mapLines(hunks, (line) => (line.text === "" ? line : { ...line, text: `\t${line.text}` })),
    must: "apply",
  }),
  "every other line indented": (_, hunks) => {
    let odd = 0;
    return {
      hunks: mapLines(hunks, (line) =>
        line.text.trim() !== "" && odd++ % 2 === 1 ? { ...line, text: ` ${line.text}` } : line,
      ),
      must: "either",
    };
  },
  "a word of an old line changed": (_, hunks, random) => ({ hunks: spoilOld(hunks, random), must: "refuse" }),
  "an old line left out": (_, hunks, random) => ({ hunks: dropOld(hunks, random), must: "either" }),
  "lines elided": (_, hunks) => ({
    hunks: hunks.map((hunk) => ({ ...hunk, lines: elided(hunk.lines) })),
    must: hunks.some(({ lines }) => lines.filter(({ kind }) => kind === " ").length > 3)
      ? "refuse"
      : "either",
  }),
  "the file twice": ({ before, after }) => ({
    before: before + before,
    after: after + before,
    must: "either",
  }),
};

function spoilOld(hunks: readonly Hunk[], random: () => number): Hunk[] {
  const [first, ...rest] = hunks;
  if (first === undefined) return [];
  const olds = first.lines.flatMap(({ kind, text }, i) => (kind !== "+" && /[a-z]{3}/.test(text) ? [i] : []));
  const chosen = olds[Math.floor(random() * olds.length)];
  const lines = first.lines.map((line, i) =>
    i === chosen ? { ...line, text: line.text.replace(/[a-z]{3,}/, (word) => `${word}ish`) } : line,
  );
  return [{ ...first, lines }, ...rest];
}

function dropOld(hunks: readonly Hunk[], random: () => number): Hunk[] {
  const [first, ...rest] = hunks;
  if (first === undefined) return [];
  const inner = first.lines.flatMap(({ kind }, i) =>
    kind === " " && i > 0 && i < first.lines.length - 1 ? [i] : [],
  );
  const chosen = inner[Math.floor(random() * inner.length)];
  return [{ ...first, lines: first.lines.filter((_, i) => i !== chosen) }, ...rest];
}

/** The lines that stay, but for the first and the last, become an elision. */
function elided(lines: readonly DiffLine[]): DiffLine[] {
  const stays = lines.flatMap(({ kind }, i) => (kind === " " ? [i] : []));
  const gone = new Set(stays.slice(1, -1));
  let wasElided = false;
  return lines.flatMap((line, i): DiffLine[] => {
    if (!gone.has(i)) return [line];
    if (wasElided) return [];
    wasElided = true;
    return [{ kind: " ", text: "// ... existing code ..." }];
  });
}

/** Ways to spoil the text itself. */
const TEXT_SPOILS: Record<
  string,
  { spoil: (edit: string, random: () => number) => string; must: EditCase["must"] }
> = {
  "CRLF in the edit": { spoil: crlf, must: "apply" },
  "words around it": { spoil: (edit) => `Here is the change:\n\n${edit}\nThat is all.\n`, must: "either" },
  "a mark line missing": { spoil: dropMark, must: "either" },
  "cut off before its end": {
    spoil: (edit) => edit.trimEnd().split("\n").slice(0, -2).join("\n"),
    must: "either",
  },
};

function dropMark(edit: string, random: () => number): string {
  const lines = edit.split("\n");
  const marks = lines.flatMap((line, i) =>
    /^(?:<<<|===|>>>|\*\*\* |@@|```|--- |\+\+\+ )/.test(line) ? [i] : [],
  );
  const chosen = marks[Math.floor(random() * marks.length)];
  return lines.filter((_, i) => i !== chosen).join("\n");
}

export function corpus(format: CorpusFormat): EditCase[] {
  const random = mulberry(4_711);
  return changes().flatMap((change) =>
    format === "whole_file" ? wholeCases(change) : hunkCases(change, format, random),
  );
}

function hunkCases(
  change: Change,
  format: Exclude<CorpusFormat, "whole_file">,
  random: () => number,
): EditCase[] {
  const { file, before, after } = change;
  const cases: EditCase[] = [];
  const write = WRITERS[format];
  const hunks = hunksOf(change, 3);
  for (const [name, spoil] of Object.entries(SPOILS)) {
    const { hunks: spoilt = hunks, ...rest } = spoil(change, hunks, random);
    cases.push({ name, file, before, after, must: "either", edit: write(file, spoilt), ...rest });
  }
  cases.push({
    name: "without context",
    file,
    before,
    after,
    must: "either",
    edit: write(file, hunksOf(change, 0)),
  });
  for (const [name, { spoil, must }] of Object.entries(TEXT_SPOILS))
    cases.push({ name, file, before, after, must, edit: spoil(write(file, hunks), random) });
  return cases;
}

function wholeCases({ file, before, after }: Change): EditCase[] {
  const fence = "`````";
  const edit = `${file}\n${fence}ts\n${after}${after.endsWith("\n") ? "" : "\n"}${fence}\n`;
  const lines = after.split("\n");
  const short = [...lines.slice(0, 3), "// ... rest of the code unchanged ...", ...lines.slice(-3)].join(
    "\n",
  );
  return [
    { name: "as it is", file, before, after, edit, must: "apply" },
    { name: "a file with CRLF", file, before: crlf(before), after: crlf(after), edit, must: "apply" },
    { name: "CRLF in the edit", file, before, after, edit: crlf(edit), must: "apply" },
    { name: "a new file", file, before: "", after, edit, must: "apply" },
    {
      name: "lines elided",
      file,
      before,
      after,
      edit: `${file}\n${fence}\n${short}\n${fence}\n`,
      must: "refuse",
    },
    { name: "the fence never closed", file, before, after, edit: edit.slice(0, -6), must: "refuse" },
    { name: "no path", file, before, after, edit: edit.slice(file.length + 1), must: "refuse" },
  ];
}

/** A small generator of random numbers, the same ones every time. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What the edit makes of the file, or the reason why it is refused. */
export function outcome({ file, before, edit }: EditCase): { text: string } | { reason: string } {
  const files = before === "" ? {} : { [file]: before };
  try {
    const { patch } = placeEdits(parseEdits(edit), files);
    const report = applyPatch(files, patch);
    if (!report.ok) return { reason: report.conflicts[0]?.reason ?? "" };
    return { text: decoder.decode(patchedFiles(files, report).get(file) ?? new Uint8Array(0)) };
  } catch (error) {
    if (HoldfastError.is(error)) return { reason: error.reason };
    throw error;
  }
}
