// Owns: stretches of lines in a file's weave: asked for while steps run, and read once they have.

import { isBlobLost } from "../../store/lost-bytes.ts";
import type { Extent, Journal } from "../../store/journal.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import { lineStretchSteps, type LineStretch } from "../../text/line-stretch.ts";
import type { LineStretchOf } from "../../text/weave-lines.ts";
import type { InsertedPiece } from "../../text/weave-parts.ts";

type Piece = InsertedPiece<readonly Extent[]>;

export class LineStretches {
  /** By piece and offset. */
  readonly #known = new Map<Piece, Map<number, LineStretch>>();
  /** What was asked for and is not known yet. */
  #asked = new Map<Piece, Set<number>>();

  /** A stretch that is not known yet is undefined: the steps that asked are run again when it is. */
  readonly stretchOf: LineStretchOf<readonly Extent[]> = (piece, offset) => {
    const stretch = this.#known.get(piece)?.get(offset);
    if (stretch === undefined) {
      const offsets = this.#asked.get(piece) ?? new Set();
      this.#asked.set(piece, offsets.add(offset));
    }
    return stretch;
  };

  /** The result of steps that ask for stretches. They are run as often as they ask for new ones, so they must change nothing. */
  async run<R>(steps: () => Steps<R>, journal: Journal, pace: Pacer): Promise<R> {
    for (;;) {
      const result = await pace.run(steps());
      if (this.#asked.size === 0) return result;
      const asked = this.#asked;
      this.#asked = new Map();
      for (const [piece, offsets] of asked)
        this.#known.set(piece, await this.#read(piece, offsets, journal, pace));
    }
  }

  /** Lost bytes count as line endings: nothing is glued to them, so what is left can still be taken back. */
  async #read(
    piece: Piece,
    offsets: ReadonlySet<number>,
    journal: Journal,
    pace: Pacer,
  ): Promise<Map<number, LineStretch>> {
    const stretches = new Map(this.#known.get(piece));
    try {
      const source = await journal.source({ size: piece.length, extents: piece.insert });
      try {
        let stretch: LineStretch = { from: 0, to: 0 };
        for (const offset of [...offsets].toSorted((a, b) => a - b)) {
          if (offset >= stretch.to) stretch = await pace.run(lineStretchSteps(source, offset));
          stretches.set(offset, stretch);
        }
      } finally {
        source.close();
      }
    } catch (error) {
      if (!isBlobLost(error)) throw error;
      for (const offset of offsets) stretches.set(offset, { from: offset, to: offset });
    }
    return stretches;
  }
}
