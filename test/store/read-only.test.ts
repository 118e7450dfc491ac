// A store that can be read and not written: what it lists is the truth.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import type { SessionInfo } from "../../src/store/journal.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

const LISTING = childProgram("store", "listing");
/** In a mount namespace of its own, the directory is mounted read-only over itself. */
const MOUNT = 'mount -o bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" "$3" "$1"';
const ANOTHER_USER = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
const isLinux = process.platform === "linux";
const canMount =
  isLinux &&
  spawnSync("unshare", ["-m", "sh", "-c", 'd=$(mktemp -d) && mount -o bind "$d" "$d"']).status === 0;
const canBeAnother =
  isLinux && spawnSync("setpriv", [...ANOTHER_USER, process.execPath, "--check", LISTING]).status === 0;

function listed(command: string, ...words: readonly string[]): SessionInfo[] {
  const run = spawnSync(command, words, { encoding: "utf8" });
  expect(run.stderr).toBe("");
  return JSON.parse(run.stdout) as SessionInfo[];
}

const onReadOnlyMount = (directory: string): SessionInfo[] =>
  listed("unshare", "-m", "sh", "-c", MOUNT, "sh", directory, process.execPath, LISTING);

const byAnotherUser = (directory: string): SessionInfo[] =>
  listed("setpriv", ...ANOTHER_USER, process.execPath, LISTING, directory);

describe.skipIf(!canMount)("a store on a read-only mount (needs unshare and mount)", () => {
  test("[JRN-138] lists sessions as they are, and damaged ones as damaged", async () => {
    const directory = join(scratch(), "a store % with # marks");
    const store = sqliteStore({ directory });
    for (const id of ["closed", "unsaved", "broken"]) {
      const journal = await store.open(id, { create: true, name: `the ${id}` });
      kept(await journal.append(commit()));
      kept(await journal.append(commit()));
      await journal.close();
    }
    const files = (id: string): string => join(directory, "sessions", id);
    writeFileSync(join(files("broken"), "journal.db"), "x".repeat(20_000));
    // As a crash leaves it: commits in a WAL, and nobody who could take them in.
    const journal = await store.open("unsaved");
    kept(await journal.append(commit()));
    cpSync(files("unsaved"), files("crashed"), { recursive: true });
    await journal.close();
    await store.close();
    expect(existsSync(join(files("crashed"), "journal.db-wal"))).toBe(true);

    const sessions = onReadOnlyMount(directory);
    expect(sessions).toMatchObject([
      { id: "broken", damaged: "store_damaged" },
      { id: "closed", name: "the closed", head: { seq: 2 } },
      { id: "crashed", head: { seq: 3 } },
      { id: "unsaved", name: "the unsaved", head: { seq: 3 } },
    ]);
    for (const one of sessions.slice(1))
      for (const word of ["damaged", "unreadable"]) expect(one).not.toHaveProperty(word);
  });
});

describe.skipIf(!canBeAnother)("a store of another user (needs setpriv, and rights to use it)", () => {
  test("[JRN-138] lists what may be read, and says of the rest that it cannot be read here", async () => {
    const base = scratch();
    const directory = join(base, "store");
    const store = sqliteStore({ directory });
    for (const id of ["open", "private"]) {
      const journal = await store.open(id, { create: true });
      kept(await journal.append(commit()));
      await journal.close();
    }
    await store.close();
    for (const path of [base, directory, ...readdirSync(directory).map((name) => join(directory, name))])
      chmodSync(path, 0o755);
    for (const id of ["open", "private"]) chmodSync(join(directory, "sessions", id), 0o755);
    chmodSync(join(directory, "sessions/open/journal.db"), 0o644);
    chmodSync(join(directory, "sessions/private/journal.db"), 0o600);
    const sessions = byAnotherUser(directory);
    expect(sessions).toMatchObject([
      { id: "open", head: { seq: 1 } },
      { id: "private", unreadable: "store_failed" },
    ]);
    expect(sessions[0]).not.toHaveProperty("damaged");
    expect(sessions[1]).not.toHaveProperty("damaged");
  });
});
