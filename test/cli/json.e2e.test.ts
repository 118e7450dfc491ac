import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "./command.ts";
import { runHere } from "./run-here.ts";

import { scratch } from "./folder.ts";

const DOCUMENT =
  '{\r\n  "name": "a\\u0020b", // note\r\n  "big": 12345678901234567890,\r\n  "list": [1, 2.50]\r\n}\r\n';

test("[CLI-11] get prints values as they are written, of a file and of a pipe", async () => {
  const file = join(scratch({ "a.jsonc": DOCUMENT }), "a.jsonc");
  expect(await run(["json", "get", file, "$.big"])).toEqual({
    code: 0,
    out: "12345678901234567890\n",
    err: "",
  });
  expect((await run(["json", "get", file, "$.name"])).out).toBe('"a\\u0020b"\n');
  expect((await run(["json", "get", "--raw", "-", "$.name"], DOCUMENT)).out).toBe("a b\n");
  expect((await run(["json", "get", file, "$.list[*]"])).out).toBe("1\n2.50\n");
  const json = await run(["json", "get", file, "$.list[*]", "--json"]);
  expect(json.out).toBe(
    '{"ok":true,"matches":[{"path":"$[\'list\'][0]","value":1},{"path":"$[\'list\'][1]","value":2.50}]}\n',
  );
  const missing = await run(["json", "get", file, "$.nmae"]);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.err).toContain('has no key "nmae"');
});

test("[CLI-11] [CLI-17] query, keys, preview and validate", async () => {
  const folder = scratch({ "a.jsonc": DOCUMENT, "bad.json": '{"a": 1,}' });
  const file = join(folder, "a.jsonc");
  expect((await runHere(["json", "query", file, "$.list[*]", "--limit", "1"])).out).toBe(
    "$['list'][0] = 1\n",
  );
  const long = '{\r\n  "big": 12345678901234567890\r\n}';
  expect((await runHere(["json", "query", "-", "$"], long)).out).toBe(
    '$ = { "big": 12345678901234567890 }\n',
  );
  expect((await runHere(["json", "keys", file])).out).toBe("name\tstring\nbig\tnumber\nlist\tarray\n");
  const keys = await runHere(["json", "keys", file, "--json"]);
  expect(JSON.parse(keys.out)).toMatchObject({ ok: true, kind: "object", total: 3 });
  expect((await runHere(["json", "keys", "-"], "[1]")).err).toBe("$ is an array with 1 item\n");
  expect((await runHere(["json", "keys", "-"], "null")).err).toBe("$ is null, it has no keys\n");
  expect((await runHere(["json", "preview", file, "$.list", "--items", "1"])).out).toContain("(1 more item)");
  expect((await runHere(["json", "validate", file])).out).toContain("valid JSONC (object");
  const bad = await runHere(["json", "validate", file, join(folder, "bad.json")]);
  expect(bad.code).toBe(1);
  expect(bad.err).toMatch(/bad\.json:1:9: Invalid JSON at line 1, column 9/);
  const told = await runHere(["json", "validate", "-", "--json"], "[1");
  expect(told.code).toBe(1);
  expect(JSON.parse(told.out)).toMatchObject({ ok: false, files: [{ file: "-", valid: false, line: 1 }] });
});

test("[JREAD-24] keys says which keys no path can name", async () => {
  const keys = await runHere(["json", "keys", "-"], String.raw`{"\ud800": 1, "b": 2}`);
  expect(keys).toMatchObject({ code: 0, out: String.raw`"\ud800"` + "\tnumber\nb\tnumber\n" });
  expect(keys.err).toContain("[Warning] 1 key holds half of a surrogate pair");
});

test("[CLI-12] edits change one place of the file, and nothing else", async () => {
  const file = join(scratch({ "a.jsonc": DOCUMENT }), "a.jsonc");
  const set = await runHere(["json", "set", file, "$.list[1]", "3"]);
  expect(set).toEqual({ code: 0, out: `Updated $.list[1] = 3 in ${file}\n`, err: "" });
  expect(readFileSync(file, "utf8")).toBe(DOCUMENT.replace("2.50", "3"));
  expect((await runHere(["json", "set", file, "$.list[1]", "2.50"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(DOCUMENT);
  const text = await runHere(["json", "set", file, "$.name", "hello"]);
  expect(text).toMatchObject({ code: 2, out: "" });
  expect(text.err).toContain("--string");
  expect((await runHere(["json", "set", file, "$.name", "--string", "hello"])).code).toBe(0);
  expect((await runHere(["json", "append", file, "$.list", "-"], "9")).out).toContain("now 3 items");
  const merged = await runHere(["json", "merge", file, "$", '{"x":1,"y":2}', "--json"]);
  expect(JSON.parse(merged.out)).toMatchObject({
    ok: true,
    changed: true,
    reports: [{ op: "merge", count: 2 }],
  });
  expect((await runHere(["json", "delete", file, "$.big"])).out).toBe(`Deleted $.big from ${file}\n`);
  const gone = await runHere(["json", "delete", file, "$.big", "--json"]);
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.out)).toMatchObject({
    ok: false,
    error: { code: "not_found", reason: "path_not_found" },
  });
});

test("[CLI-12] a pipe gets the edited document; --out and --dry-run leave the file alone", async () => {
  const folder = scratch({ "a.json": '{"a":1}\n' });
  const [file, other] = [join(folder, "a.json"), join(folder, "b.json")];
  expect(await runHere(["json", "set", "-", "$.a", "2"], '{"a":1}\n')).toEqual({
    code: 0,
    out: '{"a":2}\n',
    err: "",
  });
  expect((await runHere(["json", "set", file, "$.a", "2", "--out", "-"])).out).toBe('{"a":2}\n');
  expect((await runHere(["json", "set", file, "$.a", "2", "--out", other])).code).toBe(0);
  expect(readFileSync(other, "utf8")).toBe('{"a":2}\n');
  const dry = await runHere(["json", "set", file, "$.a", "2", "--dry-run"]);
  expect(dry.out).toBe('@@ -1 +1 @@\n-{"a":1}\n+{"a":2}\n');
  expect(readFileSync(file, "utf8")).toBe('{"a":1}\n');
  const both = await runHere(["json", "set", "-", "$.a", "-"], "1");
  expect(both).toMatchObject({ code: 2, out: "" });
});

test("[CLI-12] [CLI-6] --out writes into a pipe and through a link, and says when the disk is full", async () => {
  const folder = scratch({ "a.json": '{"a":1}\n', "b.json": "" });
  const at = (name: string): string => join(folder, name);
  const set = ["json", "set", at("a.json"), "$.a", "2", "--out"];
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", at("pipe")]);
  const reader = readFile(at("pipe"), "utf8");
  expect((await runHere([...set, at("pipe")])).code).toBe(0);
  expect(await reader).toBe('{"a":2}\n');
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  symlinkSync("b.json", at("link.json"));
  expect((await runHere([...set, at("link.json")])).code).toBe(0);
  expect(readFileSync(at("b.json"), "utf8")).toBe('{"a":2}\n');
  expect(lstatSync(at("link.json")).isSymbolicLink()).toBe(true);
  if (existsSync("/dev/full"))
    expect(await runHere([...set, "/dev/full"])).toEqual({
      code: 1,
      out: "",
      err: "[Error] /dev/full: There is no room left on the disk.\n",
    });
});
