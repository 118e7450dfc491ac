import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { childProgram } from "../children.ts";
import {
  editJsonFileSteps,
  editJsonFile,
  type HostFile,
  openHostFile,
  spliceFileSteps,
} from "../../src/host/json/index.ts";
import { editJson, getJson, type JsonEdit, JsonIndexes, memorySource } from "../../src/json/index.ts";
import type { ByteSource } from "../../src/text/byte-source.ts";
import type { Splice } from "../../src/text/splice.ts";
import { runNow } from "../../src/text/steps.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-host-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function put(text: string, name = "doc.json"): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  // As if it had been written a minute ago.
  const then = Date.now() / 1000 - 60;
  utimesSync(path, then, then);
  return path;
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return `${error.code} / ${error.reason}`;
    throw error;
  }
  return "no error";
}

/** Above the size from which a first look is validated while it is copied. */
const LARGE = `{"head": 1, "records": [${Array.from({ length: 30_000 }, (_, i) => `{"id": ${i}, "text": "räcord ${i}"}`).join(",\n")}], "tail": [1, 2, 3]}\n`;

function finish<T>(steps: Generator<undefined, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same file; `heard` is told how many bytes each read got. */
function listening(file: HostFile, heard: (bytes: number) => void): HostFile {
  const { fd, stat, size, id } = file;
  return {
    fd,
    stat,
    size,
    id,
    read(at, into, offset, length) {
      const got = file.read(at, into, offset, length);
      heard(got);
      return got;
    },
    unchanged: () => file.unchanged(),
    close: () => file.close(),
  };
}

describe("a host file as a source", () => {
  test("[JSON-120] has an id that changes with size or time and stays otherwise", () => {
    const path = put("[1, 2]");
    const id = (): string => {
      const file = openHostFile(path);
      file.close();
      return file.id;
    };
    const first = id();
    expect(id()).toBe(first);
    const then = Date.now() / 1000 - 30;
    utimesSync(path, then, then);
    expect(id()).not.toBe(first);
    put("[1, 2, 3]");
    expect(id()).not.toBe(first);
  });

  test("[JSON-120] gives a file changed a moment ago an id of its own each time", () => {
    const path = join(folder, "young.json");
    writeFileSync(path, "[]");
    const [one, two] = [openHostFile(path), openHostFile(path)];
    expect(one.id).not.toBe(two.id);
    one.close();
    two.close();
  });

  test("[JSON-120] refuses what is no file, without naming the host's path", () => {
    expect(reasonOf(() => openHostFile(folder))).toBe("invalid_argument / not_a_file");
    expect(reasonOf(() => openHostFile(join(folder, "none")))).toBe("not_found / no_such_file");
    try {
      openHostFile(join(folder, "none"));
    } catch (error) {
      expect((error as Error).message).not.toContain(folder);
    }
  });

  test("[JSON-132] a closed file is not read again, and closing it twice closes no other", () => {
    const [one, two] = [put('{"v": "one"}'), join(folder, "two.json")];
    writeFileSync(two, '{"v": "two"}');
    const closed = openHostFile(one);
    closed.close();
    const other = openHostFile(two);
    expect(reasonOf(() => getJson(closed, "$.v"))).toBe("invalid_argument / file_closed");
    expect(reasonOf(() => closed.unchanged())).toBe("invalid_argument / file_closed");
    closed.close();
    expect(getJson(other, "$.v")).toMatchObject({ value: { text: '"two"' } });
    other.close();
  });

  test("[JSON-133] writes to another path also when nothing changes", () => {
    const path = put('{"a": 1}\n');
    const to = join(folder, "copy.json");
    editJsonFile(path, [{ op: "set", path: "$.a", value: 1 }], { to });
    expect(readFileSync(to, "utf8")).toBe('{"a": 1}\n');
  });

  test("[JSON-133] a pipe or directory at the other path is refused and stays", () => {
    const file = put("{}");
    const pipe = join(folder, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", pipe]);
    for (const to of [pipe, folder])
      expect(() => editJsonFile(file, [{ op: "set", path: "$.a", value: 1 }], { to })).toThrow(
        "not a regular file",
      );
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  test("[JSON-128] says that the file changed when it was cut", () => {
    const path = put(LARGE);
    const file = openHostFile(path);
    truncateSync(path, 1000);
    expect(reasonOf(() => file.read(500_000, new Uint8Array(10), 0, 10))).toBe("conflict / file_changed");
    file.close();
  });
});

describe("an edit of a host file", () => {
  test("[JSON-121] [JSON-122] changes the value and no other byte, small and large", () => {
    for (const text of ['{\r\n\t"a": 1.0,\r\n\t"tail": [1, 2]\r\n}', LARGE]) {
      const path = put(text);
      const inode = statSync(path).ino;
      const result = editJsonFile(path, [{ op: "set", path: "$.tail[1]", value: { x: "ü" } }]);
      const [splice] = result.splices;
      const bytes = Buffer.from(text);
      const whole = Buffer.concat([
        bytes.subarray(0, splice?.at),
        Buffer.from('{"x": "ü"}'),
        bytes.subarray((splice?.at ?? 0) + (splice?.remove ?? 0)),
      ]);
      expect(readFileSync(path).equals(whole)).toBe(true);
      expect(statSync(path).ino).not.toBe(inode);
      expect(readdirSync(folder)).toEqual(["doc.json"]);
    }
  });

  test("[JSON-131] says by name why it cannot write, without a host path, and leaves nothing behind", () => {
    for (const text of ['{"head": 1}', LARGE]) {
      const path = put(text);
      const write = (to: string): HoldfastError => {
        try {
          editJsonFile(path, [{ op: "set", path: "$.head", value: 2 }], { to, indexes: null });
        } catch (error) {
          return error as HoldfastError;
        }
        throw new Error("written");
      };
      mkdirSync(join(folder, "taken", "inside"), { recursive: true });
      expect(write(join(folder, "none", "doc.json"))).toMatchObject({
        code: "not_found",
        reason: "no_such_directory",
        message: "There is no such directory to write to. Nothing was changed.",
      });
      expect(write(join(folder, "taken"))).toMatchObject({ code: "invalid_argument", reason: "not_a_file" });
      expect(readdirSync(folder).toSorted()).toEqual(["doc.json", "taken"]);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  test("[JSON-124] a file that is gone by now was changed by somebody else", () => {
    const path = put('{"head": 1}');
    const file = openHostFile(path);
    rmSync(path);
    const splice: Splice = { at: 9, remove: 1, insert: Uint8Array.of(0x32) };
    expect(reasonOf(() => [...spliceFileSteps(path, file, [splice])])).toBe("conflict / file_changed");
    file.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("[JSON-121] leaves file and folder alone when the document is invalid or the edit is refused", () => {
    const bad = `${LARGE.slice(0, -3)} oops`;
    const path = put(bad);
    expect(reasonOf(() => editJsonFile(path, [{ op: "set", path: "$.head", value: 2 }]))).toBe(
      "invalid_argument / invalid_json",
    );
    expect(readFileSync(path, "utf8")).toBe(bad);
    put(LARGE);
    expect(reasonOf(() => editJsonFile(path, [{ op: "set", path: "$.none.x", value: 2 }]))).not.toBe(
      "no error",
    );
    expect(readFileSync(path, "utf8")).toBe(LARGE);
    expect(readdirSync(folder)).toEqual(["doc.json"]);
  });

  test("[JSON-122] edits a large file with comments as JSONC", () => {
    const text = `// note\n${LARGE}`;
    const path = put(text);
    editJsonFile(path, [{ op: "set", path: "$.head", value: 22 }]);
    expect(readFileSync(path, "utf8")).toBe(text.replace('"head": 1', '"head": 22'));
  });

  test("[JSON-122] applies any list of splices exactly", () => {
    const text = "0123456789".repeat(200_000);
    const bytes = Buffer.from(text);
    const splices: Splice[] = [
      { at: 0, remove: 0, insert: Buffer.from("A") },
      { at: 5, remove: 3, insert: Buffer.from("BBB") },
      { at: 1_048_570, remove: 20, insert: new Uint8Array() },
      { at: 1_500_000, remove: 0, insert: Buffer.from("C".repeat(3_000_000)) },
      { at: 2_000_000, remove: 0, insert: Buffer.from("D") },
    ];
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const splice of splices) {
      parts.push(bytes.subarray(at, splice.at), splice.insert);
      at = splice.at + splice.remove;
    }
    parts.push(bytes.subarray(at));
    for (const through of [false, true]) {
      const path = put(text);
      const file = openHostFile(path);
      // Reads in order, but not to the end: the rest is copied.
      const reader = function* (source: ByteSource): Generator<undefined, boolean, void> {
        const buffer = new Uint8Array(70_000);
        for (let i = 0; i < source.size - 300_000; i += source.read(i, buffer, 0, buffer.length)) yield;
        return true;
      };
      finish(spliceFileSteps(path, file, splices, through ? { through: reader } : {}));
      file.close();
      expect(readFileSync(path).equals(Buffer.concat(parts))).toBe(true);
    }
  });

  test("[JSON-123] keeps the mode", () => {
    const path = put("[1]");
    chmodSync(path, 0o640);
    editJsonFile(path, [{ op: "set", path: "$[0]", value: 2 }]);
    expect(statSync(path).mode & 0o7777).toBe(0o640);
  });

  test("[JSON-124] keeps every edit that returned, of several processes", { timeout: 120_000 }, async () => {
    const path = put('{ "list": [] }');
    const names = ["a", "b", "c", "d"];
    const program = childProgram("host", "appends-json");
    const run = promisify(execFile);
    await Promise.all(names.map((name) => run(process.execPath, [program, path, name, "100"])));
    const { list } = JSON.parse(readFileSync(path, "utf8")) as { list: string[] };
    const wanted = names.flatMap((name) => Array.from({ length: 100 }, (_, n) => `${name} ${n}`));
    expect([...list].sort()).toEqual(wanted.sort());
    expect(readdirSync(folder)).toEqual(["doc.json"]);
  });

  test("[JSON-124] a turn that a killed process left is taken away after a while", () => {
    const path = put("[1]");
    const lock = join(folder, ".doc.json.holdfast-lock");
    mkdirSync(lock);
    const edit = (): string => reasonOf(() => editJsonFile(path, [{ op: "set", path: "$[0]", value: 2 }]));
    expect(edit()).toBe("conflict / file_changed");
    expect(edit()).toBe("conflict / file_changed");
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    expect(edit()).toBe("conflict / file_changed");
    editJsonFile(path, [{ op: "set", path: "$[0]", value: 2 }]);
    expect(readFileSync(path, "utf8")).toBe("[2]");
    expect(readdirSync(folder)).toEqual(["doc.json"]);
  });

  test("[JSON-124] writes nothing when the file changed since it was opened or while it was copied", () => {
    const path = put(LARGE);
    const file = openHostFile(path);
    appendFileSync(path, " ");
    const splices = [{ at: 9, remove: 1, insert: Buffer.from("2") }];
    expect(reasonOf(() => finish(spliceFileSteps(path, file, splices)))).toBe("conflict / file_changed");
    file.close();

    put(LARGE);
    const steps = editJsonFileSteps(path, [{ op: "set", path: "$.head", value: 2 }]);
    const late = openHostFile(path);
    const through = function* (): Generator<undefined, boolean, void> {
      appendFileSync(path, "\n");
      yield;
      return true;
    };
    expect(reasonOf(() => finish(spliceFileSteps(path, late, splices, { through })))).toBe(
      "conflict / file_changed",
    );
    late.close();
    expect(readFileSync(path, "utf8")).toBe(`${LARGE}\n`);
    expect(readdirSync(folder)).toEqual(["doc.json"]);
    expect(finish(steps).sizeAfter).toBe(Buffer.byteLength(LARGE) + 1);
  });

  test("[JSON-125] reads every byte once while it validates and copies", () => {
    const path = put(LARGE);
    const file = openHostFile(path);
    let total = 0;
    const counted = listening(file, (got) => (total += got));
    const through = function* (source: {
      size: number;
      read: HostFile["read"];
    }): Generator<undefined, boolean, void> {
      const window = new Uint8Array(65_536);
      for (let at = 0; at < source.size; at += source.read(at, window, 0, window.length)) yield;
      return true;
    };
    const splices = [{ at: 9, remove: 1, insert: Buffer.from("2") }];
    finish(spliceFileSteps(path, counted, splices, { through }));
    file.close();
    expect(total).toBe(Buffer.byteLength(LARGE));
    expect(readFileSync(path, "utf8")).toBe(LARGE.replace('"head": 1', '"head": 2'));
  });

  test("[JSON-130] makes of a file never seen what any other edit makes of it", () => {
    const items = (n: number): string =>
      Array.from({ length: n }, (_, i) => `{"id": ${i},\r\n "[,{": ["x", {}, []]}`).join(",\n  ");
    const far = `"more": [${items(20_000)}]`;
    const [many, few] = [`[${items(30_000)}]`, `[{"id": "few"},\n {"id": "last"}]`];
    const documents = [
      `{"records": ${many}}`,
      `\ufeff\n{"head": {"a": [1, 2]},\n"records": ${many}, "tail": {"records": 1}}`,
      // The last of duplicate keys counts, however it is spelled and wherever it stands.
      `{"records": ${many},\n"records": ${few}}`,
      `{"records": ${few}, "records": ${many}}`,
      `{"records": ${few}, ${far},\n"rec\\u006frds": ${few}}`,
      `{"records": ${many}, ${far}, "records": {}}`,
      `{"records": ${many}, ${far}, "records": 7}`,
      `{${far}, "records": ${few}}`,
      `{${far}, "records": {"1": {"id": [${items(9_000)}], "id": 0}}}`,
    ];
    const known = (text: string, edit: JsonEdit): unknown => {
      try {
        return editJson(memorySource(Buffer.from(text)), [edit], { indexes: null });
      } catch (error) {
        return HoldfastError.is(error) ? error.reason : error;
      }
    };
    for (const text of documents)
      for (const at of ["$.records[1].id", "$.records[0].new", "$.records[-1]", "$.records[29999].id"]) {
        const path = put(text);
        const edit: JsonEdit = { op: "set", path: at, value: { much: [1, 2, 3] } };
        let seen: unknown;
        try {
          seen = editJsonFile(path, [edit], { indexes: new JsonIndexes(), sync: false });
        } catch (error) {
          seen = HoldfastError.is(error) ? error.reason : error;
        }
        const expected = known(text, edit);
        expect(seen).toEqual(expected);
        const { splices = [] } = expected as { splices?: readonly Splice[] };
        const bytes = Buffer.from(text);
        const parts: Uint8Array[] = [];
        let done = 0;
        for (const splice of splices) {
          parts.push(bytes.subarray(done, splice.at), splice.insert);
          done = splice.at + splice.remove;
        }
        expect(readFileSync(path).equals(Buffer.concat([...parts, bytes.subarray(done)]))).toBe(true);
        expect(readdirSync(folder)).toEqual(["doc.json"]);
      }
  });

  test("[JSON-130] writes nothing when what follows the place is not valid", () => {
    for (const spoiled of [LARGE.replace('"tail": [', '"tail": [,'), LARGE.replace(": 29999", ": 029999")]) {
      const path = put(spoiled);
      const edit = [{ op: "set", path: "$.records[5].id", value: 2 }] as const;
      expect(reasonOf(() => editJsonFile(path, edit))).toBe("invalid_argument / invalid_json");
      expect(readFileSync(path, "utf8")).toBe(spoiled);
      expect(readdirSync(folder)).toEqual(["doc.json"]);
    }
  });

  test("[JSON-130] edits a large file whose comments stand behind the place", () => {
    const path = put(`${LARGE}// end\n`);
    const edit = [{ op: "set", path: "$.records[5].id", value: "five" }] as const;
    expect(editJsonFile(path, edit)).toMatchObject({ mode: "jsonc", reports: [{ line: 6, old: "5" }] });
    expect(readFileSync(path, "utf8")).toBe(`${LARGE.replace('"id": 5,', '"id": "five",')}// end\n`);
  });

  test.skipIf(!existsSync("/proc/thread-self/io"))(
    "[JSON-130] reads the way to the place and then everything once",
    () => {
      // Large enough that the windows around the place do not count.
      const text = LARGE.replace(
        "[",
        `[${`${LARGE.slice(LARGE.indexOf("[") + 1, LARGE.indexOf("]"))},\n`.repeat(9)}`,
      );
      const path = put(text);
      const before = readFileSync("/proc/thread-self/io", "utf8");
      editJsonFile(path, [{ op: "set", path: "$.records[150000].id", value: 2 }], { sync: false });
      const after = readFileSync("/proc/thread-self/io", "utf8");
      const read = (io: string): number => Number(/rchar: (\d+)/.exec(io)?.[1]);
      expect(read(after) - read(before)).toBeLessThan(1.7 * Buffer.byteLength(text));
    },
  );

  test("[JSON-126] follows a symbolic link and leaves it one; refuses hard links unless asked", () => {
    const path = put("[1]");
    const link = join(folder, "link.json");
    symlinkSync("doc.json", link);
    editJsonFile(link, [{ op: "set", path: "$[0]", value: 2 }]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("[2]");

    linkSync(path, join(folder, "twin.json"));
    const edit = [{ op: "set", path: "$[0]", value: 3 }] as const;
    expect(reasonOf(() => editJsonFile(path, edit))).toBe("conflict / hard_links");
    editJsonFile(path, edit, { hardLinks: "break" });
    expect(readFileSync(path, "utf8")).toBe("[3]");
    expect(readFileSync(join(folder, "twin.json"), "utf8")).toBe("[2]");
  });

  test("[HOST-10] writes into the directory it pinned, whatever takes its place meanwhile", () => {
    const inside = join(folder, "inside");
    const other = join(folder, "other");
    for (const path of [inside, other]) mkdirSync(path);
    for (const path of [inside, other]) writeFileSync(join(path, "doc.json"), '{"a":1}');
    const file = openHostFile(join(inside, "doc.json"));
    const swap = function* (): Generator<undefined, boolean, void> {
      renameSync(inside, join(folder, "moved"));
      symlinkSync(other, inside);
      yield;
      return true;
    };
    const splices = [{ at: 5, remove: 1, insert: Uint8Array.of(0x32) }];
    runNow(spliceFileSteps(join(inside, "doc.json"), file, splices, { through: swap }));
    file.close();
    expect(readFileSync(join(folder, "moved", "doc.json"), "utf8")).toBe('{"a":2}');
    expect(readFileSync(join(other, "doc.json"), "utf8")).toBe('{"a":1}');
    expect(readdirSync(other)).toEqual(["doc.json"]);
    expect(readdirSync(join(folder, "moved"))).toEqual(["doc.json"]);
  });

  test("[JSON-127] works the same with and without waiting for the disk", () => {
    for (const sync of [true, false]) {
      const path = put("[1]");
      editJsonFile(path, [{ op: "append", path: "$", value: 2 }], { sync });
      expect(readFileSync(path, "utf8")).toBe("[1, 2]");
    }
  });

  test("[JSON-129] carries what is known over to the new file", () => {
    const path = put(LARGE);
    const indexes = new JsonIndexes();
    editJsonFile(path, [{ op: "set", path: "$.records[100].id", value: -1 }], { indexes });
    const file = openHostFile(path);
    let total = 0;
    const counted = listening(file, (got) => (total += got));
    expect(indexes.get(file.id)?.isValid("json")).toBe(true);
    expect(getJson(counted, "$.records[20000].id", { indexes })).toMatchObject({});
    expect(total).toBeLessThan(200_000);
    file.close();
  });
});
