// Owns: what the store needs of a SQLite library. One `_driver-*` file for each library implements it, and keeps its quirks.

export type SqlBind = string | number | null | Uint8Array;
export type SqlCell = string | number | null | Uint8Array;
export type SqlRow = readonly SqlCell[];

/**
 * What a failure of SQLite means to us; its text is for the log. Our statements are right, so one that makes no sense to a file
 * (a table that is not there, JSON that is none, a broken constraint) says that the file is not what was made.
 */
export type SqlFailure = "busy" | "full" | "io" | "corrupt" | "read-only" | "other";

export const SQL_DRIVERS = ["node:sqlite", "libsql"] as const;
export type SqlDriverName = (typeof SQL_DRIVERS)[number];

export interface SqlDriver {
  readonly name: SqlDriverName;
  /** A connection to an empty database in memory, to which files are attached. It never waits for a lock. */
  connect(): SqlConnection;
  failureOf(error: unknown): SqlFailure;
}

export interface SqlConnection {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** Binds are checked before they come here: as many as the statement has marks, each a {@link SqlBind}. */
export interface SqlStatement {
  /** Returns how many rows changed. */
  run(binds: readonly SqlBind[]): number;
  get(binds: readonly SqlBind[]): SqlRow | undefined;
  all(binds: readonly SqlBind[]): SqlRow[];
}

/** By SQLite's result codes: the low byte is the kind, the rest says more of it. */
const FAILURES: ReadonlyMap<number, SqlFailure> = new Map<number, SqlFailure>([
  [1, "corrupt"],
  [5, "busy"],
  [6, "busy"],
  [8, "read-only"],
  [10, "io"],
  [11, "corrupt"],
  [13, "full"],
  [14, "io"],
  [19, "corrupt"],
  [20, "corrupt"],
  [26, "corrupt"],
]);

export function sqlFailureOfCode(code: unknown): SqlFailure {
  return typeof code === "number" ? (FAILURES.get(code & 0xff) ?? "other") : "other";
}
