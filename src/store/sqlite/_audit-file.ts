// Owns: the rows of audit.db.

import type { AuditFold } from "../_audit-fold.ts";
import type { AuditEntry, AuditQuery } from "../journal.ts";
import { dateIn, listIn, sqlTextOrNull, sqlTexts, textOrNull, textsIn, wholeIn } from "./_cells.ts";
import type { Db } from "./_db.ts";
import type { SqlBind, SqlRow } from "./_driver.ts";

const COLUMNS = "time, last, count, agent, role, tool, outcome, reason, reference, ms, seq, targets";
/** The same in two cells: a duration has digits that text would lose. */
const CELLS = `${sqlTexts(
  "time",
  "last",
  "count",
  "agent",
  "role",
  "tool",
  "outcome",
  sqlTextOrNull("reason"),
  sqlTextOrNull("reference"),
  sqlTextOrNull("seq"),
  "targets",
)}, CAST(ms AS REAL)`;

/** Inside a transaction. `newRow` continues after the newest row, of whatever process. */
export function writeAudit(
  db: Db,
  fold: AuditFold,
  newRow: () => number,
  batch: readonly AuditEntry[],
  most: number,
): void {
  for (const entry of batch) {
    const folded = fold.fold(entry);
    if ("add" in folded) {
      insert(db, folded.row, entry);
      continue;
    }
    const counted = db.run("UPDATE audit SET count = count + ?, last = max(last, ?) WHERE row = ?", [
      folded.count,
      folded.last.getTime(),
      folded.row,
    ]);
    // Its row has aged out meanwhile.
    if (counted === 0) insert(db, newRow(), entry);
  }
  db.run("DELETE FROM audit WHERE row <= (SELECT row FROM audit ORDER BY row DESC LIMIT 1 OFFSET ?)", [most]);
}

function insert(db: Db, row: number, entry: AuditEntry): void {
  db.run(`INSERT INTO audit (row, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    row,
    entry.time.getTime(),
    entry.last.getTime(),
    entry.count,
    text(entry.agent),
    text(entry.role),
    text(entry.tool),
    text(entry.outcome),
    entry.reason === undefined ? null : text(entry.reason),
    entry.reference === undefined ? null : text(entry.reference),
    entry.ms,
    entry.seq ?? null,
    JSON.stringify(entry.targets),
  ]);
}

/** A refused call may carry any text; the audit keeps what SQL text can hold of it. */
function text(words: string): string {
  return words.replace(/[\0\p{Surrogate}]/gu, "\ufffd");
}

export function readAudit(db: Db, query: AuditQuery): AuditEntry[] {
  const where: string[] = ["1"];
  const binds: SqlBind[] = [];
  const add = (condition: string, bind: SqlBind | undefined): void => {
    if (bind === undefined) return;
    where.push(condition);
    binds.push(bind);
  };
  add("agent = ?", query.agent);
  add("tool = ?", query.tool);
  add("outcome = ?", query.outcome);
  add("last >= ?", query.since?.getTime());
  add("time < ?", query.until?.getTime());
  return db
    .all(`SELECT ${CELLS} FROM audit WHERE ${where.join(" AND ")} ORDER BY row DESC LIMIT ?`, [
      ...binds,
      query.limit,
    ])
    .map(entryOf);
}

function entryOf([cell, ms]: SqlRow): AuditEntry {
  const [time, last, count, agent = "", role = "", tool = "", outcome = "", ...rest] = textsIn(cell, 11);
  const [reason, reference, seq] = rest.slice(0, 3).map(textOrNull);
  return {
    time: dateIn(time),
    last: dateIn(last),
    count: wholeIn(count),
    agent,
    role,
    tool,
    outcome,
    ...(reason == null ? {} : { reason }),
    ...(reference == null ? {} : { reference }),
    ms: Number(ms),
    ...(seq == null ? {} : { seq: wholeIn(seq) }),
    targets: listIn(rest[3] ?? ""),
  };
}
