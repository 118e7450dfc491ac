// The public surface of holdfast/text. Text as bytes: splices, sources, lines, endings, encodings, hunks, budgets. Pure.

export {
  HoldfastError,
  type ErrorCode,
  type ErrorDetails,
  type Reason,
  type Shown,
  type ShownData,
} from "../errors.ts";
export type { Json, JsonObject } from "../value.ts";
export { applySplices, invertSplices, removedBy, spliceDelta, validateSplices } from "./splice.ts";
export type { Splice } from "./splice.ts";
export { BYTES, EXTENTS, joinBytes } from "./spliceable.ts";
export type { Extent, Spliceable, Taker } from "./spliceable.ts";
export { composeSplices, mergeAdjacent } from "./splice-compose.ts";
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
export { endingOf, isMixed, linesOf, usualEnding } from "./lines.ts";
export type { Line, LineEnding, LineSummary } from "./lines.ts";
export { lineIndexSteps, lineIndex } from "./line-index.ts";
export type { LineColumn } from "./line-column.ts";
export type { LineIndex } from "./line-index.ts";
export { bomOf } from "./bom.ts";
export type { Bom, BomEncoding } from "./bom.ts";
export { Budget, countChars, countLines, cutText } from "./budget.ts";
export type { Cut, CutText } from "./budget.ts";
export { editDistance, nearest } from "./nearest.ts";
export { firstBadUtf8, Utf8Validator } from "./utf8.ts";
export { contentBytes, decodeText, encodeText, encodingName, textKindSteps, textKind } from "./encoding.ts";
export type { DecodedText, FileContent, TextKind } from "./encoding.ts";
export { decodeBase64, encodeBase64 } from "./base64.ts";
export { hunksOf, hunksOfSteps } from "./hunks.ts";
export type { HunkOptions } from "./hunks.ts";
export type { Hunk, HunkLine, HunkList } from "./hunk.ts";
export { renderHunks } from "./render-hunks.ts";
export { areTextHunks } from "./text-hunks.ts";
export { diffLines, diffLinesSteps } from "./line-diff.ts";
export type { LineDiffOptions } from "./line-diff.ts";
export { showJson, showName, showValue } from "./show.ts";
export { Pacer, runNow, runPaced, throwIfAborted, type Steps } from "./steps.ts";
