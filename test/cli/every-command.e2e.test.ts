// Every command there is, in this process for the shape of its --json, and at full size as a process whose output goes nowhere.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { LONG } from "../effort.ts";
import { CLI } from "./command.ts";
import { scratch } from "./folder.ts";
import { runHere } from "./run-here.ts";

interface Place {
  readonly folder: string;
  readonly store: string;
  readonly id: string;
}

const CONFIG = '{"gate_order":["goal"],"gates":{"goal":{"question":"What for?","required":true}}}';
const ANSWER = '{"summary":"","gates":{"goal":{"raw":"a test"}},"status":{"pass":false}}';

/**
 * The words after each command, with JSON files `doc.json`, `gates.json`, `answer.json` and a patch `p.json` beside the session's files.
 * In this order: later ones see what earlier ones did. `kept`: which session is said by options.
 */
const WORDS: Readonly<Record<string, readonly string[] | { readonly kept: readonly string[] }>> = {
  call: ["list_directory"],
  tools: [],
  config: ["cursor"],
  "json get": ["@doc.json", "$.a"],
  "json query": ["@doc.json", "$..*"],
  "json keys": ["@doc.json"],
  "json preview": ["@doc.json"],
  "json validate": ["@doc.json"],
  "json set": ["@doc.json", "$.a", "2"],
  "json append": ["@doc.json", "$.list", "3"],
  "json merge": ["@doc.json", "$", '{"x":1}'],
  "json delete": ["@doc.json", "$.list"],
  "patch check": ["@p.json", "-C", "@"],
  "patch show": ["@p.json", "-C", "@"],
  "patch convert": ["@p.json", "-C", "@"],
  "patch apply": ["@p.json", "-C", "@", "--dry-run"],
  "patch create": ["@a.txt", "@b.txt"],
  "gates check": ["@gates.json", "@answer.json"],
  "gates prompt": ["@gates.json"],
  "gates extract": ["@answer.json"],
  "session list": [],
  status: { kept: [] },
  diff: { kept: [] },
  run: { kept: ["true"] },
  refresh: { kept: [] },
  "session show": { kept: [] },
  "session log": { kept: [] },
  "session diff": { kept: ["--from", "1"] },
  "session blame": { kept: ["a.txt"] },
  "session verify": { kept: [] },
  "session snapshot": { kept: ["now"] },
  "session directory": { kept: [] },
  "session sync": { kept: [] },
  "session refresh": { kept: [] },
  "session export": { kept: ["@out"] },
  "session fork": { kept: [] },
  "session land": { kept: ["--dry-run"] },
  land: { kept: ["--dry-run"] },
  undo: { kept: ["--dry-run"] },
  "session undo": { kept: [] },
  "session restore": { kept: ["3"] },
  "session reset": { kept: [] },
  "session prune": { kept: ["--before", "3"] },
  "session rm": { kept: [] },
};

/** Commands whose output is a protocol, a script or a walk to look at. */
const NO_JSON = new Set(["mcp", "tour", "completion"]);

function leaves(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((below) => leaves(below, [...path, below.name()]));
}

const DOCUMENT = '{"a":1,"list":[1,2]}';

async function place(): Promise<Place> {
  const folder = scratch({
    "a.txt": "one\n",
    "b.txt": "two\n",
    "doc.json": DOCUMENT,
    "gates.json": CONFIG,
    "answer.json": ANSWER,
    "p.json": '[{"file":"a.txt","line":1,"op":"replace","old":"one","new":"1"}]',
  });
  const store = join(scratch(), "kept");
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work/a.txt"), "one\n");
  const at = ["--store", store, "--folder", join(folder, "work")];
  const edit = JSON.stringify({ path: "a.txt", edits: [{ old_text: "one", new_text: "1" }] });
  expect((await runHere(["call", ...at, "edit_file", edit])).code).toBe(0);
  const list = await runHere(["session", "list", "--store", store, "--json"]);
  const { sessions } = JSON.parse(list.out) as { sessions: { id: string }[] };
  return { folder, store, id: sessions[0]?.id ?? "" };
}

function commandLine(name: string, { folder, store, id }: Place): string[] {
  const words = WORDS[name] ?? [];
  const given = "kept" in words ? [...words.kept, "-s", id, "--store", store] : words;
  const where = name === "session list" ? ["--store", store] : [];
  const named = given.map((word) => (word.startsWith("@") ? join(folder, word.slice(1)) : word));
  return [...name.split(" "), ...where, "--json", ...named];
}

test("[CLI-48] [CLI-17] every command prints one JSON value with ok, and refuses an option that it does not know", async () => {
  const names = leaves(program()).filter((name) => !NO_JSON.has(name));
  expect(Object.keys(WORDS).toSorted()).toEqual(names.toSorted());
  const at = await place();
  for (const name of Object.keys(WORDS)) {
    const { out, code } = await runHere(commandLine(name, at));
    expect({ name, code, lines: out.split("\n").length }).toEqual({ name, code: 0, lines: 2 });
    expect(JSON.parse(out), name).toMatchObject({ ok: true });
  }
  for (const name of names) {
    const wrong = await runHere([...name.split(" "), "--json", "--no-such-option"]);
    expect({ name, code: wrong.code }).toEqual({ name, code: 2 });
    expect(JSON.parse(wrong.out), name).toMatchObject({ ok: false, error: { reason: "usage" } });
  }
});

/** What is done anyway though nobody hears of it leaves nothing for the next one. */
const LAST = new Set(["session rm", "session prune", "session undo"]);

test.skipIf(!existsSync("/dev/full") || !LONG)(
  "[CLI-48] [CLI-6] every command as a process says that its output cannot be written, and ends in silence when its reader leaves",
  async () => {
    const at = await place();
    for (const name of Object.keys(WORDS).filter((one) => !LAST.has(one))) {
      if (name === "session export") continue;
      const args = [...CLI, ...commandLine(name, at)];
      const renew = (): void => writeFileSync(join(at.folder, "doc.json"), DOCUMENT);
      renew();
      const { status, stderr } = spawnSync(
        "sh",
        ["-c", `exec "$@" > /dev/full`, "sh", process.execPath, ...args],
        {
          encoding: "utf8",
        },
      );
      expect({ name, status }).toEqual({ name, status: 1 });
      expect(stderr.match(/^\[Error\] Standard output cannot be written/gm), name).toHaveLength(1);
      renew();
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      let err = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.stdout.destroy();
      const [code] = (await once(child, "close")) as [number | null];
      expect({ name, code, err: /\[Error\]|^\s+at /m.test(err) }).toEqual({ name, code: 0, err: false });
    }
  },
);
