// Owns: what the store needs of a SQLite library. One `_driver-*` file for each library implements it, and keeps its quirks.

export type SqlBind = string | number | null | Uint8Array;
export type SqlCell = string | number | null | Uint8Array;
export type SqlRow = readonly SqlCell[];

/** What a failure of SQLite means to us; its text is for the log. */
export type SqlFailure = "busy" | "full" | "io" | "corrupt" | "other";

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
