// Text as bytes: splices, sources, lines, endings, encodings, hunks, budgets. Pure.

export { asSource, bytesSource, readAll, readBytes, textSource, windowsOf } from "./byte-source.ts";
export type { ByteSource, Window } from "./byte-source.ts";
export {
  applySplices,
  invertSplices,
  joinBytes,
  mergeAdjacent,
  SpliceBuilder,
  spliceDelta,
  validateSplices,
} from "./splice.ts";
export type { Splice } from "./splice.ts";
export { composeSplices } from "./splice-compose.ts";
export { mapPosition, mapSplice, mapSplices, positionMap } from "./splice-map.ts";
export type { MapOptions, MappedSplices, Overlap, Side } from "./splice-map.ts";
export { splicedSource } from "./spliced-source.ts";
export { endingOf, isMixed, linesOf, usualEnding } from "./lines.ts";
export type { Line, LineEnding, LineSummary } from "./lines.ts";
export { indexLines, lineIndex } from "./line-index.ts";
export type { LineColumn, LineIndex } from "./line-index.ts";
export { bomOf } from "./bom.ts";
export type { Bom, BomEncoding } from "./bom.ts";
export { Budget, countChars, countLines, cutText } from "./budget.ts";
export type { Cut, CutText } from "./budget.ts";
export { editDistance, nearest } from "./nearest.ts";
export { firstBadUtf8, Utf8Validator } from "./utf8.ts";
export { decodeText, encodeText, encodingName, inspectText, textKind } from "./encoding.ts";
export type { DecodedText, TextKind } from "./encoding.ts";
export { decodeBase64, encodeBase64 } from "./base64.ts";
export { hunksOf, hunkSteps } from "./hunks.ts";
export type { HunkOptions } from "./hunks.ts";
export type { Hunk, HunkLine, HunkList } from "./hunk.ts";
export { renderHunks } from "./render-hunks.ts";
export { diffLines, diffLineSteps } from "./line-diff.ts";
export type { LineDiffOptions } from "./line-diff.ts";
export { showJson, showName, showValue } from "./show.ts";
export { runSteps } from "./steps.ts";
