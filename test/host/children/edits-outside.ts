// A person with editors: changes files of a folder in place and by rename, and says which of its lines it found gone again.
// Arguments: folder, number of files. Ends when its standard input does. Says `wrote LINE`, and `gone LINE` when a line that it wrote is not in the file
// at its next visit, though it has not written that file since.

import { readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder = "", count = "0"] = process.argv.slice(2);
const last = new Map<string, string>();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** As an editor in place, as VS Code and sed -i do, and as vim does. */
const SAVES: ((path: string, text: string) => void)[] = [
  (path, text) => writeFileSync(path, text),
  (path, text) => {
    writeFileSync(`${path}.swp~`, text);
    renameSync(`${path}.swp~`, path);
  },
  (path, text) => {
    renameSync(path, `${path}.bak~`);
    writeFileSync(path, text);
    unlinkSync(`${path}.bak~`);
  },
];

let isEnded = false;
process.stdin.resume().on("end", () => (isEnded = true));
for (let n = 0; !isEnded; n++) {
  const name = `f${Math.floor(Math.random() * Number(count))}.txt`;
  const path = join(folder, name);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // Its name is free for a moment while it is replaced.
    await new Promise((resolve) => setImmediate(resolve));
    continue;
  }
  const before = last.get(name);
  if (before !== undefined && !text.includes(`${before}\n`)) say(`gone ${before}`);
  const lines = text.split("\n").slice(-12);
  const line = `outside ${n} ${process.pid}`;
  lines.splice(Math.floor(Math.random() * lines.length), 1, line);
  try {
    SAVES[n % SAVES.length]?.(path, `${lines.filter((one) => one !== "").join("\n")}\n`);
    last.set(name, line);
    say(`wrote ${line}`);
  } catch {
    // The same: the backup could not be made.
    last.delete(name);
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
}
