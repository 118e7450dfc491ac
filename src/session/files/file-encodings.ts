// Owns: which encodings each byte of a file has been in, so that no undo leaves bytes in one that they were never in.

import type { Extent } from "../../store/journal.ts";
import { isVisible, type Run, type Standing } from "../../text/weave-parts.ts";
import type { Weave } from "../../text/weave.ts";

type Extents = readonly Extent[];
type Encoding = string | null;

/** From a record on the file had an encoding, and with it the bytes that were visible then. */
interface Since {
  readonly index: number;
  readonly value: Encoding;
  readonly standing: Standing;
}

export class FileEncodings {
  readonly #since: Since[] = [];

  /** Notes the encoding that the file has after the newest record of its weave. */
  note(weave: Weave<Extents>, value: Encoding): void {
    if (this.#since.length > 0 && this.#since.at(-1)?.value === value) return;
    this.#since.push({ index: weave.records.length - 1, value, standing: weave.standing() });
  }

  /** The encoding in which a record wrote its bytes. */
  at(index: number): Encoding {
    return this.#since.findLast((one) => one.index <= index)?.value ?? null;
  }

  /** The runs that would be visible and have never been so in `encoding`. Every byte fits into a file whose bytes are no text. */
  misfits(weave: Weave<Extents>, standing: Standing, encoding: Encoding): Run<Extents>[] {
    const others = this.#since.some(({ value }) => value !== null && value !== encoding);
    if (encoding === null || encoding === "binary" || !others) return [];
    const same = this.#since.filter(({ value }) => value === encoding);
    const fits = (run: Run<Extents>): boolean => {
      const { index } = run.piece.record;
      return (
        this.at(index) === encoding || same.some((one) => one.index > index && isVisible(run, one.standing))
      );
    };
    return weave.chunks.flatMap(({ runs }) => runs.filter((run) => isVisible(run, standing) && !fits(run)));
  }
}
