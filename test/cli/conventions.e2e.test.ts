import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { runHere } from "./run-here.ts";
import { program } from "../../src/cli/program.ts";
import { CLI } from "./command.ts";
import { scratch } from "./folder.ts";

function leaves(command: Command, path: readonly string[] = []): (readonly [readonly string[], Command])[] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((below) => leaves(below, [...path, below.name()]));
}

const COMMANDS = leaves(program());

/** Commands whose output is a script, a protocol or a walk to look at. */
const NO_JSON = new Set(["mcp", "tour", "completion"]);

describe("every command", () => {
  test.each(COMMANDS.map(([path, command]) => [path.join(" "), command] as const))(
    "[CLI-18] %s has examples",
    (_name, command) => {
      const isNamed: string[] = [];
      command.configureOutput({ writeOut: (text) => isNamed.push(text) });
      command.outputHelp();
      const help = isNamed.join("");
      expect(help).toMatch(/Examples:\n {2}\S/);
      expect(command.summary()).not.toBe("");
    },
  );

  test("[CLI-17] takes --json, where it prints a result", () => {
    const without = COMMANDS.filter(([, command]) => !command.options.some(({ long }) => long === "--json"));
    expect(without.map(([path]) => path.join(" ")).filter((name) => !NO_JSON.has(name))).toEqual([]);
  });

  test("[CLI-18] the top help lists the exit codes; wrong words get the nearest name", async () => {
    expect((await runHere(["--help"])).out).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
    const command = await runHere(["json", "gte"]);
    expect(command).toMatchObject({ code: 2, out: "" });
    expect(command.err).toMatch(/^\[Error\] unknown command 'gte'\n\(Did you mean get\?\)/);
    expect((await runHere(["json", "get", "--rwa", "a", "$"])).err).toContain("(Did you mean --raw?)");
    const told = await runHere(["json", "get", "a", "--json"]);
    expect(told.code).toBe(2);
    expect(JSON.parse(told.out)).toMatchObject({ ok: false, error: { reason: "usage" } });
  });
});

test("[CLI-15] config prints a client's configuration", async () => {
  for (const client of ["claude-code", "cursor", "claude-desktop"]) {
    const ran = await runHere(["config", client, "."]);
    expect(ran.err).toMatch(/^Put this into /);
    expect(JSON.parse(ran.out)).toMatchObject({
      mcpServers: { holdfast: { command: "npx", args: ["-y", "holdfast", "mcp", process.cwd()] } },
    });
  }
  const vscode = await runHere(["config", "vscode", "--toolsets", "files", "--json"]);
  expect(JSON.parse(vscode.out)).toMatchObject({
    ok: true,
    config: {
      servers: {
        holdfast: {
          type: "stdio",
          args: ["-y", "holdfast", "mcp", "${workspaceFolder}", "--toolsets", "files"],
        },
      },
    },
  });
  const settings = await runHere(["config", "claude-code", "--permissions", "--deny-edits"]);
  const { permissions } = JSON.parse(settings.out) as { permissions: { allow: string[]; deny: string[] } };
  expect(permissions.allow).toContain("mcp__holdfast__read_file");
  expect(permissions.allow).not.toContain("mcp__holdfast__write_file");
  expect(permissions.deny).toContain("Edit");
  expect((await runHere(["config", "emacs"])).code).toBe(2);
  expect((await runHere(["config", "cursor", "--permissions"])).code).toBe(2);
});

test("[CLI-16] completion offers commands, options and choices", async () => {
  const script = await runHere(["completion", "bash"]);
  const complete = (...words: string[]): string[] => {
    const array = words.map((word) => `"${word}"`).join(" ");
    const code = `${script.out}\nCOMP_WORDS=(holdfast ${array}); COMP_CWORD=${words.length}; _holdfast; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", code], { encoding: "utf8" }).stdout.trim().split(" ");
  };
  expect(complete("js")).toEqual(["json"]);
  expect(complete("json", "ge")).toEqual(["get"]);
  expect(complete("json", "get", "--r")).toEqual(["--raw"]);
  expect(complete("config", "cu")).toEqual(["cursor"]);
  expect(complete("mcp", ".", "--role", "")).toEqual(["reader", "editor"]);
  expect(complete("patch", "convert", "--to", "u")).toEqual(["unified"]);
  expect(complete("mcp", "--toolsets", "files,js")).toEqual(["files,json"]);
  expect((await runHere(["completion", "zsh"])).out).toContain("bashcompinit");
  expect((await runHere(["completion", "fish"])).out).toContain("-l role -x -a 'reader editor'");
});

const READS: readonly (readonly string[])[] = [
  ["json", "get", "FILE", "$"],
  ["json", "query", "FILE", "$..*"],
  ["json", "keys", "FILE"],
  ["json", "preview", "FILE"],
  ["json", "validate", "FILE"],
  ["tools"],
  ["config", "cursor"],
  ["completion", "bash"],
];

test.skipIf(!existsSync("/dev/full")).each(READS)(
  "[CLI-6] %s %s says that its output cannot be written",
  async (...words) => {
    const file = join(scratch({ "a.json": '{"a":[1,2]}' }), "a.json");
    const args = words.map((word) => (word === "FILE" ? file : word));
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", `exec "$@" > /dev/full`, "sh", process.execPath, ...CLI, ...args],
      { encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr).toContain("[Error] Standard output cannot be written");
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

test("[CLI-6] a reader that leaves early ends a query in silence", async () => {
  const file = join(
    scratch({ "a.json": JSON.stringify(Array.from({ length: 50_000 }, (_, i) => i)) }),
    "a.json",
  );
  const { stdout, stderr } = spawnSync(
    "sh",
    ["-c", `"$@" | head -n 1`, "sh", process.execPath, ...CLI, "json", "query", file, "$[*]"],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("$[0] = 0\n");
  expect(stderr).toBe("");
});
