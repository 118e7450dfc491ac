// Owns: the only door to libsql. Nothing else imports it.
// Must never: pass a bind that libsql does not expect. It aborts the whole process on some of them, so every bind is asserted
// here: arrays of string, number, null and Uint8Array, as many as the statement has marks.

import { createRequire } from "node:module";
import type Libsql from "libsql";
import { HoldfastError, say } from "../../errors.ts";

let loaded: typeof Libsql | undefined;

/** Loads the native library, once. Everything that needs no file works without it. */
export function loadLibsql(): typeof Libsql {
  try {
    loaded ??= createRequire(import.meta.url)("libsql") as typeof Libsql;
    return loaded;
  } catch (cause) {
    throw new HoldfastError(
      "internal",
      "no_sqlite",
      say`SQLite is not installed for this system: the optional dependency "libsql" could not be loaded. Install it (npm install libsql), or use memoryStore().`,
      { cause },
    );
  }
}

export type SqlBind = string | number | null | Uint8Array;
export type SqlCell = string | number | null | Uint8Array;
export type SqlRow = readonly SqlCell[];

/** What a failure of SQLite means to us; its text is for the log. */
export type SqlFailure = "busy" | "full" | "io" | "corrupt" | "other";

/** Used after {@link Db.close}: who shares a connection gets a new one and tries again. */
export class ConnectionClosed extends Error {}

type Statement = ReturnType<Libsql.Database["prepare"]>;

interface Prepared {
  readonly statement: Statement;
  readonly marks: number;
}

/**
 * One connection to one file, which is attached as `disk`; plain table names mean the tables in it. Attached, not opened,
 * because libsql's close leaves the file open until the garbage collector has found every statement, and detaching closes
 * it at once. Statements are prepared once; rows are arrays. Every call is synchronous and never waits for a lock.
 */
export class Db {
  readonly #db: Libsql.Database;
  readonly #prepared = new Map<string, Prepared>();
  #open = true;

  constructor(path: string) {
    this.#db = new (loadLibsql())(":memory:", { timeout: 0 });
    this.run("ATTACH DATABASE ? AS disk", [path]);
  }

  /** Runs SQL text of our own, without binds. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Returns how many rows changed. */
  run(sql: string, binds: readonly SqlBind[] = []): number {
    return this.#prepare(sql, binds).run(binds).changes;
  }

  get(sql: string, binds: readonly SqlBind[] = []): SqlRow | undefined {
    const row = this.#prepare(sql, binds).get(binds) as unknown[] | undefined;
    return row === undefined ? undefined : row.map(cell);
  }

  all(sql: string, binds: readonly SqlBind[] = []): SqlRow[] {
    return (this.#prepare(sql, binds).all(binds) as unknown[][]).map((row) => row.map(cell));
  }

  /** Returns the first cell, and undefined without a row. */
  value(sql: string, binds: readonly SqlBind[] = []): SqlCell | undefined {
    return this.get(sql, binds)?.[0];
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** Never throws: what was committed is safe whatever happens here, and what was not is meant to go. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#prepared.clear();
    try {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      this.#db.exec("DETACH DATABASE disk");
    } catch {
      // A failing disk can refuse the last checkpoint. The garbage collector closes the file then.
    }
    this.#db.close();
  }

  #prepare(sql: string, binds: readonly SqlBind[]): Statement {
    if (!this.#open) throw new ConnectionClosed("the connection is closed");
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.#db.prepare(sql);
      // Raw rows exist only for statements that return some.
      if (statement.reader) (statement as unknown as { raw(on: boolean): void }).raw(true);
      prepared = { statement, marks: countMarks(sql) };
      this.#prepared.set(sql, prepared);
    }
    assertBinds(binds, prepared.marks, sql);
    return prepared.statement;
  }
}

/** Our statements use `?` for binds and nowhere else. */
function countMarks(sql: string): number {
  return sql.split("?").length - 1;
}

function assertBinds(binds: readonly SqlBind[], marks: number, sql: string): void {
  if (!Array.isArray(binds) || binds.length !== marks)
    throw new TypeError(`${binds.length} binds for ${marks} marks: ${sql}`);
  for (const bind of binds as readonly unknown[]) {
    const fits =
      bind === null ||
      typeof bind === "string" ||
      (typeof bind === "number" && Number.isFinite(bind)) ||
      bind instanceof Uint8Array;
    if (!fits) throw new TypeError(`a bind of type ${typeof bind}: ${sql}`);
  }
}

/** libsql returns blobs as Buffer from `get` and as ArrayBuffer from `all`. */
function cell(value: unknown): SqlCell {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Uint8Array) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value as SqlCell;
}

export function sqlFailureOf(error: unknown): SqlFailure {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return "other";
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return "busy";
  if (code === "SQLITE_FULL") return "full";
  if (code.startsWith("SQLITE_IOERR") || code === "SQLITE_CANTOPEN") return "io";
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return "corrupt";
  return "other";
}
