// Owns: starting our threads, from built JavaScript or from the TypeScript sources.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** Starts one of the `_*-thread` files of this folder. It never keeps the process alive by itself. */
export function startThread(name: "writer" | "wal-checkpointer"): Worker {
  const here = import.meta.url;
  const options = { execArgv: [], name: `holdfast ${name}` };
  const worker = here.endsWith(".ts")
    ? new Worker(fromSources(here, name), { ...options, eval: true })
    : new Worker(new URL(`./_${name}-thread.js`, here), options);
  worker.unref();
  return worker;
}

/** Tests and examples run the sources through tsx; a worker has to register it by itself. */
function fromSources(here: string, name: string): string {
  const tsx = createRequire(here)
    .resolve("tsx/esm/api")
    .replace(/\.cjs$/, ".mjs");
  const entry = new URL(`./_${name}-thread.ts`, here).href;
  return `import(${JSON.stringify(tsx)}).then((tsx) => tsx.tsImport(${JSON.stringify(entry)}, ${JSON.stringify(entry)}));`;
}
