import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { beforeEach } from "./before-each.ts";
import { inSession, onDisk } from "./directory.ts";
import { insertedTexts } from "./history-texts.ts";
import { live, shown } from "./live-session.ts";

/** Does some work; right before a name is first taken or given meanwhile, something happens. */
async function meanwhile<T>(
  [method, name]: readonly ["rename" | "link", string],
  happens: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let isOnce = true;
  const end = beforeEach(method, (from, _into, as) => {
    if (!isOnce || (method === "rename" ? from : as) !== name) return;
    isOnce = false;
    happens();
  });
  try {
    const result = await work();
    expect(isOnce).toBe(false);
    return result;
  } finally {
    end();
  }
}

test("[HOST-155] a file that is saved while the session puts a directory in its place stays, and so the reverse", async () => {
  for (const [before, after] of [
    ["x", "x/y"],
    ["x/y", "x"],
  ] as const) {
    const it = await live({ k: "k\n", [before]: "one\n" });
    const dir = await it.session.directory();
    rmSync(join(dir, "x"), { recursive: true });
    mkdirSync(join(dir, after, ".."), { recursive: true });
    writeFileSync(join(dir, after), "two\n");
    const name = before === "x" ? "x" : "y";
    const save = (): void => writeFileSync(join(it.folder, before), "one\nperson\n");
    await meanwhile(["rename", name], save, () => it.session.sync());
    expect(shown(it.folder)).toEqual({ k: "k\n", [before]: "one\nperson\n" });
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    await it.session.settled();
    expect(onDisk(dir)).toEqual(shown(it.folder));
    expect(await insertedTexts(it.store, it.session.id)).toContain("two\n");
    await it.session.close();
  }
});

test("[HOST-155] a directory that takes the name of a new file at the last moment stays, and the session has what is there", async () => {
  for (const inside of [{}, { "x/in": "person\n" }]) {
    const it = await live({ k: "k\n" });
    const person = (): void => {
      mkdirSync(join(it.folder, "x"));
      for (const [path, text] of Object.entries(inside)) writeFileSync(join(it.folder, path), text);
    };
    const result = await meanwhile(["link", "x"], person, () =>
      it.as("ann").call<{ diverged?: string[] }>("write_file", {
        path: "x",
        content: "agent\n",
        mode: "create",
      }),
    );
    expect(result.ok && result.value.diverged).toEqual(["/workspace/x"]);
    expect(result.text).toContain("[Warning] /workspace/x");
    expect(await inSession(it.session)).toEqual({ k: "k\n", ...inside });
    expect(shown(it.folder)).toEqual({ k: "k\n", ...inside });
    expect(statSync(join(it.folder, "x")).isDirectory()).toBe(true);
    expect(await insertedTexts(it.store, it.session.id)).toContain("agent\n");
    await it.session.close();
  }
});
