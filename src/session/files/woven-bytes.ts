// Owns: single bytes of a file's weave, by which its lines are told: asked for while steps run, and read once they have.

import { isBlobLost } from "../../store/lost-bytes.ts";
import type { Extent, Journal } from "../../store/journal.ts";
import { EXTENTS, readBytes } from "../../text/index.ts";
import type { Pacer, Steps } from "../../text/steps.ts";
import type { InsertedPiece } from "../../text/weave-parts.ts";
import type { ByteOf } from "../../text/weave.ts";

type Piece = InsertedPiece<readonly Extent[]>;

export class WovenBytes {
  /** By piece and offset. Undefined: the byte is lost. */
  readonly #known = new Map<Piece, Map<number, number | undefined>>();
  /** What was asked for and is not known yet. */
  #asked = new Map<Piece, Set<number>>();

  /** A byte that is not known yet is undefined: the steps that asked are run again when it is. */
  readonly byteOf: ByteOf<readonly Extent[]> = (piece, offset) => {
    const known = this.#known.get(piece);
    if (known?.has(offset) !== true) {
      const offsets = this.#asked.get(piece) ?? new Set();
      this.#asked.set(piece, offsets.add(offset));
    }
    return known?.get(offset);
  };

  /** The result of steps that ask for bytes. They are run as often as they ask for new ones, so they must change nothing. */
  async run<R>(steps: () => Steps<R>, journal: Journal, pace: Pacer): Promise<R> {
    for (;;) {
      const result = await pace.run(steps());
      if (this.#asked.size === 0) return result;
      await this.#readAsked(journal, pace);
    }
  }

  async #readAsked(journal: Journal, pace: Pacer): Promise<void> {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const [piece, set] of asked) {
      const offsets = [...set].toSorted((a, b) => a - b);
      const bytes = await bytesIn(journal, placesIn(piece, offsets));
      const known = this.#known.get(piece) ?? new Map<number, number | undefined>();
      this.#known.set(piece, known);
      for (const [i, offset] of offsets.entries()) known.set(offset, bytes?.[i]);
      await pace.step();
    }
  }
}

/** Where single bytes of a piece are stored, one after another. */
function placesIn({ insert }: Piece, offsets: readonly number[]): readonly Extent[] {
  const taker = EXTENTS.taker(insert);
  const places: (readonly Extent[])[] = [];
  let at = 0;
  for (const offset of offsets) {
    taker.skip(offset - at);
    at = offset + 1;
    places.push(taker.take(1));
  }
  return EXTENTS.join(places);
}

/** Undefined where they are lost: lines that they would tell are not judged, so that what is left can still be taken back. */
async function bytesIn(journal: Journal, extents: readonly Extent[]): Promise<Uint8Array | undefined> {
  try {
    const source = await journal.source({ size: EXTENTS.length(extents), extents });
    try {
      return readBytes(source, 0, source.size);
    } finally {
      source.close();
    }
  } catch (error) {
    if (isBlobLost(error)) return undefined;
    throw error;
  }
}
