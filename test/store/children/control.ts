// A process with next to nothing to do in a turn of its event loop, until its input ends; then it says how long it was held.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { watchHeld } from "./held.ts";

const ROUNDS = 100_000;

let ended = false;
process.stdin.on("end", () => (ended = true)).resume();
const held = watchHeld();
let sum = 0;
for (let turn = 0; !ended; turn++) {
  for (let i = 0; i < ROUNDS; i++) sum += (i * i) % 7;
  await (turn % 3 === 0 ? sleep(2) : nextTurn());
}
const most = await held();
if (!Number.isFinite(sum)) throw new Error("not a sum");
process.stdout.write(JSON.stringify(most));
