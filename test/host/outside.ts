// Owns: another process that swaps directories, files and symbolic links below a directory, as code in a container could.

import { spawn } from "node:child_process";

/*
 * `dir` is by turns the real directory and a link to the outside; `leaf` in it is by turns a file, a link to an outside file
 * and a directory. Each state is held for a random time, so that calls succeed in between.
 */
const SWAP = `
import fs from "node:fs";
const [root, outside, longest] = process.argv.slice(1);
const dir = root + "/dir", real = root + "/dir.real", leaf = root + "/leaf";
const clock = new Int32Array(new SharedArrayBuffer(4));
const hold = () => Atomics.wait(clock, 0, 0, Math.random() * Number(longest));
const tried = (call) => { try { call(); } catch {} };
let made = 0;
// A directory that others made in its place meanwhile is moved aside: else nothing would be swapped from then on.
const back = () => {
  try { fs.renameSync(real, dir); } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") return;
    tried(() => fs.renameSync(dir, root + "/dir.made" + made++));
    tried(() => fs.renameSync(real, dir));
  }
};
// Never outlives the test that started it.
for (const parent = process.ppid; process.ppid === parent; ) {
  hold();
  tried(() => fs.renameSync(dir, real));
  tried(() => fs.symlinkSync(outside, dir));
  hold();
  tried(() => fs.unlinkSync(dir));
  back();
  hold();
  tried(() => fs.unlinkSync(leaf));
  tried(() => fs.symlinkSync(outside + "/secret", leaf));
  hold();
  tried(() => fs.unlinkSync(leaf));
  tried(() => fs.mkdirSync(leaf));
  tried(() => fs.rmdirSync(leaf));
  tried(() => fs.writeFileSync(leaf, "inside"));
}
`;

/** Swaps until it is stopped. A state is held for at most `longest` milliseconds. */
export function startSwapping(root: string, outside: string, longest = 1.2): { stop(): Promise<void> } {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SWAP, root, outside, String(longest)], {
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
