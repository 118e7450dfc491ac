// The command line in a real terminal: tmux holds one, types into it, and says what is on its screen.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { LONG } from "../effort.ts";
import { CLI, run } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

interface Terminal {
  /** Types a line and a key, Enter unless told, and waits until the screen shows something; returns the screen, with its colours. */
  readonly type: (line: string, until: RegExp, key?: string) => Promise<string>;
  readonly screen: () => string;
}

function terminal(cwd: string, store: string): Terminal {
  const socket = join(scratch(), "tmux");
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8", cwd });
  const holdfast = `'${process.execPath}' '${CLI[0] ?? ""}'`;
  // The shell says nothing of its own, so that the screen is ours.
  const shell = `env -u NO_COLOR TERM=screen-256color HOLDFAST_STORE='${store}' PS1='$ ' sh`;
  tmux("new-session", "-d", "-x", "100", "-y", "50", shell);
  onTestFinished(() => void tmux("kill-server"));
  const screen = (): string => tmux("capture-pane", "-p", "-e");
  const type = async (line: string, until: RegExp, key = "Enter"): Promise<string> => {
    tmux("send-keys", line.replace("holdfast ", `${holdfast} `), key);
    for (let tries = 0; tries < 600; tries++) {
      const shown = screen();
      if (until.test(shown)) return shown;
      await wait(50);
    }
    throw new Error(`${line} did not show ${String(until)}:\n${screen()}`);
  };
  return { type, screen };
}

const ESCAPE = "\u001b[31;8mhidden\u001b]0;title\u0007";

test.skipIf(!hasTmux)(
  "[CLI-25] [CLI-45] [CLI-19] in a terminal (tmux): colours are ours, what files hold is shown, and land asks",
  async () => {
    const folder = scratch({ "a.txt": "one\ntwo\n" });
    const store = join(scratch(), "kept");
    const input = JSON.stringify({ path: "a.txt", content: `one\n${ESCAPE}\n`, mode: "overwrite" });
    await run(["call", "--folder", ".", "write_file", input], "", { HOLDFAST_STORE: store }, folder);
    const { type } = terminal(folder, store);
    const diff = await type("holdfast diff; echo end-$((40 + 2))", /end-42/);
    expect(diff).toContain("\u001b[31m-two");
    expect(diff).toContain("\u001b[32m+\\u001b[31;8mhidden\\u001b]0;title\\u0007");
    const asked = await type("clear; holdfast land", /Write 1 file to the folder\? \[y\/N\]/);
    expect(asked).toContain("\\u001b[31;8mhidden");
    await type("n", /Nothing was written\./);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
    await type("clear; holdfast land", /Write 1 file to the folder\? \[y\/N\] *$/m);
    await type("y", /Landed 1 file \(landing \d+\)/);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(`one\n${ESCAPE}\n`);
    const plain = await run(["session", "diff", "--from", "2"], "", { HOLDFAST_STORE: store }, folder);
    expect(plain.out).toContain("hidden");
  },
);

test.skipIf(!hasTmux || !LONG)(
  "[CLI-46] in a terminal (tmux) a bar shows how far exporting is, and goes",
  async () => {
    const files = Array.from({ length: 20_000 }, (_, i) => [`d${i % 100}/f${i}.txt`, `${i}\n`] as const);
    const folder = scratch(Object.fromEntries(files));
    const out = join(scratch(), "out");
    const { type, screen } = terminal(folder, join(scratch(), "kept"));
    await type("holdfast run true; clear", /Reading the folder {2}\[#*\.*\] +\d+ % {2}\d+ of 20000 files/);
    await type(`holdfast session export '${out}'`, /Writing {2}\[#*\.*\]/);
    // No key is pressed: its echo would leave the bar where it is.
    await type("", /Wrote 20000 files/, "");
    expect(screen()).not.toContain("Writing  [");
    expect(existsSync(join(out, "d0/f0.txt"))).toBe(true);
  },
);

test.skipIf(!hasTmux)(
  "[CLI-55] a question that is declined or broken off is told by the exit code",
  async () => {
    const folder = scratch({ "a.txt": "one\n" });
    const store = join(scratch(), "kept");
    await workedIn(folder, store, [["amy", "write_file", { path: "b.txt", content: "b\n" }]]);
    const { type } = terminal(folder, store);
    const asked = /to the folder\? \[y\/N\]/;
    await type("holdfast land; echo code-$?", asked);
    await type("n", /code-1$/m);
    await type("clear; holdfast land; echo code-$?", asked);
    await type("", /code-130/, "C-c");
    expect(existsSync(join(folder, "b.txt"))).toBe(false);
    await type("clear; holdfast tour; echo code-$?", /Enter goes on/);
    expect(await type("", /code-130/, "C-c")).not.toContain("Now your own folder");
  },
);
