// Owns: the grammar of one path segment, one reason per refusal.
// Must never: repair a segment. What is accepted is kept byte for byte, so that two spellings never meet in one name.

import { echo, HoldfastError, say, type Reason, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { foldText } from "./fold-text.ts";

/** Which characters a host allows in names: printable ASCII, or printable Unicode in normal form C. */
export type NameAlphabet = "ascii" | "unicode";

export interface SegmentRules {
  readonly limits: Pick<Limits, "pathSegmentLength" | "pathDepth">;
  readonly names: NameAlphabet;
}

/** No file system in use stores a longer name, whatever the host allows in characters. */
const NAME_BYTES = 255;

/** Windows opens a device under these names in every directory, with any extension and any letter case. */
const DEVICES: ReadonlySet<string> = new Set([
  "con",
  "prn",
  "aux",
  "nul",
  "conin$",
  "conout$",
  ...["com", "lpt"].flatMap((port) => Array.from("123456789\u00b9\u00b2\u00b3", (digit) => port + digit)),
]);

/** The store's own directory, and the short names that Windows would give it. */
const RESERVED: ReadonlySet<string> = new Set([
  ".holdfast",
  ...Array.from("123456789", (digit) => `holdfa~${digit}`),
]);

// Each looks at one code point at a time, so none can backtrack.
const SURROGATE = /\p{Cs}/u;
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]/u;
const BLANK = /\p{Zs}/u;

/** Refuses segment `number` (1-based) when it is not a name every file system keeps apart from every other. */
export function checkSegment(segment: string, number: number, rules: SegmentRules): void {
  const refuse = (reason: Reason, why: Shown): never => {
    throw new HoldfastError(
      "invalid_argument",
      reason,
      say`Path segment ${number}, ${echo(segment)}, ${why}`,
      {
        data: { segment: number, text: echo(segment) },
      },
    );
  };
  if (segment === "") refuse("path_empty_segment", say`is empty. Leave it out.`);
  if (segment === "." || segment === "..")
    refuse(
      "path_dot_segment",
      say`is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.`,
    );
  checkCharacters(segment, number, rules, refuse);
  if (isBlank(segment.at(0)) || isBlank(segment.at(-1)))
    refuse("path_edge_blank", say`begins or ends with a blank. Remove the blank.`);
  if (segment.endsWith("."))
    refuse("path_trailing_dot", say`ends with a dot, which Windows drops. Remove the dot.`);
  const folded = foldText(segment);
  const dot = folded.indexOf(".");
  if (DEVICES.has((dot < 0 ? folded : folded.slice(0, dot)).trimEnd()))
    refuse("path_device_name", say`is the name of a Windows device. Choose another name.`);
  if (number === 1 && RESERVED.has(folded))
    refuse("path_reserved", say`is reserved for Holdfast itself. Choose another name.`);
}

function checkCharacters(
  segment: string,
  number: number,
  { limits, names }: SegmentRules,
  refuse: (reason: Reason, why: Shown) => never,
): void {
  let bytes = 0;
  let characters = 0;
  let ascii = true;
  for (let i = 0; i < segment.length; i++) {
    const unit = segment.charCodeAt(i);
    if (unit === 0) refuse("path_nul", say`holds a NUL character. Remove it.`);
    if (unit === 0x5c)
      refuse("path_backslash", say`holds a backslash. Separate segments with / and escape nothing.`);
    if (unit === 0x2f)
      refuse("path_slash_in_segment", say`holds a slash. Send its parts as separate segments.`);
    if (unit === 0x3a) {
      if (number === 1 && i === 1 && isLetter(segment.charCodeAt(0)))
        refuse("path_drive", say`begins with a drive letter. Write the path from /workspace.`);
      refuse("path_colon", say`holds a colon, which names a stream or a drive on Windows. Replace it.`);
    }
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0))
      refuse("path_control", say`holds a control character. Remove it.`);
    if (unit >= 0x80) ascii = false;
    const pair = unit >= 0xd800 && unit < 0xdc00 && isLow(segment.charCodeAt(i + 1));
    if (pair) i++;
    characters++;
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
  }
  if (!ascii && names === "ascii")
    refuse(
      "path_non_ascii",
      say`holds a character outside printable ASCII, which this workspace does not allow. Use plain letters.`,
    );
  // Before anything that is not linear in the length, such as normalisation.
  if (characters > limits.pathSegmentLength)
    refuse(
      "path_segment_too_long",
      say`has ${characters} characters; at most ${limits.pathSegmentLength} are allowed. Shorten it.`,
    );
  if (bytes > NAME_BYTES)
    refuse(
      "path_segment_too_long",
      say`takes ${bytes} bytes; at most ${NAME_BYTES} are allowed. Shorten it.`,
    );
  if (ascii) return;
  if (SURROGATE.test(segment))
    refuse("path_lone_surrogate", say`holds half of a character (a lone surrogate). Remove it.`);
  if (INVISIBLE.test(segment))
    refuse("path_invisible", say`holds a character that cannot be seen or has no fixed meaning. Remove it.`);
  if (segment.normalize("NFC") !== segment)
    refuse(
      "path_not_nfc",
      say`is not in Unicode normal form C. Send ${echo(segment.normalize("NFC"))} instead.`,
    );
}

function isBlank(character: string | undefined): boolean {
  return character === " " || (character !== undefined && BLANK.test(character));
}

function isLetter(unit: number): boolean {
  return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
