// Owns: the bond between rules, tests and the specifications: who names whom, and what is left over.
// Must never: read a file; it judges texts, so that its own tests can feed it small ones.

import { outline } from "./_outline.ts";

export interface RuleSources {
  /** docs/spec/*.md without coverage.md: file name -> text. */
  readonly rules: ReadonlyMap<string, string>;
  /** Every TypeScript file under test/: path -> text. */
  readonly tests: ReadonlyMap<string, string>;
  /** docs/spec/coverage.md. */
  readonly coverage: string;
  /** The specifications: file name -> text. Undefined when they are not on this machine. */
  readonly specifications: ReadonlyMap<string, string> | undefined;
}

export interface RuleReport {
  readonly problems: readonly string[];
  readonly rules: number;
  readonly titles: number;
  readonly rows: number;
  readonly open: number;
  readonly withoutBehaviour: number;
}

const RULE = /^\s*(?:[-*]\s+)?\*\*\[([A-Z]+-\d+)\]\*\*/u;
// A string that begins with one or more ids, and the call in front of it when it stands right there.
const TITLE = /(?:\b(?:test|it|describe)\.(skip|todo)\(\s*)?["'`]((?:\[[A-Z]+-\d+\][ ,]*)+)/gu;
const ID = /[A-Z]+-\d+/gu;

/** Everything that is wrong, all at once. */
export function judgeRules(sources: RuleSources): RuleReport {
  const problems: string[] = [];
  const rules = findRules(sources.rules, problems);
  const tested = findTested(sources.tests);
  for (const [id, file] of rules)
    if (!tested.has(id)) problems.push(`${file}: rule ${id} has no test that names it`);
  for (const [id, file] of tested)
    if (!rules.has(id)) problems.push(`${file}: a test names ${id}, which is no rule`);

  const tables = readCoverage(sources.coverage, problems);
  let open = 0;
  let withoutBehaviour = 0;
  let rows = 0;
  for (const [specification, table] of tables)
    for (const { what, answer } of table) {
      rows++;
      const where = `coverage of ${specification}, "${what}"`;
      if (/^no behaviour: \S/u.test(answer)) {
        withoutBehaviour++;
        continue;
      }
      const isOpen = /\bopen\b/u.test(answer);
      if (isOpen) open++;
      const ids = answer.match(ID) ?? [];
      if (
        answer
          .replace(/\bopen\b/u, "")
          .replace(ID, "")
          .replace(/[\s,]/gu, "") !== "" ||
        (ids.length === 0 && !isOpen)
      )
        problems.push(`${where}: "${answer}" is neither rule ids, nor open, nor "no behaviour: <reason>"`);
      for (const id of ids) if (!rules.has(id)) problems.push(`${where}: ${id} is no rule`);
    }
  if (sources.specifications !== undefined)
    compareWithSpecifications(sources.specifications, tables, problems);
  return { problems, rules: rules.size, titles: tested.size, rows, open, withoutBehaviour };
}

function findRules(files: ReadonlyMap<string, string>, problems: string[]): Map<string, string> {
  const rules = new Map<string, string>();
  for (const [file, text] of files)
    for (const line of text.split("\n")) {
      const id = RULE.exec(line)?.[1];
      if (id === undefined) continue;
      const other = rules.get(id);
      if (other !== undefined) problems.push(`${file}: rule ${id} stands already in ${other}`);
      else rules.set(id, file);
    }
  return rules;
}

/** Ids in titles. A title that is skipped for good proves nothing; `skipIf` does where it runs. */
function findTested(files: ReadonlyMap<string, string>): Map<string, string> {
  const tested = new Map<string, string>();
  for (const [file, text] of files)
    for (const [, never, ids] of text.matchAll(TITLE))
      if (never === undefined)
        for (const id of (ids ?? "").match(ID) ?? []) if (!tested.has(id)) tested.set(id, file);
  return tested;
}

interface Row {
  readonly what: string;
  readonly answer: string;
}

/** One table under each `## <file of a specification>`. A `|` inside a cell is written `\|`. */
function readCoverage(text: string, problems: string[]): Map<string, Row[]> {
  const tables = new Map<string, Row[]>();
  let table: Row[] | undefined;
  for (const line of text.split("\n")) {
    const heading = /^## (\S+\.md)\s*$/u.exec(line)?.[1];
    if (heading !== undefined) {
      table = [];
      tables.set(heading, table);
      continue;
    }
    if (!line.startsWith("|") || /^\|\s*:?-{3}/u.test(line)) continue;
    const cells = line
      .split(/(?<!\\)\|/u)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
    const [what, answer] = cells;
    if (what === undefined || answer === undefined || cells.length !== 2)
      problems.push(`coverage.md: a row needs two cells: ${line}`);
    else if (table === undefined)
      problems.push(`coverage.md: a row stands before the first specification: ${line}`);
    else if (what !== "section or scenario") table.push({ what, answer });
  }
  return tables;
}

function compareWithSpecifications(
  specifications: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, readonly Row[]>,
  problems: string[],
): void {
  for (const [name, text] of specifications) {
    const table = tables.get(name);
    if (table === undefined) {
      problems.push(`coverage.md has no table for ${name}`);
      continue;
    }
    const parts = outline(text);
    const left = table.map((row) => row.what);
    const take = (part: string): boolean => {
      const at = left.findIndex((what) => matches(what, part));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    };
    const listed = new Map<number, { taken: number; missed: string[] }>();
    for (const part of parts) {
      const found = take(part.text);
      if (part.list === undefined) {
        if (!found) problems.push(`coverage of ${name} lacks the heading "${part.text}"`);
        continue;
      }
      const list = listed.get(part.list) ?? { taken: 0, missed: [] };
      listed.set(part.list, list);
      if (found) list.taken++;
      else list.missed.push(part.text);
    }
    // A section may stand for its lists; but a list that is taken apart must be there whole.
    for (const { taken, missed } of listed.values())
      if (taken > 0) for (const text of missed) problems.push(`coverage of ${name} lacks the item "${text}"`);
    for (const what of left)
      problems.push(`coverage of ${name} has "${what}", which the specification does not`);
  }
}

function matches(what: string, part: string): boolean {
  return what.endsWith("...") ? part.startsWith(what.slice(0, -3)) : what === part;
}
