// Owns: starting the writer's thread, from built JavaScript or from the TypeScript sources.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** One thread serves all sessions of a process. It never keeps the process alive by itself. */
export function spawnWriter(): Worker {
  const here = import.meta.url;
  const worker = here.endsWith(".ts")
    ? new Worker(fromSources(here), { eval: true, execArgv: [], name: "holdfast writer" })
    : new Worker(new URL("./_thread.js", here), { execArgv: [], name: "holdfast writer" });
  worker.unref();
  return worker;
}

/** Tests and examples run the sources through tsx; a worker has to register it by itself. */
function fromSources(here: string): string {
  const tsx = createRequire(here)
    .resolve("tsx/esm/api")
    .replace(/\.cjs$/, ".mjs");
  const entry = new URL("./_thread.ts", here).href;
  return `import(${JSON.stringify(tsx)}).then((tsx) => tsx.tsImport(${JSON.stringify(entry)}, ${JSON.stringify(entry)}));`;
}
