// Owns: the grammar of SEARCH/REPLACE blocks.

import { say } from "../../errors.ts";
import { changedLines } from "./changed-lines.ts";
import { editFault, editLines, mayBeWords, pathIn, type EditBlock, type FileEdit } from "./edit.ts";
import { nextOf } from "./leftover.ts";
import { EditLines, REPLACE, SEARCH } from "./next-edit.ts";

const DIVIDER = /^={5,9}\s*$/;
const FENCE = /^\s*(?:`{3,}|~{3,})/;

export function parseSearchReplace(text: string): FileEdit[] {
  const lines = editLines(text);
  const scan = new EditLines(lines);
  const edits: FileEdit[] = [];
  let name: BlockName | undefined;
  for (let from = 0; ;) {
    const at = nextOf("search_replace", scan, from, from > 0) ?? lines.length;
    refuseStrayMark(lines, from, at);
    if (at === lines.length) return edits;
    name = nameBefore(lines, at) ?? name;
    if (name === undefined)
      throw editFault(
        at + 1,
        say`the block does not say which file it is for. Put the path on the line before it.`,
      );
    const { block, end } = readBlock(lines, at);
    edits.push(editOf(name, block));
    from = end + 1;
  }
}

/** Refuses marks of a block among the lines `from` to `to`, from 0, where none is open. */
function refuseStrayMark(lines: readonly string[], from: number, to: number): void {
  for (let i = from; i < Math.min(to + 1, lines.length); i++) {
    const line = lines[i] as string;
    if (DIVIDER.test(line) || REPLACE.test(line))
      throw editFault(
        i + 1,
        say`this mark belongs to a block, and none is open. A block begins with "<<<<<<< SEARCH".`,
      );
  }
}

/** What a block is for. */
type BlockName = Pick<FileEdit, "at" | "file" | "mayBeWords">;

interface RawBlock {
  readonly at: number;
  readonly search: readonly string[];
  readonly replace: readonly string[];
}

/** The marks of one block must come in order, each once. */
function readBlock(lines: readonly string[], from: number): { block: RawBlock; end: number } {
  let divider = -1;
  for (let i = from + 1; i < lines.length; i++) {
    const line = lines[i] as string;
    if (SEARCH.test(line)) break;
    if (DIVIDER.test(line)) {
      if (divider >= 0)
        throw editFault(
          i + 1,
          say`a second "=======" in one block: which of them divides it cannot be told. Write this change as a unified diff.`,
        );
      divider = i;
    } else if (REPLACE.test(line)) {
      if (divider < 0) throw editFault(i + 1, say`"=======" is missing between the old and the new text.`);
      const block = {
        at: from + 1,
        search: lines.slice(from + 1, divider),
        replace: lines.slice(divider + 1, i),
      };
      return { block, end: i };
    }
  }
  throw editFault(
    from + 1,
    divider < 0
      ? say`the block has no "=======" and no ">>>>>>> REPLACE". Send it whole.`
      : say`the block has no ">>>>>>> REPLACE". Send it whole.`,
  );
}

/** The name before the block, or before the fence around it; undefined where nothing but fences is there. */
function nameBefore(lines: readonly string[], at: number): BlockName | undefined {
  let i = at - 1;
  let isNamedByFence = false;
  for (; i >= 0; i--) {
    const line = lines[i] as string;
    if (FENCE.test(line)) isNamedByFence ||= /[./:= ]/.test(line.trim().replace(/^[`~]+ */, ""));
    else if (line.trim() !== "") break;
  }
  const line = lines[i];
  const isNothing = line === undefined || REPLACE.test(line);
  if (isNothing && !isNamedByFence) return undefined;
  const file = isNothing ? undefined : pathIn(line);
  if (file === undefined)
    throw editFault(
      at + 1,
      say`the line before the block is no path, so which file it is for cannot be told. Put the path alone on the line before it.`,
    );
  return { file, at: i + 1, mayBeWords: mayBeWords(line ?? "") };
}

function editOf(name: BlockName, { at, search, replace }: RawBlock): FileEdit {
  if (search.every((line) => line.trim() === "")) return { ...name, action: "create", lines: replace };
  const lines = changedLines(search, replace);
  const block: EditBlock = { at, lines, anchors: [], isInOrder: false, isAtEnd: false };
  return { ...name, action: "update", blocks: [block] };
}
