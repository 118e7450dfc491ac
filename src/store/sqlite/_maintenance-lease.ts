// Owns: keeping fork and prune of one session out of each other's way, across processes.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { errorOf } from "./_writer-client.ts";
import type { Connections } from "./_connections.ts";

/** Held by fork and prune, so that neither removes what the other needs. */
const MAINTENANCE = "~maintenance";
const MAINTENANCE_MS = 60_000;
const MAINTENANCE_WAIT_MS = 120_000;

/** Holds the maintenance lease of a session while it works, and waits its turn for it. */
export async function withMaintenanceLease<T>(session: Connections, work: () => Promise<T>): Promise<T> {
  const holder = randomBytes(12).toString("base64url");
  const name = MAINTENANCE;
  const patience = Date.now() + MAINTENANCE_WAIT_MS;
  while (!(await session.ask({ do: "take lease", name, holder, ms: MAINTENANCE_MS }))) {
    if (Date.now() > patience) throw errorOf("busy", "another process is pruning or forking");
    await sleep(20 + Math.random() * 50);
  }
  const renewal = setInterval(() => {
    session.ask({ do: "renew lease", name, holder, ms: MAINTENANCE_MS }).catch(() => {});
  }, MAINTENANCE_MS / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await session.ask({ do: "drop lease", name, holder }).catch(() => {});
  }
}
