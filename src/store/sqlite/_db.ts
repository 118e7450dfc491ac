// Owns: connections to SQLite files, and which library makes them: one for the whole process.
// Must never: use two libraries in one process. Locks on a file belong to the process, so one library's close would drop the other's.
// Must never: hand an unchecked bind to a driver. One library aborts the process on some of them, the other stores something else.

import { HoldfastError, say } from "../../errors.ts";
import { loadLibsql } from "./_driver-libsql.ts";
import { loadNodeSqlite } from "./_driver-node-sqlite.ts";
import {
  SQL_DRIVERS,
  type SqlBind,
  type SqlCell,
  type SqlConnection,
  type SqlDriver,
  type SqlDriverName,
  type SqlFailure,
  type SqlRow,
  type SqlStatement,
} from "./_driver.ts";

let chosen: SqlDriver | undefined;

/** Loads a SQLite library, once. Everything that needs no file works without one. */
export function sqlDriver(): SqlDriver {
  chosen ??= loadDriver(process.env["HOLDFAST_SQLITE"]);
  return chosen;
}

/** The first that is there; `only` is for tests and measurements. */
function loadDriver(only: string | undefined): SqlDriver {
  let cause: unknown;
  for (const name of SQL_DRIVERS) {
    if (only !== undefined && only !== name) continue;
    try {
      const driver = LOADERS[name]();
      if (driver !== undefined) return driver;
    } catch (error) {
      cause = error;
    }
  }
  throw new HoldfastError(
    "internal",
    "no_sqlite",
    say`SQLite is not installed for this system. Use Node 22.13 or later, which brings it along, or install the optional dependency "libsql" (npm install libsql), or use memoryStore().`,
    { cause },
  );
}

const LOADERS: Readonly<Record<SqlDriverName, () => SqlDriver | undefined>> = {
  "node:sqlite": loadNodeSqlite,
  libsql: loadLibsql,
};

export function sqlFailureOf(error: unknown): SqlFailure {
  return sqlDriver().failureOf(error);
}

/** Used after {@link Db.close}: who shares a connection gets a new one and tries again. */
export class ConnectionClosed extends Error {}

interface Prepared {
  readonly statement: SqlStatement;
  readonly marks: number;
}

/**
 * One connection to one file, which is attached as `disk`; plain table names mean the tables in it. Attached, not opened,
 * because detaching closes it at once, whatever the library. Statements are prepared once; rows are arrays. Every call is
 * synchronous and never waits for a lock.
 */
export class Db {
  readonly #connection: SqlConnection;
  readonly #prepared = new Map<string, Prepared>();
  #open = true;

  constructor(path: string) {
    this.#connection = sqlDriver().connect();
    this.run("ATTACH DATABASE ? AS disk", [path]);
  }

  /** Runs SQL text of our own, without binds. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Returns how many rows changed. */
  run(sql: string, binds: readonly SqlBind[] = []): number {
    return this.#prepare(sql, binds).run(binds);
  }

  get(sql: string, binds: readonly SqlBind[] = []): SqlRow | undefined {
    return this.#prepare(sql, binds).get(binds);
  }

  all(sql: string, binds: readonly SqlBind[] = []): SqlRow[] {
    return this.#prepare(sql, binds).all(binds);
  }

  /** Returns the first cell, and undefined without a row. */
  value(sql: string, binds: readonly SqlBind[] = []): SqlCell | undefined {
    return this.get(sql, binds)?.[0];
  }

  /** False when there was no transaction to undo, or it could not be: SQLite ends one by itself after some failures. */
  rollback(): boolean {
    try {
      this.#connection.exec("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  /** Never throws: what was committed is safe whatever happens here, and what was not is meant to go. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#prepared.clear();
    this.rollback();
    try {
      this.#connection.exec("DETACH DATABASE disk");
    } catch {
      // A failing disk can refuse the last checkpoint. Closing, or the garbage collector, closes the file then.
    }
    this.#connection.close();
  }

  #prepare(sql: string, binds: readonly SqlBind[]): SqlStatement {
    if (!this.#open) throw new ConnectionClosed("the connection is closed");
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      prepared = { statement: this.#connection.prepare(sql), marks: countMarks(sql) };
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
