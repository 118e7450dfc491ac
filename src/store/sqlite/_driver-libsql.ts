// Owns: libsql as a driver, for a Node without `node:sqlite`. The only door to it: nothing else imports it.
// It aborts the whole process on binds that it does not expect, and its close leaves the file open until the garbage collector has
// found every statement; that is why binds are checked and files attached (_db.ts).

import { createRequire } from "node:module";
import type Libsql from "libsql";
import {
  sqlFailureOfCode,
  type SqlCell,
  type SqlConnection,
  type SqlDriver,
  type SqlRow,
  type SqlStatement,
} from "./_driver.ts";

/** Throws where the package, or its binary for this system, is not installed. */
export function loadLibsql(): SqlDriver {
  const Database = createRequire(import.meta.url)("libsql") as typeof Libsql;
  return {
    name: "libsql",
    connect: () => connectionOf(new Database(":memory:", { timeout: 0 })),
    failureOf: (error) => sqlFailureOfCode((error as { rawCode?: unknown } | null)?.rawCode),
  };
}

function connectionOf(db: Libsql.Database): SqlConnection {
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => statementOf(db.prepare(sql)),
    close: () => void db.close(),
  };
}

function statementOf(statement: ReturnType<Libsql.Database["prepare"]>): SqlStatement {
  // Raw rows exist only for statements that return some.
  if (statement.reader) (statement as unknown as { raw(on: boolean): void }).raw(true);
  return {
    run: (binds) => statement.run(binds).changes,
    get: (binds) => {
      const row = statement.get(binds) as unknown[] | undefined;
      return row === undefined ? undefined : rowOf(row);
    },
    all: (binds) => (statement.all(binds) as unknown[][]).map(rowOf),
  };
}

/** Blobs come as Buffer from `get` and as ArrayBuffer from `all`. */
function rowOf(row: readonly unknown[]): SqlRow {
  return row.map((cell): SqlCell => {
    if (cell instanceof ArrayBuffer) return new Uint8Array(cell);
    if (cell instanceof Uint8Array) return new Uint8Array(cell.buffer, cell.byteOffset, cell.byteLength);
    return cell as SqlCell;
  });
}
