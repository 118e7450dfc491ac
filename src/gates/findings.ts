// Owns: what a judge found wrong: the error codes, warnings, and their way to the host's log.
// Must never: let a logger's failure change a result, or grow without bound.

/** What kind of thing is wrong with an answer. */
export type GateErrorCode =
  | "invalid_json"
  | "missing_key"
  | "invalid_type"
  | "invalid_value"
  | "invalid_key"
  | "missing_required_gate"
  | "invalid_category"
  | "invalid_gate_key"
  | "deletion_not_allowed"
  | "schema_version_mismatch";

/** Every {@link GateErrorCode}. */
export const GATE_ERROR_CODES: readonly GateErrorCode[] = [
  "invalid_json",
  "missing_key",
  "invalid_type",
  "invalid_value",
  "invalid_key",
  "missing_required_gate",
  "invalid_category",
  "invalid_gate_key",
  "deletion_not_allowed",
  "schema_version_mismatch",
];

/** One thing wrong with a payload. */
export interface GateError {
  /** What kind of mistake, as a word to compare with. */
  readonly code: GateErrorCode;
  /** What is wrong and what to send instead. */
  readonly message: string;
  /** `gates.1_data.raw`; absent if the payload as a whole is meant. */
  readonly field_path?: string;
  /** What would have been right, in words. */
  readonly expected?: string;
  /** What came instead: a type, a length, or the value quoted and cut. */
  readonly actual?: string;
}

/** What the host's logger gets: every error and every warning that is listed. */
export type GateLogEntry =
  | ({ readonly level: "error" } & GateError)
  | { readonly level: "warning"; readonly message: string };

/** A host's logger. If it throws, nothing else changes. */
export type GateLog = (entry: GateLogEntry) => void;

const LISTED = 1_000;

interface FoundRefusal<T> {
  readonly ok: false;
  readonly errors: readonly GateError[];
  readonly warnings: readonly string[];
  readonly partial?: T;
}

/** Collects errors and warnings in the order they are found. */
export class Findings {
  readonly errors: GateError[] = [];
  readonly #warnings: string[] = [];
  readonly #log: GateLog | undefined;
  #errorCount = 0;
  #warningCount = 0;

  constructor(log: GateLog | undefined) {
    this.#log = log;
  }

  /** Whether another error would still be listed: one that is only counted needs no wording. */
  get listsMore(): boolean {
    return this.#errorCount < LISTED;
  }

  get failed(): boolean {
    return this.#errorCount > 0;
  }

  error(code: GateErrorCode, message: string, field_path?: string, expected?: string, actual?: string): void {
    const error: GateError = Object.freeze({
      code,
      message,
      ...(field_path === undefined ? {} : { field_path }),
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
    });
    if (this.#errorCount++ >= LISTED) return;
    this.errors.push(error);
    this.#tell({ level: "error", ...error });
  }

  warn(message: string): void {
    if (this.#warningCount++ >= LISTED) return;
    this.#warnings.push(message);
    this.#tell({ level: "warning", message });
  }

  /** The warnings, the last of which says what was not listed. */
  warnings(): readonly string[] {
    const errors = this.#errorCount - this.errors.length;
    const warnings = this.#warningCount - this.#warnings.length;
    return errors + warnings === 0
      ? this.#warnings
      : [...this.#warnings, `Not listed: ${errors} more errors, ${warnings} more warnings.`];
  }

  /** All that was found, as a result that refuses, with what could be read of the payload. */
  refusal<T = never>(partial?: T): FoundRefusal<T> {
    return Object.freeze({
      ok: false,
      errors: Object.freeze([...this.errors]),
      warnings: Object.freeze([...this.warnings()]),
      ...(partial === undefined ? {} : { partial }),
    });
  }

  #tell(entry: GateLogEntry): void {
    if (this.#log === undefined) return;
    try {
      this.#log(entry);
    } catch {
      // The result is the same whether the host's logger works or not.
    }
  }
}
