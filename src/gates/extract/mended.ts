// Owns: what came of mending one container.

import type { Json } from "../../value.ts";
import type { RepairLog } from "./repairs.ts";

/** How a reading ended. */
export type MendEnd =
  /** The container closed, or a closing fence follows its last value. */
  | "closed"
  /** The text ended inside it. */
  | "broke_off"
  /** A place inside it makes no sense; it ends there. */
  | "cut"
  /** The text ended inside it, but not for want of closers: a string was read wrongly. */
  | "unreadable"
  /** Not one member could be read: it is no container, unless a quoted key was there (`keyed`). */
  | "nothing"
  | "too_deep";

export interface Mended {
  readonly how: MendEnd;
  /** Where reading stopped. */
  readonly end: number;
  /** Where it makes no sense, if it was cut or is unreadable. */
  readonly badAt: number;
  readonly value: Json;
  /** The last thing read in it was a quoted key with its colon: this was meant as an object. */
  readonly keyed: boolean;
  /** Containers still open at `end`. */
  readonly open: number;
  readonly repairs: RepairLog;
  /** The place of the string that the text broke off in, as keys and indexes. */
  readonly halfString: readonly (string | number)[] | undefined;
  /** The places of keys that were read twice, if that was asked for; the last value counts. At most 100. */
  readonly duplicates: readonly (readonly (string | number)[])[];
}
