// Owns: what must hold of a session after processes that wrote to it were killed.

import type { Journal, JournalRecord } from "../../src/store/journal.ts";
import { bodyOf } from "./children/crash-body.ts";

type Places = Map<number, { readonly seq: number; readonly hash: string }>;

export interface Heard {
  /** The numbers an agent asked for, and those acknowledged, with their place. */
  readonly asked: Set<number>;
  readonly acknowledged: Places;
  /** Acknowledged too, but without a key, so never asked for again. */
  readonly plain: Places;
  /** The last revision of the agent's named row that was acknowledged. */
  row: number;
}

interface CrashChange {
  readonly n: number;
  readonly blobs: readonly string[];
  readonly plain?: true;
}

/** Takes in whole lines of what a child wrote. */
export function hear(output: string, heard: Heard): void {
  for (const line of output.split("\n")) {
    const [what, n, seq, hash] = line.split(" ");
    if (what === "row") heard.row = Number(n);
    if (what === "ask") heard.asked.add(Number(n));
    const places = what === "ok" ? heard.acknowledged : what === "plain" ? heard.plain : undefined;
    places?.set(Number(n), { seq: Number(seq), hash: hash ?? "" });
  }
}

export const newHeard = (): Heard => ({
  asked: new Set(),
  acknowledged: new Map(),
  plain: new Map(),
  row: 0,
});

/**
 * Reads the records after `after` and answers what is wrong: an acknowledged commit missing or moved, a commit kept twice, or
 * one of which only a part is there. `kept` collects the records over all checks; without `parts`, only records are looked at.
 */
export async function checkCrash(
  journal: Journal,
  agents: ReadonlyMap<string, Heard>,
  kept: Map<string, JournalRecord>,
  after: number,
  parts = true,
): Promise<{ readonly wrong: string[]; readonly head: number }> {
  const wrong: string[] = [];
  const records = await journal.records({ after, limit: 1_000_000 });
  for (const record of records) {
    const change = record.changes?.[0] as CrashChange | undefined;
    const name = `${record.agent}/${String(change?.n)}`;
    if (change === undefined) {
      wrong.push(`record ${record.seq} has no change`);
      continue;
    }
    if (kept.has(name)) wrong.push(`${name} is kept twice: ${String(kept.get(name)?.seq)} and ${record.seq}`);
    kept.set(name, record);
    if (parts) wrong.push(...(await partsMissing(journal, record, change)).map((what) => `${name}: ${what}`));
  }
  for (const [agent, { acknowledged, plain }] of agents)
    for (const [n, at] of [...acknowledged, ...plain]) {
      const record = kept.get(`${agent}/${n}`);
      if (record === undefined) wrong.push(`${agent}/${n} was acknowledged and is lost`);
      else if (record.seq !== at.seq || record.hash !== at.hash)
        wrong.push(`${agent}/${n} was acknowledged at another place`);
    }
  for (const [agent, { row }] of agents) {
    const found = await journal.rows.get(agent);
    if ((found?.rev ?? 0) < row)
      wrong.push(`${agent}: revision ${row} of its row was acknowledged and is lost`);
    if (found !== undefined && (found.value as { rev: number }).rev !== found.rev)
      wrong.push(`${agent}: its row is half set: ${JSON.stringify(found)}`);
  }
  return { wrong, head: records.at(-1)?.seq ?? after };
}

async function partsMissing(journal: Journal, record: JournalRecord, change: CrashChange): Promise<string[]> {
  const wrong: string[] = [];
  const stored = await journal.replayOf(record.agent, `${change.n}`);
  if (stored?.at.seq !== (change.plain === true ? undefined : record.seq))
    wrong.push("its stored result is missing");
  const [touched] = await journal.last([`file:/${record.agent}/${change.n}`]);
  if (touched?.seq !== record.seq) wrong.push("its key was not touched");
  for (const [i, body] of bodyOf(record.agent, change.n).entries()) {
    if (i === change.blobs.length) break;
    try {
      const blob = change.blobs[i] ?? "";
      const source = await journal.source({ size: body.length, extents: [[blob, 0, body.length]] });
      const bytes = new Uint8Array(body.length);
      source.read(0, bytes, 0, bytes.length);
      source.close();
      if (Buffer.compare(bytes, body) !== 0) wrong.push(`blob ${i} differs`);
    } catch (error) {
      wrong.push(`blob ${i}: ${String(error)}`);
    }
  }
  return wrong;
}
