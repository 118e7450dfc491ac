import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../effort.ts";
import { scratch } from "../store/scratch.ts";
import { folderOf, opened } from "./folder.ts";

/** All files of a folder: bytes and executable bit by path. */
function state(path: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const at = join(entry.parentPath, entry.name);
    const isExecutable = (statSync(at).mode & 0o100) !== 0;
    files[at.slice(path.length + 1)] = `${isExecutable ? "x" : "-"} ${readFileSync(at, "hex")}`;
  }
  return files;
}

function gitApply(cwd: string, diff: string, ...how: string[]): void {
  execFileSync("git", ["apply", "--whitespace=nowarn", ...how], { cwd, input: diff, stdio: "pipe" });
}

const NAMES = ["a", "b c", 'q"uote', "größe", "日本/語", "d/e/f", "d/g", "tab ü.txt", "-dash", "x=1"];
const line = fc.constantFrom(
  "one",
  "two",
  "",
  " ",
  "-- x",
  "+++ b/x",
  "\\ No newline",
  "ünï",
  "\ufeffmark",
  "\0",
  "c\rr",
);
const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n")), { maxLength: 12 }).chain((lines) =>
  fc.boolean().map((isCut) => {
    const whole = lines.map(([words, end]) => words + end).join("");
    return Buffer.from(isCut ? whole.replace(/\r?\n$/, "") : whole);
  }),
);
const binary = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([0xff, 0xfe, ...bytes, 0x80]));
const content = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: binary });
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  fc.record({ op: fc.constant("write" as const), path: name, content, executable: fc.boolean() }),
  fc.record({ op: fc.constant("delete" as const), path: name }),
  fc.record({ op: fc.constant("move" as const), path: name, to: name }),
);

test("[HOST-84] nothing is left out of a diff, however large a changed place or long a line is", async () => {
  const [a, b] = ["line of text\n".repeat(60_000), "another line\n".repeat(60_000)];
  const pairs = {
    replaced: [a, b],
    made: [undefined, a],
    gone: [a, undefined],
    line: [`{"a":"${"x".repeat(900_000)}","b":1}`, `{"a":"${"x".repeat(900_000)}","b":2}`],
    context: [
      `${"y".repeat(200_000)}\none\n${"z".repeat(200_000)}`,
      `${"y".repeat(200_000)}\ntwo\n${"z".repeat(200_000)}`,
    ],
  };
  const texts = (side: 0 | 1): Record<string, string> =>
    Object.fromEntries(
      Object.entries(pairs).flatMap(([name, pair]) => (pair[side] === undefined ? [] : [[name, pair[side]]])),
    );
  const from = folderOf(texts(0));
  const copy = folderOf(texts(0));
  const { session } = await opened({ mounts: [{ from, to: "/workspace" }] });
  for (const [name, [, after]] of Object.entries(pairs))
    if (after === undefined) await session.workspace.remove(name);
    else await session.workspace.write(name, after);
  const plan = await session.plan();
  execFileSync("git", ["init", "-q"], { cwd: copy });
  gitApply(copy, await plan.text());
  rmSync(join(copy, ".git"), { recursive: true });
  await plan.land();
  expect(state(copy)).toEqual(state(from));
  // What is shown of a hunk is bounded, and says so.
  for (const { hunks } of plan.files)
    for (const { text: shown } of hunks) expect(shown.length).toBeLessThan(2.5e6);
});

test("[HOST-84] git apply makes of the folder what landing makes of it, byte by byte, and takes it back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, content, fc.boolean()), { maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (old, steps) => {
        const from = folderOf(Object.fromEntries(old.map(([path, bytes]) => [path, bytes])));
        for (const [path, , isExecutable] of old) if (isExecutable) chmodSync(join(from, path), 0o755);
        const copy = scratch();
        cpSync(from, copy, { recursive: true });
        execFileSync("git", ["init", "-q"], { cwd: copy });
        const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }], names: "unicode" });
        // A name that is taken and a file that is not there are refused: then nothing is done.
        for (const one of steps)
          if (one.op === "delete") await as("ann").call("delete_file", { path: one.path });
          else if (one.op === "move")
            await as("ann").call("move_file", { source: one.path, destination: one.to });
          else
            await session.workspace
              .write(one.path, one.content, { executable: one.executable })
              .catch(() => undefined);
        const plan = await session.plan();
        const before = state(from);
        if (!plan.isEmpty) {
          const diff = await plan.text();
          gitApply(copy, diff);
          await plan.land();
          rmSync(join(copy, ".git"), { recursive: true });
          expect(state(copy)).toEqual(state(from));
          execFileSync("git", ["init", "-q"], { cwd: copy });
          gitApply(copy, diff, "-R");
          rmSync(join(copy, ".git"), { recursive: true });
          expect(state(copy)).toEqual(before);
        }
        await session.close();
        for (const path of [from, copy]) rmSync(path, { recursive: true });
      },
    ),
    runs(40),
  );
});

test("[HOST-84] a name that a deletion frees and a move takes can be applied and taken back", async () => {
  for (const freed of ["text\n", "", Buffer.from([0, 255])]) {
    const from = folderOf({ x: freed, a: "moved\n" });
    const copy = scratch();
    cpSync(from, copy, { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: copy });
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
    await as("ann").call("delete_file", { path: "x" });
    await as("ann").call("move_file", { source: "a", destination: "x" });
    const diff = await (await session.plan()).text();
    gitApply(copy, diff);
    expect(readFileSync(join(copy, "x"), "utf8")).toBe("moved\n");
    gitApply(copy, diff, "-R");
    rmSync(join(copy, ".git"), { recursive: true });
    expect(state(copy)).toEqual(state(from));
    await session.close();
  }
});

test("[HOST-84] names that files of a plan take from one another are applied and taken back, whatever becomes of them", async () => {
  const works: Readonly<
    Record<string, readonly (readonly [tool: "move" | "put" | "delete", path: string, to?: string])[]>
  > = {
    "moved away, and made anew": [
      ["move", "n", "s"],
      ["put", "n"],
    ],
    "deleted, taken, and made anew": [
      ["delete", "k"],
      ["move", "n", "k"],
      ["put", "n"],
    ],
    exchanged: [
      ["move", "n", "t"],
      ["move", "k", "n"],
      ["move", "t", "k"],
    ],
    "in a row": [
      ["move", "k", "s"],
      ["move", "n", "k"],
    ],
    "a directory for a file": [
      ["delete", "n"],
      ["put", "n/y"],
    ],
    "a file for a directory": [
      ["move", "d/f", "t"],
      ["move", "t", "d"],
    ],
  };
  for (const [title, steps] of Object.entries(works)) {
    const from = folderOf({ n: "n1\nn2\n", k: Buffer.from([0, 255, 1]), "d/f": "f\n" });
    const copy = scratch();
    cpSync(from, copy, { recursive: true });
    const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
    const ann = as("ann");
    for (const [tool, path, to = ""] of steps) {
      const { ok } =
        tool === "move"
          ? await ann.call("move_file", { source: path, destination: to })
          : tool === "put"
            ? await ann.call("write_file", { path, content: "new\n" })
            : await ann.call("delete_file", { path });
      expect(ok).toBe(true);
    }
    const old = state(copy);
    const plan = await session.plan();
    const diff = await plan.text();
    await plan.land();
    gitApply(copy, diff);
    expect([title, state(copy)]).toEqual([title, state(from)]);
    gitApply(copy, diff, "-R");
    expect([title, state(copy)]).toEqual([title, old]);
    await session.close();
  }
});

test("[HOST-84] [NDP-59] GNU patch makes and removes empty files too, and takes that back", async ({
  skip,
}) => {
  if (spawnSync("patch", ["--version"]).status !== 0) skip("there is no patch here");
  const from = folderOf({ empty: "", "with blank": "", k: "k\n" });
  const copy = scratch();
  cpSync(from, copy, { recursive: true });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  const ann = as("ann");
  await ann.call("delete_file", { path: "empty" });
  await ann.call("delete_file", { path: "with blank" });
  await ann.call("write_file", { path: "new", content: "" });
  await ann.call("write_file", { path: "z", content: "z\n" });
  const old = state(copy);
  const plan = await session.plan();
  const diff = await plan.text();
  expect(diff).toContain("deleted file mode 100644\nindex e69de29..0000000\n");
  await plan.land();
  for (const apply of [
    (...how: string[]) =>
      void execFileSync("patch", ["-p1", "-f", ...how], { cwd: copy, input: diff, stdio: "pipe" }),
    (...how: string[]) => gitApply(copy, diff, ...how),
  ]) {
    apply();
    expect(state(copy)).toEqual(state(from));
    apply("-R");
    expect(state(copy)).toEqual(old);
  }
  await session.close();
});

test("[HOST-84] for reading, files that are not text are named without their bytes", async () => {
  const from = folderOf({ f: Buffer.from([0xff, 1]), t: "1\n" });
  const { session } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await session.workspace.write("f", Buffer.from([0xff, 2]));
  await session.workspace.write("t", "2\n");
  const plan = await session.plan();
  expect(await plan.text()).toContain("GIT binary patch\nliteral 2\n");
  const read = await plan.text({ binary: false });
  expect(read).toContain("Binary files a/f and b/f differ\n");
  expect(read).toContain("-1\n+2\n");
  expect(read).not.toContain("GIT binary patch");
});
