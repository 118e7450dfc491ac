// Owns: the child's side of an isolated case: one subject in a process of its own, told by messages what to do.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { enter, type Contestant } from "./_contest.ts";
import type { Bench } from "./harness.ts";
import type { Answer, Order } from "./_isolated.ts";

let contestant: Contestant | undefined;
let base = 0;

process.on("message", (order: Order) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) =>
      process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

// Told to stop, or the parent is gone: whatever a subject left open must not keep this process.
process.on("disconnect", () => process.exit());

async function obey(order: Order): Promise<Answer> {
  switch (order.do) {
    case "start": {
      const { default: bench } = (await import(pathToFileURL(order.file).href)) as { default: Bench };
      const found = bench.cases.find((c) => c.name === order.case);
      const subject = [found?.ours, ...(found?.peers ?? [])].find((s) => s?.name === order.subject);
      if (found === undefined || subject === undefined)
        throw new Error(`${order.file} has no "${order.subject}" in "${order.case}"`);
      resetPeak();
      base = process.memoryUsage.rss();
      contestant = await enter(subject, order.env, found.repeat ?? 1, false);
      return { done: true };
    }
    case "round": {
      const round = await started().round(order.number);
      return { round: order.answer ? round : { ...round, answer: undefined } };
    }
    case "finish": {
      const { values } = await started().finish();
      return { finish: { values, memory: Math.max(0, peak() - base) } };
    }
    case "stop":
      await contestant?.stop();
      return { done: true };
  }
}

function started(): Contestant {
  if (contestant === undefined) throw new Error("not started");
  return contestant;
}

/** Linux can forget the peak of loading; elsewhere the peak is that of the whole process. */
function resetPeak(): void {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not Linux, or not allowed: peak() then reads too high, never too low.
  }
}

function peak(): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
