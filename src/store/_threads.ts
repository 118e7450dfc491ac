// Owns: starting our threads, from built JavaScript or from the TypeScript sources.

import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** Starts one of the `_*-thread` files of `sqlite/`. It never keeps the process alive by itself. */
export function startThread(name: "writer" | "wal-checkpointer"): Worker {
  const options = { execArgv: [], name: `holdfast ${name}` };
  const built = new URL(`../store/sqlite/_${name}-thread.js`, import.meta.url);
  const worker = import.meta.url.endsWith(".ts")
    ? new Worker(fromSources(built.href.replace(/js$/, "ts")), { ...options, eval: true })
    : new Worker(built, options);
  worker.unref();
  return worker;
}

/** Tests and examples run the sources through tsx; a worker has to register it by itself. */
function fromSources(entry: string): string {
  const tsx = createRequire(entry)
    .resolve("tsx/esm/api")
    .replace(/\.cjs$/, ".mjs");
  return `import(${JSON.stringify(tsx)}).then((tsx) => tsx.tsImport(${JSON.stringify(entry)}, ${JSON.stringify(entry)}));`;
}
