import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { hosted, put, type Hosted } from "../session/host-session.ts";
import { inSession, onDisk } from "./directory.ts";
import { insertedTexts } from "./history-texts.ts";

type Swap = Hosted & { readonly dir: string };

async function withFiles(files: Record<string, string>): Promise<Swap> {
  const it = await hosted({ files });
  return { ...it, dir: await it.session.directory() };
}

async function errorOf(work: Promise<unknown>): Promise<HoldfastError> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => (HoldfastError.is(error) ? error : expect.unreachable(String(error))),
  );
}

async function move(it: Swap, source: string, destination: string): Promise<void> {
  const result = await it.as("ann").call("move_file", { source, destination });
  if (!result.ok) throw new Error(result.text);
}

describe("what is in the place of a file", () => {
  test("[HOST-114] directories that hold no file give way to it", async () => {
    const { session, as, dir } = await withFiles({ k: "k\n", "d/e": "e\n" });
    mkdirSync(join(dir, "x/a/b"), { recursive: true });
    mkdirSync(join(dir, "x/c"));
    await put(as("ann"), "x", "1\n");
    await session.settled();
    expect(onDisk(dir)).toEqual({ "d/e": "e\n", k: "k\n", x: "1\n" });
    // A program removes the file, and leaves its directory.
    rmSync(join(dir, "d/e"));
    await as("ann").call("delete_file", { path: "d/e" });
    await put(as("ann"), "d", "2\n");
    expect(await session.sync()).toMatchObject({ deleted: [], diverged: [], skipped: [] });
    expect(onDisk(dir)).toEqual({ d: "2\n", k: "k\n", x: "1\n" });
    await session.close();
  });

  test("[HOST-114] what does not give way is reported, and taking the session's side says so until it is gone", async () => {
    for (const [at, path, by] of [
      ["x/link", "x", "x"],
      ["x", "x/y", "x"],
      ["x/deep/link", "x", "x"],
    ] as const) {
      const { session, as, dir } = await withFiles({ k: "k\n" });
      mkdirSync(join(dir, at, ".."), { recursive: true });
      symlinkSync("/etc", join(dir, at));
      await put(as("ann"), path, "1\n");
      await session.settled();
      for (const dryRun of [true, false])
        expect(await session.sync({ dryRun })).toMatchObject({
          diverged: [
            {
              path: `/workspace/${path}`,
              session: { exists: true },
              outside: { exists: false },
              inTheWay: `/workspace/${by}`,
            },
          ],
          skipped: [{ path: at, reason: "symlink" }],
        });
      const { seq } = session.at;
      const refused = await errorOf(session.sync({ take: { [path]: "session" } }));
      expect([refused.code, refused.reason]).toEqual(["conflict", "in_the_way"]);
      expect(session.at.seq).toBe(seq);
      expect(onDisk(dir)).toEqual({ k: "k\n", [at]: "->" });
      rmSync(join(dir, at));
      expect(await session.sync()).toMatchObject({ diverged: [], skipped: [] });
      expect(onDisk(dir)).toEqual({ k: "k\n", [path]: "1\n" });
      await session.close();
    }
  });

  test("[HOST-114] the outside is taken whatever is there", async () => {
    const { session, as, dir } = await withFiles({ k: "k\n" });
    mkdirSync(join(dir, "x"));
    symlinkSync("/etc", join(dir, "x/link"));
    await put(as("ann"), "x", "1\n");
    expect((await session.sync()).diverged).toHaveLength(1);
    expect(await session.sync({ take: { x: "outside" } })).toMatchObject({
      deleted: ["/workspace/x"],
      diverged: [],
    });
    expect(await inSession(session)).toEqual({ k: "k\n" });
    expect(onDisk(dir)).toEqual({ k: "k\n", "x/link": "->" });
    await session.close();
  });
});

describe("a directory in the place of a file that the session changed", () => {
  test("[HOST-171] without a file in it, it is the file's deletion; a link in it is named", async () => {
    for (const link of [undefined, "x/deep/link"]) {
      const { session, as, dir } = await withFiles({ k: "k\n", x: "1\n" });
      rmSync(join(dir, "x"));
      mkdirSync(join(dir, "x/deep"), { recursive: true });
      if (link !== undefined) symlinkSync("/etc", join(dir, link));
      await put(as("ann"), "x", "ann\n");
      await session.settled();
      const [diverged] = (await session.sync()).diverged;
      expect(diverged).toMatchObject({ path: "/workspace/x", outside: { exists: false } });
      expect(diverged?.inTheWay).toBe(link === undefined ? undefined : "/workspace/x");
      if (link === undefined) {
        expect(await session.sync({ take: { x: "session" } })).toMatchObject({ diverged: [] });
        expect(onDisk(dir)).toEqual({ k: "k\n", x: "ann\n" });
      } else {
        const refused = await errorOf(session.sync({ take: { x: "session" } }));
        expect(refused.reason).toBe("in_the_way");
        expect(refused.message).toContain(`/workspace/${link}`);
      }
      await session.close();
    }
  });
});

describe("names that differ only in case", () => {
  test("[HOST-171] a dry run names what would be in the way", async () => {
    const { session, as, dir } = await withFiles({ "d/a.txt": "1\n", "d/b.txt": "1\n" });
    writeFileSync(join(dir, "d/a.txt"), "2\n");
    rmSync(join(dir, "d/b.txt"));
    mkdirSync(join(dir, "D"));
    writeFileSync(join(dir, "D/a.txt"), "3\n");
    await as("ann").call("delete_file", { path: "d/a.txt" });
    await session.settled();
    const dry = await session.sync({ dryRun: true });
    const real = await session.sync();
    expect(real.diverged).toMatchObject([{ path: "/workspace/d/a.txt", inTheWay: "/workspace/D/a.txt" }]);
    expect(dry.diverged).toEqual(real.diverged);
    await session.close();
  });

  test("[HOST-115] a side that is taken for one is taken for the other", async () => {
    for (const side of ["outside", "session"] as const) {
      const { session, as, dir } = await withFiles({ "a.txt": "1\n" });
      renameSync(join(dir, "a.txt"), join(dir, "A.txt"));
      writeFileSync(join(dir, "A.txt"), "9\n");
      await put(as("ann"), "a.txt", "ann\n");
      await session.settled();
      expect((await session.sync()).diverged.map(({ path }) => path)).toEqual([
        "/workspace/A.txt",
        "/workspace/a.txt",
      ]);
      expect(await session.sync({ take: { "a.txt": side } })).toMatchObject({ diverged: [], skipped: [] });
      await session.settled();
      const left = side === "session" ? { "a.txt": "ann\n" } : { "A.txt": "9\n" };
      expect(await inSession(session)).toEqual(left);
      expect(onDisk(dir)).toEqual(left);
      await session.close();
    }
  });
});

describe("a new file whose name differs only in case from one that nobody changed", () => {
  const TWINS = [
    ["Readme.md", "README.md"],
    ["README.md", "Readme.md"],
    ["d/f", "D/f"],
    ["d/f", "D"],
  ] as const;

  test("[HOST-192] has diverged, and names the session's until one of them is gone", async () => {
    for (const [known, fresh] of TWINS)
      for (const gone of ["session", "directory", "twin"] as const) {
        const { session, as, dir } = await withFiles({ [known]: "1\n" });
        mkdirSync(join(dir, fresh, ".."), { recursive: true });
        writeFileSync(join(dir, fresh), "person\n");
        const { seq } = session.at;
        for (const dryRun of [true, false, false])
          expect(await session.sync({ dryRun })).toMatchObject({
            created: [],
            deleted: [],
            diverged: [
              {
                path: `/workspace/${fresh}`,
                session: { exists: false },
                outside: { exists: true, size: 7 },
                inTheWay: `/workspace/${known}`,
              },
            ],
            skipped: [],
          });
        expect(session.at.seq).toBe(seq);
        expect(onDisk(dir)).toEqual({ [known]: "1\n", [fresh]: "person\n" });
        if (gone === "session") await as("ann").call("delete_file", { path: known });
        else rmSync(join(dir, gone === "twin" ? fresh : known));
        expect(await session.sync()).toMatchObject({ diverged: [], skipped: [] });
        const left = gone === "twin" ? { [known]: "1\n" } : { [fresh]: "person\n" };
        expect(await inSession(session)).toEqual(left);
        expect(onDisk(dir)).toEqual(left);
        await session.close();
      }
  });

  test("[HOST-192] is settled by the side that is taken, also in the first sync, and no text is lost", async () => {
    for (const [known, fresh] of TWINS)
      for (const side of ["outside", "session"] as const)
        for (const isFirst of [true, false]) {
          const { session, store, dir } = await withFiles({ k: "k\n", [known]: "1\n" });
          mkdirSync(join(dir, fresh, ".."), { recursive: true });
          writeFileSync(join(dir, fresh), "person\n");
          if (!isFirst) await session.sync();
          const take = { [fresh]: side };
          const { at: _dry, ...dry } = await session.sync({ take, dryRun: true });
          const { at: _at, ...real } = await session.sync({ take });
          const isOutside = side === "outside";
          expect(real).toMatchObject({
            created: isOutside ? [`/workspace/${fresh}`] : [],
            deleted: isOutside ? [`/workspace/${known}`] : [],
            diverged: [],
            skipped: [],
          });
          expect(dry).toEqual(real);
          const left = isOutside ? { k: "k\n", [fresh]: "person\n" } : { k: "k\n", [known]: "1\n" };
          expect(await inSession(session)).toEqual(left);
          expect(onDisk(dir)).toEqual(left);
          expect(await insertedTexts(store, session.id)).toContain("person");
          expect(await session.sync()).toMatchObject({ created: [], changed: [], deleted: [], diverged: [] });
          await session.close();
        }
  });

  test("[HOST-192] beside another that comes or is decided on too, is settled after that", async () => {
    for (const known of ["readme.md", "other"]) {
      const { session, dir } = await withFiles({ [known]: "1\n" });
      const has = known === "readme.md";
      writeFileSync(join(dir, "README.md"), "2\n");
      writeFileSync(join(dir, "Readme.md"), "3\n");
      if (has) writeFileSync(join(dir, known), "1\nperson\n");
      const { seq } = session.at;
      const takes: Record<string, "outside" | "session">[] = [
        { "Readme.md": "outside" },
        { "Readme.md": "session" },
      ];
      const refusals = await Promise.all(takes.map((take) => errorOf(session.sync({ take }))));
      for (const { reason, message } of refusals) {
        expect(reason).toBe("bad_take");
        expect(message).toContain(
          `Settle /workspace/${has ? known : "README.md"} first, in a sync without /workspace/Readme.md.`,
        );
      }
      expect(session.at.seq).toBe(seq);
      // What it advises works.
      const { changed, created, diverged } = await session.sync();
      expect([changed, created]).toEqual(
        has ? [[`/workspace/${known}`], []] : [[], ["/workspace/README.md"]],
      );
      expect(diverged.map(({ path }) => path)).toEqual(
        has ? ["/workspace/README.md", "/workspace/Readme.md"] : ["/workspace/Readme.md"],
      );
      if (has) {
        expect((await session.sync({ take: { "README.md": "session" } })).diverged).toMatchObject([
          { path: "/workspace/Readme.md", inTheWay: "/workspace/readme.md" },
        ]);
      }
      expect(await session.sync({ take: { "Readme.md": "outside" } })).toMatchObject({ diverged: [] });
      const left = has ? { "Readme.md": "3\n" } : { other: "1\n", "Readme.md": "3\n" };
      expect(await inSession(session)).toEqual(left);
      expect(onDisk(dir)).toEqual(left);
      await session.close();
    }
  });

  test("[HOST-192] stays where another is decided on that both sides changed", async () => {
    for (const side of ["outside", "session"] as const) {
      const { session, as, dir } = await withFiles({ "a.txt": "1\n" });
      writeFileSync(join(dir, "a.txt"), "person\n");
      writeFileSync(join(dir, "A.txt"), "twin\n");
      await put(as("ann"), "a.txt", "ann\n");
      await session.settled();
      expect((await session.sync()).diverged).toHaveLength(2);
      const { diverged } = await session.sync({ take: { "a.txt": side } });
      expect(diverged).toMatchObject([{ path: "/workspace/A.txt", inTheWay: "/workspace/a.txt" }]);
      const left = { "a.txt": side === "session" ? "ann\n" : "person\n" };
      expect(await inSession(session)).toEqual(left);
      expect(onDisk(dir)).toEqual({ ...left, "A.txt": "twin\n" });
      await session.close();
    }
  });
});

/** Layouts with two new files of which only one can be a file, beside one of the session that leaves no place for either. */
const TWO_TWINS = [
  { known: "Readme.md", one: "README.md", two: "readme.md" },
  { known: "b/x", one: "B", two: "b/X" },
] as const;

describe("two new files whose names differ only in case from one of the session", () => {
  type Sides = Readonly<Record<string, "outside" | "session">>;
  type Twins = (typeof TWO_TWINS)[number];

  /** With `isChanged` the session changed its file, and the directory deleted it. */
  async function withTwins({ known, one, two }: Twins, isChanged: boolean): Promise<Swap> {
    const it = await withFiles({ [known]: "base\n" });
    if (isChanged) {
      rmSync(join(it.dir, known));
      await put(it.as("ann"), known, "ann\n");
      await it.session.settled();
    }
    for (const [path, text] of [
      [one, "O1\n"],
      [two, "O2\n"],
    ] as const) {
      mkdirSync(join(it.dir, path, ".."), { recursive: true });
      writeFileSync(join(it.dir, path), text);
    }
    return it;
  }

  /** Takes sides, in a dry run first: both report alike. Returns what is left to decide, and what is in its way. */
  async function taking({ session }: Swap, take: Sides): Promise<Record<string, string | undefined>> {
    const { at: _dry, ...dry } = await session.sync({ take, dryRun: true });
    const { at: _at, ...real } = await session.sync({ take });
    expect(dry).toEqual(real);
    const name = (path: string): string => path.slice("/workspace/".length);
    return Object.fromEntries(
      real.diverged.map(({ path, inTheWay }) => [name(path), inTheWay && name(inTheWay)]),
    );
  }

  for (const isChanged of [false, true])
    for (const twins of TWO_TWINS) {
      const { known, one, two } = twins;
      const own = isChanged ? "ann\n" : "base\n";
      const text = { [one]: "O1\n", [two]: "O2\n" };
      const which = `${one} and ${two} beside ${known}${isChanged ? ", deleted there and changed here" : ""}`;

      test(`[HOST-195] one is decided on, and the other stays: ${which}`, async () => {
        for (const [taken, other] of [
          [one, two],
          [two, one],
        ] as const)
          for (const side of ["outside", "session"] as const) {
            const it = await withTwins(twins, isChanged);
            const left = side === "outside" ? { [taken]: text[taken] } : { [known]: own };
            expect(await taking(it, { [taken]: side })).toEqual({ [other]: Object.keys(left)[0] });
            expect(await inSession(it.session)).toEqual(left);
            expect(onDisk(it.dir)).toEqual({ ...left, [other]: text[other] });
            expect(await insertedTexts(it.store, it.session.id)).toContain(text[taken]);
            // The other is settled after it, whichever side is taken.
            expect(await taking(it, { [other]: "session" })).toEqual({});
            expect(onDisk(it.dir)).toEqual(left);
            await it.session.close();
          }
      });

      test(`[HOST-195] both are decided on in one sync, but for both to come: ${which}`, async () => {
        const takes: readonly (readonly [Sides, Record<string, string | undefined>])[] = [
          [{ [one]: "session", [two]: "session" }, { [known]: own }],
          [{ [one]: "session", [two]: "outside" }, { [two]: text[two] }],
          [{ [one]: "outside", [two]: "session" }, { [one]: text[one] }],
        ];
        for (const [take, left] of takes) {
          const it = await withTwins(twins, isChanged);
          const { seq } = it.session.at;
          const refused = await errorOf(it.session.sync({ take: { [one]: "outside", [two]: "outside" } }));
          expect([refused.code, refused.reason]).toEqual(["invalid_argument", "bad_take"]);
          expect(refused.message).toContain(
            'Take "outside" for one of them, and leave the other out or take "session" for it',
          );
          expect(it.session.at.seq).toBe(seq);
          expect(await taking(it, take)).toEqual({});
          expect(await inSession(it.session)).toEqual(left);
          expect(onDisk(it.dir)).toEqual(left);
          const texts = await insertedTexts(it.store, it.session.id);
          for (const one of ["base\n", own, "O1\n", "O2\n"]) expect(texts).toContain(one);
          expect(await taking(it, {})).toEqual({});
          expect((await it.session.verify({ blobs: true })).ok).toBe(true);
          await it.session.close();
        }
      });
    }

  test("[HOST-195] one that has a place beside the other waits for the next sync", async () => {
    const { session, dir } = await withFiles({ "Docs/a": "base\n" });
    mkdirSync(join(dir, "docs"));
    for (const path of ["docs/a", "docs/b"]) writeFileSync(join(dir, path), "person\n");
    const { created, diverged } = await session.sync({ take: { "docs/a": "outside" } });
    expect([created, diverged.map(({ path }) => path)]).toEqual([
      ["/workspace/docs/a"],
      ["/workspace/docs/b"],
    ]);
    expect(await session.sync()).toMatchObject({ created: ["/workspace/docs/b"], diverged: [] });
    expect(await inSession(session)).toEqual({ "docs/a": "person\n", "docs/b": "person\n" });
    await session.close();
  });

  test("[HOST-195] the session's file is kept or a twin comes, and taking the same side for both works", async () => {
    const [twins] = TWO_TWINS;
    for (const side of ["outside", "session"] as const) {
      const it = await withTwins(twins, true);
      const refused = await errorOf(
        it.session.sync({ take: { "Readme.md": "session", "readme.md": "outside" } }),
      );
      expect(refused.message).toContain("Take the same side for both.");
      await taking(it, { "Readme.md": side, "readme.md": side });
      expect(await inSession(it.session)).toEqual(
        side === "session" ? { "Readme.md": "ann\n" } : { "readme.md": "O2\n" },
      );
      await it.session.close();
    }
  });
});

describe("a file that was deleted there while another of its name in another case came", () => {
  test("[HOST-193] names that one, as that one does it, in a dry run too", async () => {
    for (const [known, fresh] of [
      ["a.txt", "A.txt"],
      ["d/f", "D/f"],
      ["d/f", "D"],
    ] as const)
      for (const side of ["outside", "session"] as const)
        for (const taken of [known, fresh]) {
          const { session, as, dir } = await withFiles({ k: "k\n", [known]: "1\n" });
          rmSync(join(dir, known));
          mkdirSync(join(dir, fresh, ".."), { recursive: true });
          writeFileSync(join(dir, fresh), "person\n");
          await put(as("ann"), known, "ann\n");
          await session.settled();
          const { diverged: dry } = await session.sync({ dryRun: true });
          const { diverged } = await session.sync();
          expect(Object.fromEntries(diverged.map(({ path, inTheWay }) => [path, inTheWay]))).toEqual({
            [`/workspace/${known}`]: `/workspace/${fresh}`,
            [`/workspace/${fresh}`]: `/workspace/${known}`,
          });
          expect(dry).toEqual(diverged);
          expect(await session.sync({ take: { [taken]: side } })).toMatchObject({
            diverged: [],
            skipped: [],
          });
          const left = { k: "k\n", ...(side === "session" ? { [known]: "ann\n" } : { [fresh]: "person\n" }) };
          expect(await inSession(session)).toEqual(left);
          expect(onDisk(dir)).toEqual(left);
          await session.close();
        }
  });
});

const PERSON = "one\nperson\n";

/** How session and directory come to differ: the paths that can be taken, and what each side has. */
const SWAPS: Record<
  string,
  {
    readonly files: Record<string, string>;
    readonly work: (it: Swap) => Promise<void>;
    readonly session: Record<string, string>;
    readonly outside: Record<string, string>;
    readonly takes: readonly string[];
  }
> = {
  "a file that is moved below its own name": {
    files: { x: "one\n" },
    work: async (it) => {
      writeFileSync(join(it.dir, "x"), PERSON);
      await move(it, "x", "x/y");
    },
    session: { "x/y": "one\n" },
    outside: { x: PERSON },
    takes: ["x", "x/y"],
  },
  "a file that is deleted and a directory made in its place": {
    files: { x: "one\n" },
    work: async (it) => {
      writeFileSync(join(it.dir, "x"), PERSON);
      await it.as("ann").call("delete_file", { path: "x" });
      await put(it.as("ann"), "x/y", "agent\n");
      await put(it.as("ann"), "x/z/1", "more\n");
    },
    session: { "x/y": "agent\n", "x/z/1": "more\n" },
    outside: { x: PERSON },
    takes: ["x", "x/y", "x/z/1"],
  },
  "a directory that becomes a file": {
    files: { "x/y": "one\n", "x/z": "two\n" },
    work: async (it) => {
      writeFileSync(join(it.dir, "x/y"), PERSON);
      writeFileSync(join(it.dir, "x/new"), "new\n");
      await it.as("ann").call("delete_file", { path: "x/z" });
      await move(it, "x/y", "t");
      await move(it, "t", "x");
    },
    session: { x: "one\n" },
    outside: { "x/new": "new\n", "x/y": PERSON },
    takes: ["x", "x/y"],
  },
  "a new file where the session has a new directory": {
    files: {},
    work: async (it) => {
      writeFileSync(join(it.dir, "x"), PERSON);
      await put(it.as("ann"), "x/y", "agent\n");
    },
    session: { "x/y": "agent\n" },
    outside: { x: PERSON },
    takes: ["x/y"],
  },
  "a file that the session edits and a directory replaces": {
    files: { x: "one\n" },
    work: async (it) => {
      rmSync(join(it.dir, "x"));
      mkdirSync(join(it.dir, "x"));
      writeFileSync(join(it.dir, "x/y"), PERSON);
      await put(it.as("ann"), "x", "agent\n");
    },
    session: { x: "agent\n" },
    outside: { "x/y": PERSON },
    takes: ["x"],
  },
  "a name that changes its case": {
    files: { X: "one\n" },
    work: async (it) => {
      writeFileSync(join(it.dir, "X"), PERSON);
      await move(it, "X", "x");
    },
    session: { x: "one\n" },
    outside: { X: PERSON },
    takes: ["X"],
  },
};

describe("a side that is taken settles", () => {
  for (const [what, { files, work, takes, ...sides }] of Object.entries(SWAPS))
    test(`[HOST-115] ${what}`, async () => {
      for (const side of ["outside", "session"] as const)
        for (const path of takes) {
          const it = await withFiles({ k: "k\n", ...files });
          const { session, dir } = it;
          await work(it);
          const named = (await session.sync()).diverged;
          expect(named.map((one) => one.path)).toEqual(
            expect.arrayContaining(takes.map((one) => `/workspace/${one}`)),
          );
          expect(named.every(({ inTheWay }) => inTheWay !== undefined)).toBe(true);
          const report = await session.sync({ take: { [path]: side } });
          expect(report).toMatchObject({ diverged: [], skipped: [] });
          await session.settled();
          expect(onDisk(dir)).toEqual({ k: "k\n", ...sides[side] });
          expect(await inSession(session)).toEqual(onDisk(dir));
          expect(await session.sync()).toMatchObject({ created: [], changed: [], deleted: [], diverged: [] });
          const texts = await insertedTexts(it.store, session.id);
          for (const text of Object.values(sides.outside)) expect(texts).toContain(text.split("\n").at(-2));
          await session.close();
        }
    });

  test("[HOST-115] of paths of which only one can be a file, both sides are not taken", async () => {
    const it = await withFiles({ x: "one\n" });
    await SWAPS["a file that is moved below its own name"]?.work(it);
    await it.session.sync();
    const { seq } = it.session.at;
    const refused = await errorOf(it.session.sync({ take: { x: "outside", "x/y": "session" } }));
    expect([refused.code, refused.reason]).toEqual(["invalid_argument", "bad_take"]);
    expect(it.session.at.seq).toBe(seq);
    await it.session.close();
  });
});
