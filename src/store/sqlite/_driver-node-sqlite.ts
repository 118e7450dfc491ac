// Owns: `node:sqlite` as a driver, the SQLite that Node brings along from 22.13 on.
// It binds every number as a real (the columns are STRICT and make integers of them) and refuses to read an integer beyond 2^53.

import {
  sqlFailureOfCode,
  type SqlBind,
  type SqlCell,
  type SqlConnection,
  type SqlDriver,
  type SqlFailure,
  type SqlRow,
  type SqlStatement,
} from "./_driver.ts";

/** As much of `node:sqlite` as is used here; the types of our oldest Node do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Statement {
  run(...binds: readonly SqlBind[]): { readonly changes: number | bigint };
  get(...binds: readonly SqlBind[]): Row | undefined;
  all(...binds: readonly SqlBind[]): Row[];
  /** From Node 22.16 on. */
  setReturnArrays?(on: boolean): void;
}

/** An array, or before Node 22.16 an object by the names of the columns, which our statements have only once each. */
type Row = readonly SqlCell[] | Readonly<Record<string, SqlCell>>;

/** Undefined where Node does not have it. */
export function loadNodeSqlite(): SqlDriver | undefined {
  const sqlite = withoutItsWarning(() => process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined);
  if (sqlite === undefined) return undefined;
  const { DatabaseSync } = sqlite;
  return {
    name: "node:sqlite",
    connect: () => connectionOf(new DatabaseSync(":memory:")),
    failureOf,
  };
}

/** Some lines of Node warn, inside the first load in a thread, that the module is experimental. Users did not choose it: they are not told. */
function withoutItsWarning<T>(load: () => T): T {
  // oxlint-disable-next-line typescript/unbound-method -- put back below, and applied to process
  const { emitWarning } = process;
  process.emitWarning = (...warning: readonly unknown[]): void => {
    if (warning[1] === "ExperimentalWarning" && String(warning[0]).startsWith("SQLite ")) return;
    Reflect.apply(emitWarning, process, warning);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function connectionOf(db: Database): SqlConnection {
  return {
    exec: (sql) => db.exec(sql),
    prepare: (sql) => statementOf(db.prepare(sql)),
    close: () => db.close(),
  };
}

function statementOf(statement: Statement): SqlStatement {
  statement.setReturnArrays?.(true);
  return {
    run: (binds) => Number(statement.run(...binds).changes),
    get: (binds) => {
      const row = statement.get(...binds);
      return row === undefined ? undefined : rowOf(row);
    },
    all: (binds) => statement.all(...binds).map(rowOf),
  };
}

function rowOf(row: Row): SqlRow {
  return Array.isArray(row) ? (row as SqlRow) : Object.values(row as Readonly<Record<string, SqlCell>>);
}

function failureOf(error: unknown): SqlFailure {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  // No session holds such an integer.
  if (code === "ERR_OUT_OF_RANGE") return "corrupt";
  return sqlFailureOfCode(errcode);
}
