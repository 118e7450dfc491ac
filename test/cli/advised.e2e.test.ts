import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { openFor } from "../../src/cli/session-options.ts";
import { sessionsHere } from "../../src/cli/store-place.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { CLI, type Ran } from "./command.ts";
import { scratch, workedIn } from "./folder.ts";
import { runHere } from "./run-here.ts";

/** Types a line into a shell that knows `holdfast`. */
function typed(line: string, folder: string): string {
  const bin = scratch({ holdfast: `#!/bin/sh\nexec '${process.execPath}' '${CLI.join("' '")}' "$@"\n` });
  chmodSync(join(bin, "holdfast"), 0o755);
  const env = { ...process.env, HOLDFAST_STORE: "", PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return execFileSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" });
}

const NAME = "it's a.txt";

test("[CLI-66] advice can be typed as it is, and means the same session", { timeout: 120_000 }, async () => {
  const folder = scratch({ [NAME]: "1\n" });
  const store = join(scratch(), "it's kept");
  const holdfast = (...args: string[]): Promise<Ran> => runHere(args, "", { HOLDFAST_STORE: "" }, folder);
  const write = (content: string): Promise<void> =>
    workedIn(folder, store, [["ann", "write_file", { path: NAME, content, mode: "upsert" }]]);
  await write("session\n");
  writeFileSync(join(folder, NAME), "outside\n");
  for (const command of [["refresh"], ["land", "--yes"]]) {
    const { code, err } = await holdfast(...command, "--store", store);
    expect(code).toBe(1);
    expect(err).toMatch(/holdfast refresh .*--take '.*=outside' takes/);
  }
  const { err: asked } = await holdfast("refresh", "--store", store);
  typed(
    /holdfast refresh .*=outside\S*(?= takes)/.exec(asked)?.[0].replace("outside'", "session'") ?? "",
    folder,
  );
  const { out: status } = await holdfast("status", "--store", store);
  expect(typed(`${/holdfast land.*(?=\):)/.exec(status)?.[0] ?? ""} --yes`, folder)).toContain("Landed");
  expect(readFileSync(join(folder, NAME), "utf8")).toBe("session\n");

  const list = JSON.parse((await holdfast("session", "list", "--store", store, "--json")).out) as {
    readonly sessions: readonly { readonly id: string }[];
  };
  const id = list.sessions[0]?.id ?? "";
  const { out: directory } = await holdfast("session", "directory", "--store", store);
  writeFileSync(join(directory.trim(), NAME), "directory\n");
  await write("more\n");
  const { err } = await holdfast("session", "sync", "--store", store, "--session", id);
  typed(/holdfast session sync .*(?= takes)/.exec(err)?.[0] ?? "", scratch());
  const { out: other } = await holdfast("status", "--store", store, "-s", id);
  expect(other).toContain(`(holdfast session land --session ${id} --store `);
  expect(typed(`${/holdfast session land.*(?=\):)/.exec(other)?.[0] ?? ""} --as-diff`, scratch())).toContain(
    "+directory",
  );
});

test("[CLI-65] a session of several folders is found from each of them", async () => {
  const base = scratch({ "x/a": "1\n", "y/in/a": "1\n", "z/a": "1\n" });
  const at = (name: string): string => join(base, name);
  const kept = join(scratch(), "kept");
  const open = async (...names: string[]): Promise<string> => {
    const { session, close } = await openFor({ role: "editor", folder: names.map(at), store: kept });
    await close();
    return session.id;
  };
  const both = await open("x", "y");
  const store = sqliteStore({ directory: kept });
  onTestFinished(() => store.close());
  const found = async (name: string): Promise<string | undefined> =>
    (await sessionsHere(store, at(name)))?.meant.id;
  expect([await found("x"), await found("y"), await found("y/in")]).toEqual([both, both, both]);
  expect(await found("z")).toBeUndefined();
  const alone = await open("y");
  expect([await found("x"), await found("y/in")]).toEqual([both, alone]);
  const another = await open("z", "x");
  expect(await found("z")).toBe(another);
  await expect(found("x")).rejects.toThrow(both);
  await expect(found("x")).rejects.toThrow(`${another}. Name one with --session.`);
  expect(await found("y")).toBe(alone);
});
