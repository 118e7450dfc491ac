// Owns: what of a file is not text: who wrote it over what, and what it is if some records stand and others do not.

import type { Standing } from "../../text/weave-parts.ts";

/** What of a file is not text. Of these the newest standing record that wrote one counts. */
export type Register = "exists" | "path" | "encoding" | "executable";

/** A record that wrote a register. */
export interface Writer {
  readonly register: Register;
  /** The record's index in the weave, and its number. */
  readonly index: number;
  readonly seq: number;
  readonly value: unknown;
  /** The record that counted when it was written; undefined: none since the base. */
  readonly over: Writer | undefined;
}

/** A standing record wrote a register over another record than the one that would count before it. */
export interface RegisterFault {
  readonly writer: Writer;
  /** What would count before it; undefined: the base. */
  readonly before: Writer | undefined;
}

/** Names a fault among those of a standing. */
function faultKey(register: Register, { seq }: Writer): string {
  return `${register} ${seq}`;
}

/** The registers of one file, as its records wrote them since a base. */
export class FileRegisters {
  readonly #writers = new Map<Register, Writer[]>();

  /** All that wrote a register, oldest first. */
  writers(register: Register): readonly Writer[] {
    return this.#writers.get(register) ?? [];
  }

  /** Notes what the newest record wrote; of several in one record the last counts. `stands` says whether an older record does. */
  write(
    register: Register,
    record: { readonly index: number; readonly seq: number },
    value: unknown,
    stands: (index: number) => boolean,
  ): void {
    const { index, seq } = record;
    const writers = this.#writers.get(register) ?? [];
    this.#writers.set(register, writers);
    if (writers.at(-1)?.index === index) writers.pop();
    const over = writers.findLast((one) => stands(one.index));
    writers.push({ register, index, seq, value, over });
  }

  /** The record that counts if the records of `standing` stand; undefined: none since the base. */
  newest(register: Register, standing: Standing): Writer | undefined {
    return this.writers(register).findLast(({ index }) => standing[index] === 1);
  }

  /**
   * The faults if the records of `standing` stood, by register and record. It depends on nothing else: so what an undo made can be
   * undone.
   */
  faults(standing: Standing): ReadonlyMap<string, RegisterFault> {
    const found = new Map<string, RegisterFault>();
    for (const [register, writers] of this.#writers) {
      let before: Writer | undefined;
      for (const writer of writers) {
        if (standing[writer.index] === 0) continue;
        if (before?.index !== writer.over?.index) found.set(faultKey(register, writer), { writer, before });
        before = writer;
      }
    }
    return found;
  }
}
