import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CLI, run, type Ran } from "./command.ts";
import { scratch } from "./folder.ts";

const PROJECT = fileURLToPath(new URL("../../examples/workspace", import.meta.url));
const TMP = mkdtempSync(join(tmpdir(), "holdfast-tour-test-"));
process.once("exit", () => rmSync(TMP, { recursive: true, force: true }));

function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path, readFileSync(path, "latin1")]),
  );
}

describe("the tour", () => {
  let ran: Ran;
  let before: Record<string, string>;
  beforeAll(async () => {
    before = contents(PROJECT);
    ran = await run(["tour"], "", { TMPDIR: TMP });
  });

  test("[CLI-5] runs to its end without a terminal, and writes nothing but a copy that is gone after it", () => {
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
    expect(contents(PROJECT)).toEqual(before);
    expect(readdirSync(TMP)).toEqual([]);
  });

  test("[CLI-5] shows every toolset, a conflict, an undo, a blame and a landing", () => {
    for (const tool of [
      "read_file",
      "set_json_value",
      "apply_patch",
      "select_nodes",
      "submit_gates",
      "undo_changes",
      "blame",
      "request_landing",
    ])
      expect(ran.out).toMatch(new RegExp(`^(ana|ben)> ${tool}\\b`, "m"));
    expect(ran.out).toContain("What shall be better afterwards?");
    expect(ran.out).toContain("PASS: all required gates");
    expect(ran.out).toContain("has changed since");
    expect(ran.out).toContain("[Rebased /workspace/src/price.js onto changes by ana");
    expect(ran.out).toMatch(/Undid record \d+ \(set_json_value/);
    expect(ran.out).toMatch(/1 ben edit_file/);
    expect(ran.out).toMatch(/crlf/i);
    expect(ran.out).toContain('Task name="Round the tax to whole cents"');
    expect(ran.out).toMatch(/\+ {2}"rollout": \{ "percent": 25, "regions": \["north", "south"\] \},/);
    expect(ran.out).toMatch(/Landed 4 files/);
    // One call is refused by the gates, one by the version, and no other.
    expect(ran.out.match(/^ *\[Error\]/gm)).toHaveLength(2);
  });

  test("[CLI-5] fits 80 columns, but for a diff's own lines, and has no colours without a terminal", () => {
    const [tour = ""] = ran.out.split("Now your own folder");
    const long = tour.split("\n").filter((line) => line.length > 80 && !/^ {4}[-+ ]/.test(line));
    expect(long).toEqual([]);
    expect(ran.out).not.toContain("\u001B");
  });

  test("[CLI-5] [CLI-15] ends with a configuration that starts this very server", async () => {
    const json = ran.out.slice(ran.out.indexOf("{\n", ran.out.indexOf("Now your own folder")));
    const { mcpServers } = JSON.parse(json) as {
      mcpServers: { holdfast: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.holdfast;
    expect([command, args[0]]).toEqual(["node", CLI[0]]);
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    const served = spawnSync(process.execPath, args, {
      cwd: scratch({ "a.txt": "a\n" }),
      input: `${JSON.stringify(hello)}\n`,
      encoding: "utf8",
      env: { ...process.env, XDG_DATA_HOME: TMP },
    });
    expect(served.stdout).toContain('"serverInfo"');
  });
});

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

test.skipIf(!hasTmux)(
  "[CLI-5] on a terminal it has colours and waits for Enter; q ends it (needs tmux)",
  async () => {
    const socket = join(scratch(), "tmux");
    const tmux = (...args: string[]): string =>
      execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    const command = `env -u NO_COLOR TERM=screen-256color '${process.execPath}' '${CLI[0] ?? ""}' tour; echo "code $?"; read end`;
    tmux("new-session", "-d", "-x", "80", "-y", "200", command);
    onTestFinished(() => void tmux("kill-server"));
    const shows = async (what: string): Promise<string> => {
      for (let tries = 0; tries < 600; tries++) {
        const screen = tmux("capture-pane", "-p", "-e");
        if (screen.includes(what)) return screen;
        await wait(50);
      }
      throw new Error(`The screen never showed ${what}:\n${tmux("capture-pane", "-p")}`);
    };
    const first = await shows("Enter goes on");
    expect(first).toContain("\u001B[1m1/9  A session");
    expect(first).not.toContain("2/9");
    tmux("send-keys", "Enter");
    await shows("PASS: all required gates");
    tmux("send-keys", "q", "Enter");
    const last = await shows("code 0");
    expect(last).toContain('"mcpServers"');
    expect(last).not.toContain("3/9");
  },
);
