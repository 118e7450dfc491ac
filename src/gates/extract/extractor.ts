// Owns: extraction from a text that comes piece by piece.

import { checkOptionNames } from "../../text/options.ts";
import { HoldfastError, say } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Json, JsonObject } from "../../value.ts";
import { EXTRACT_OPTIONS, extractJson, type ExtractOptions, type Extraction } from "./extract.ts";
import { PartialReader, type PartialJson } from "./partial-reader.ts";

/** Takes a text piece by piece. Made by {@link extractor}. */
export interface Extractor<T = JsonObject> {
  /**
   * Takes the next piece, of any length, and returns what has come of the object; undefined while there is none. Cost:
   * linear in the piece, whatever came before. Throws `invalid_argument` / `extractor_ended` after {@link end}.
   */
  push(piece: string): PartialJson | undefined;
  /** Ends the text: the same result as {@link extractJson} of all pieces together. */
  end(): Extraction<T>;
}

/**
 * Extracts while a model is still writing. Each piece returns the object so far, with the place that is being written:
 * everything beside that place is final and can be acted on. Repairs, and the choice between several objects, wait for
 * the end: only {@link Extractor.end} says what the text holds.
 *
 * Cost: linear in the text for all pieces and the end together, however small the pieces are. Throws
 * `invalid_argument` for options that do not exist; `push` for a piece that is no string, and after the end.
 *
 * @example
 * const reading = extractor();
 * for await (const piece of stream) show(reading.push(piece)?.value);
 * const found = reading.end();
 */
export function extractor(options?: ExtractOptions & { readonly want?: "object" }): Extractor;
/** With `want: "any"`, arrays and other values count too. */
export function extractor(options: ExtractOptions): Extractor<Json>;
export function extractor(options: ExtractOptions = {}): Extractor<Json> {
  checkOptionNames(say`extractor`, options, EXTRACT_OPTIONS);
  const maxLength = Math.min(options.maxLength ?? LIMITS.answerLength.default, LIMITS.answerLength.max);
  const maxDepth = Math.min(options.maxDepth ?? LIMITS.answerDepth.default, LIMITS.answerDepth.max);
  const reader = new PartialReader(options.requireKeys ?? [], maxDepth);
  const pieces: string[] = [];
  let length = 0;
  let result: Extraction<Json> | undefined;
  return {
    push(piece) {
      if (result !== undefined)
        throw new HoldfastError(
          "invalid_argument",
          "extractor_ended",
          say`The text has ended: make another extractor for the next one.`,
        );
      if (typeof piece !== "string")
        throw new HoldfastError("invalid_argument", "not_text", say`A piece of text must be a string.`);
      length += piece.length;
      // One piece beyond the limit is enough to know that the text is too long.
      if (length - piece.length <= maxLength) pieces.push(piece);
      if (length <= maxLength) reader.push(piece);
      return reader.partial;
    },
    end() {
      result ??= extractJson(pieces.join(""), options);
      return result;
    },
  };
}
