import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { isTemporaryName, PinnedDirectory } from "../../src/host/pinned-directory.ts";
import { LONG } from "../effort.ts";
import { scratch } from "../store/scratch.ts";
import { startSwapping } from "./outside.ts";

let base = "";
let root = "";
let outside = "";
beforeEach(() => {
  base = scratch();
  root = join(base, "root");
  outside = join(base, "outside");
  mkdirSync(join(root, "dir", "sub"), { recursive: true });
  mkdirSync(join(outside, "sub"), { recursive: true });
  writeFileSync(join(root, "dir", "sub", "f"), "inside");
  writeFileSync(join(outside, "sub", "f"), "outside");
  writeFileSync(join(outside, "f"), "outside");
  writeFileSync(join(outside, "secret"), "outside");
});

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    expect(error.message).not.toContain(base);
    expect(error.message).not.toContain("/proc");
    return `${error.code} / ${error.reason}`;
  }
  return "no error";
}

function textOf(directory: PinnedDirectory, name: string): string {
  const { fd } = directory.openFile(name);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

for (const by of ["descriptors", "paths"] as const)
  describe(`below a directory held by ${by}`, () => {
    const pin = (): PinnedDirectory => PinnedDirectory.open(root, { by });

    test("[HOST-1] takes one name, and refuses what is none before the system is asked", () => {
      const here = pin();
      const calls: ((name: string) => unknown)[] = [
        (name) => here.enter(name),
        (name) => here.stat(name),
        (name) => here.openFile(name),
        (name) => here.createFile(name),
        (name) => here.replaceFile(name, () => {}),
        (name) => here.makeDirectory(name),
        (name) => here.rename("dir", here, name),
        (name) => here.rename(name, here, "x"),
        (name) => here.link(name, here, "x"),
        (name) => here.unlink(name),
        (name) => here.removeDirectory(name),
        (name) => here.readLink(name),
        (name) => here.place(name),
      ];
      for (const name of ["", ".", "..", "dir/sub", "/", "/etc/passwd", "a\0b", "../outside/f"])
        for (const call of calls) expect(reasonOf(() => call(name))).toBe("invalid_argument / bad_name");
      here.close();
    });

    test("[HOST-2] follows no symbolic link, on the way or at the end", () => {
      const here = pin();
      const targets = [
        outside,
        join(outside, "f"),
        "../outside",
        "/proc/self/root",
        "/proc/self/fd/0",
        "dir",
        "loop",
      ];
      for (const target of targets) {
        symlinkSync(target, join(root, "loop"));
        expect(reasonOf(() => here.enter("loop"))).toBe("forbidden / symlink");
        expect(reasonOf(() => here.openFile("loop"))).toBe("forbidden / symlink");
        expect(here.stat("loop")?.isSymbolicLink()).toBe(true);
        expect(here.readLink("loop")).toBe(target);
        here.unlink("loop");
      }
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("outside");
      here.close();
    });

    test("[HOST-4] opens only regular files with one link, and waits for none", async () => {
      const here = pin();
      execFileSync("mknod", [join(root, "pipe"), "p"]);
      linkSync(join(outside, "f"), join(root, "linked"));
      writeFileSync(join(root, "giant"), "");
      truncateSync(join(root, "giant"), 2 ** 40);
      const server = createServer().listen(join(root, "socket"));
      await new Promise((resolve) => server.once("listening", resolve));
      const special = ["pipe", "socket", "dir"];
      if (process.getuid?.() === 0) {
        execFileSync("mknod", [join(root, "device"), "c", "1", "5"]);
        special.push("device");
      }
      for (const name of special)
        expect(reasonOf(() => here.openFile(name))).toBe("forbidden / special_file");
      expect(reasonOf(() => here.openFile("linked"))).toBe("forbidden / multiple_links");
      expect(reasonOf(() => here.openFile("giant", { maxBytes: 1_000_000 }))).toBe(
        "invalid_argument / too_large",
      );
      expect(reasonOf(() => here.openFile("missing"))).toBe("not_found / no_such_file");
      const { fd, stat } = here.openFile("linked", { manyLinks: true });
      expect(stat.nlink).toBe(2n);
      closeSync(fd);
      await new Promise((resolve) => server.close(resolve));
      here.close();
    });

    test("[HOST-5] replaces a file as a whole, keeps its mode, and leaves nothing behind when it fails", () => {
      const here = pin();
      linkSync(join(outside, "f"), join(root, "shared"));
      chmodSync(join(root, "shared"), 0o751);
      here.replaceFile("shared", (fd) => writeSync(fd, "new"), { sync: true });
      expect(readFileSync(join(root, "shared"), "utf8")).toBe("new");
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("outside");
      expect(statSync(join(root, "shared")).mode & 0o7777).toBe(0o751);
      here.replaceFile("shared", (fd) => writeSync(fd, "newer"), { mode: 0o600 });
      expect(statSync(join(root, "shared")).mode & 0o7777).toBe(0o600);
      symlinkSync(join(outside, "f"), join(root, "link"));
      here.replaceFile("link", (fd) => writeSync(fd, "mine"));
      expect(readFileSync(join(root, "link"), "utf8")).toBe("mine");
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("outside");
      const fails = (): never => {
        throw new RangeError("no");
      };
      expect(() => here.replaceFile("shared", fails)).toThrow(RangeError);
      expect(reasonOf(() => here.replaceFile("dir", () => {}))).toBe("conflict / is_directory");
      expect(readFileSync(join(root, "shared"), "utf8")).toBe("newer");
      expect(readdirSync(root).filter(isTemporaryName)).toEqual([]);
      here.close();
    });

    test("[HOST-5] a file whose writer died is known by its name", () => {
      const here = pin();
      const name = here.newTemporaryName();
      expect(isTemporaryName(name)).toBe(true);
      expect(isTemporaryName("notes.tmp")).toBe(false);
      expect(here.newTemporaryName()).not.toBe(name);
      here.close();
    });

    test("[HOST-6] makes nothing where something is, and renames and removes names, not what links point to", () => {
      const here = pin();
      const dir = here.enter("dir");
      symlinkSync(join(outside, "new"), join(root, "dangling"));
      symlinkSync(outside, join(root, "away"));
      for (const name of ["dir", "dangling", "away"]) {
        expect(reasonOf(() => here.createFile(name))).toBe("conflict / exists_outside");
        expect(reasonOf(() => here.makeDirectory(name))).toBe("conflict / exists_outside");
      }
      closeSync(here.createFile("a"));
      expect(reasonOf(() => here.link("a", here, "away"))).toBe("conflict / exists_outside");
      here.link("a", dir, "b");
      expect(statSync(join(root, "dir", "b")).nlink).toBe(2);
      here.rename("away", dir, "away");
      expect(dir.stat("away")?.isSymbolicLink()).toBe(true);
      dir.unlink("away");
      here.unlink("dangling");
      here.makeDirectory("d");
      here.removeDirectory("d");
      expect(reasonOf(() => here.removeDirectory("dir"))).toBe("conflict / not_empty");
      expect(readdirSync(outside).sort()).toEqual(["f", "secret", "sub"]);
      dir.close();
      here.close();
    });

    test("[HOST-7] a closed directory throws, whatever its number means now", () => {
      const here = pin();
      here.close();
      here.close();
      const others = [openSync(outside, "r"), openSync(outside, "r")];
      expect(reasonOf(() => here.openFile("f"))).toBe("invalid_argument / directory_closed");
      expect(reasonOf(() => [...here.list()])).toBe("invalid_argument / directory_closed");
      for (const fd of others) closeSync(fd);
    });

    test("[HOST-9] says what the system refuses without its paths", () => {
      const here = pin();
      expect(reasonOf(() => PinnedDirectory.open(join(base, "missing"), { by }))).toBe(
        "not_found / no_such_file",
      );
      expect(reasonOf(() => PinnedDirectory.open(join(outside, "f"), { by }))).toBe(
        "conflict / not_a_directory",
      );
      expect(reasonOf(() => here.enter("missing"))).toBe("not_found / no_such_file");
      const sub = here.enter("dir").enter("sub");
      expect(reasonOf(() => sub.enter("f"))).toBe("conflict / not_a_directory");
      expect(reasonOf(() => sub.createFile("x".repeat(300)))).toBe("invalid_argument / bad_name");
      expect(reasonOf(() => sub.unlink("missing"))).toBe("not_found / no_such_file");
      expect([...sub.list()].map((entry) => entry.name)).toEqual(["f"]);
      sub.sync();
      sub.close();
      here.close();
    });
  });

test("[HOST-7] a directory that is moved is still the same one", () => {
  const dir = PinnedDirectory.open(root).enter("dir");
  renameSync(join(root, "dir"), join(base, "moved"));
  symlinkSync(outside, join(root, "dir"));
  const sub = dir.enter("sub");
  expect(textOf(sub, "f")).toBe("inside");
  dir.replaceFile("g", (fd) => writeSync(fd, "inside"));
  expect(readFileSync(join(base, "moved", "g"), "utf8")).toBe("inside");
  expect(readdirSync(outside).sort()).toEqual(["f", "secret", "sub"]);
});

test("[HOST-8] without descriptors a component that became a link, or another directory, is refused", () => {
  const here = PinnedDirectory.open(root, { by: "paths" });
  expect(here.isRaceFree).toBe(false);
  expect(PinnedDirectory.open(root, { by: "descriptors" }).isRaceFree).toBe(true);
  const sub = here.enter("dir").enter("sub");
  renameSync(join(root, "dir"), join(base, "moved"));
  expect(reasonOf(() => sub.openFile("f"))).toBe("not_found / no_such_file");
  symlinkSync(outside, join(root, "dir"));
  expect(reasonOf(() => sub.openFile("f"))).toBe("forbidden / symlink");
  expect(reasonOf(() => sub.createFile("g"))).toBe("forbidden / symlink");
  here.unlink("dir");
  mkdirSync(join(root, "dir", "sub"), { recursive: true });
  expect(reasonOf(() => sub.createFile("g"))).toBe("conflict / not_a_directory");
  expect(readdirSync(join(outside, "sub"))).toEqual(["f"]);
});

test(
  "[HOST-3] nothing outside is read or written while another process swaps directories and links",
  { timeout: 600_000 },
  async () => {
    const wanted = LONG ? 20_000 : 600;
    writeFileSync(join(root, "leaf"), "inside");
    writeFileSync(join(root, "dir", "f"), "inside");
    const swapping = startSwapping(root, outside);
    const here = PinnedDirectory.open(root);
    let [reads, writes, refused] = [0, 0, 0];
    const seen = new Set<string>();
    const tried = (call: () => void): void => {
      try {
        call();
      } catch (error) {
        if (!HoldfastError.is(error)) throw error;
        refused++;
      }
    };
    const inDirectory = (use: (dir: PinnedDirectory) => void): void => {
      const dir = here.enter("dir");
      try {
        use(dir);
      } finally {
        dir.close();
      }
    };
    const until = performance.now() + 500_000;
    try {
      for (let n = 0; (reads < wanted || writes < wanted) && performance.now() < until; n++) {
        tried(() =>
          inDirectory((dir) => {
            seen.add(textOf(dir, "f"));
            reads++;
          }),
        );
        tried(() => {
          // In the moment between its making and its filling the other process's file is empty.
          seen.add(textOf(here, "leaf") || "inside");
          reads++;
        });
        tried(() =>
          inDirectory((dir) => {
            dir.replaceFile(`w${n % 50}`, (fd) => writeSync(fd, "ours"));
            writes++;
          }),
        );
        tried(() =>
          inDirectory((dir) => {
            dir.makeDirectory(`d${n}`);
            dir.removeDirectory(`d${n}`);
            writes++;
          }),
        );
        tried(() => inDirectory((dir) => dir.unlink("secret")));
        if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await swapping.stop();
    }
    expect(reads).toBeGreaterThanOrEqual(wanted);
    expect(writes).toBeGreaterThanOrEqual(wanted);
    expect(refused).toBeGreaterThan(0);
    expect([...seen]).toEqual(["inside"]);
    expect(readdirSync(outside).sort()).toEqual(["f", "secret", "sub"]);
    for (const name of ["f", "secret", "sub/f"])
      expect(readFileSync(join(outside, name), "utf8")).toBe("outside");
  },
);
