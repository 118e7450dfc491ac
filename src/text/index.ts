// The public surface of holdfast/text. Text as bytes: splices, lines, hunks, encodings, budgets, sources, steps. Pure.

// Edits: make them from two texts, apply, show, take back.
export { applySplices, invertSplices, removedBy, spliceDelta, validateSplices } from "./splice.ts";
export type { Splice } from "./splice.ts";
export { diffLines, diffLinesSteps } from "./line-diff.ts";
export type { LineDiffOptions } from "./line-diff.ts";
export { hunksOf, hunksOfSteps } from "./hunks.ts";
export type { HunkOptions } from "./hunks.ts";
export type { Hunk, HunkLine, HunkList } from "./hunk.ts";
export { renderHunks } from "./render-hunks.ts";
export { areTextHunks } from "./text-hunks.ts";
export { composeSplices, mergeAdjacent } from "./splice-compose.ts";
export { BYTES, EXTENTS, joinBytes } from "./spliceable.ts";
export type { Extent, Spliceable, Taker } from "./spliceable.ts";

// Lines.
export { endingOf, isMixed, linesOf, usualEnding } from "./lines.ts";
export type { Line, LineEnding, LineSummary } from "./lines.ts";
export { lineIndex, lineIndexSteps } from "./line-index.ts";
export type { LineIndex } from "./line-index.ts";
export type { LineColumn } from "./line-column.ts";

// Encodings.
export { contentBytes, decodeText, encodeText, encodingName, textKind, textKindSteps } from "./encoding.ts";
export type { DecodedText, FileContent, TextKind } from "./encoding.ts";
export { bomOf } from "./bom.ts";
export type { Bom, BomEncoding } from "./bom.ts";
export { firstBadUtf8, Utf8Validator } from "./utf8.ts";
export { decodeBase64, encodeBase64 } from "./base64.ts";

// For people and models to read: within a budget, by the nearest name, escaped.
export { Budget, countChars, countLines, cutText } from "./budget.ts";
export type { Cut, CutText } from "./budget.ts";
export { editDistance, nearest } from "./nearest.ts";
export { showJson, showName, showValue } from "./show.ts";

// Bytes that need not be in memory, and long work in steps.
export {
  asSource,
  bytesSource,
  readAll,
  readBytes,
  readBytesSteps,
  textSource,
  windowsOf,
} from "./byte-source.ts";
export type { ByteSource, Window } from "./byte-source.ts";
export { splicedSource } from "./spliced-source.ts";
export { Pacer, runNow, runPaced, throwIfAborted, type Steps } from "./steps.ts";

// What every door has.
export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Json, JsonObject } from "../value.ts";
