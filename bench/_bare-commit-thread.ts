// The entry of a worker that commits what it is sent, and says when it is done.

import { parentPort, workerData } from "node:worker_threads";
import { bareCommits } from "./_bare-commits.ts";

const bare = bareCommits(String(workerData));
parentPort?.on("message", ([path, bytes]: [string, Uint8Array]) => {
  bare.write(path, bytes);
  parentPort?.postMessage("done");
});
parentPort?.postMessage("ready");
