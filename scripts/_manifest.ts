// Owns: what package.json must say about the doors of the package: `exports` and `bin`, derived from the source tree.
// Must never: open a door to a room that is not there yet.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

export type Target = string | { readonly types: string; readonly default: string };

export interface Doors {
  readonly exports: Readonly<Record<string, Target>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** The rooms a user may import, in the order of the layers. The rest (session, host, cli, ...) are reached through them. */
const PUBLIC_ROOMS = [
  "path",
  "text",
  "json",
  "patch",
  "gates",
  "tree",
  "store",
  "tools",
  "mcp",
  "http",
] as const;

/** Frameworks that have a bridge: each is a door of its own. */
const BRIDGES = ["ai-sdk", "anthropic", "langchain", "mastra", "openai"] as const;

/** The doors that the sources under `root` call for. */
export function doorsOf(root: string): Doors {
  const has = (file: string): boolean => existsSync(path.join(root, "src", file));
  const exports: Record<string, Target> = {};
  const open = (door: string, source: string): void => {
    if (!has(`${source}.ts`)) return;
    exports[door] = { types: `./dist/${source}.d.ts`, default: `./dist/${source}.js` };
  };
  open(".", "index");
  for (const room of PUBLIC_ROOMS) {
    open(`./${room}`, `${room}/index`);
    if (room === "json") {
      open("./json/host", "host/json/index");
    }
    if (room === "tree") open("./tree/operations", "tree/operations");
    const schema = has(room)
      ? readdirSync(path.join(root, "src", room)).find((file) => file.endsWith(".schema.json"))
      : undefined;
    if (schema !== undefined) exports[`./${room}/schema.json`] = `./dist/${room}/${schema}`;
  }
  for (const bridge of BRIDGES) open(`./${bridge}`, `bridges/${bridge}`);
  exports["./package.json"] = "./package.json";
  return has("cli/main.ts") ? { exports, bin: { holdfast: "./dist/cli/main.js" } } : { exports };
}

/** What package.json says. */
export function doorsInManifest(root: string): Doors {
  const { exports, bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Doors;
  return bin === undefined ? { exports } : { exports, bin };
}

/** Each difference as a sentence; none when the manifest is right. */
export function compareDoors(wanted: Doors, found: Doors): string[] {
  const problems: string[] = [];
  for (const kind of ["exports", "bin"] as const) {
    const want = new Map<string, Target>(Object.entries(wanted[kind] ?? {}));
    const have = new Map<string, Target>(Object.entries(found[kind] ?? {}));
    for (const [door, target] of want)
      if (!have.has(door)) problems.push(`${kind} lacks "${door}", whose source exists`);
      else if (JSON.stringify(have.get(door)) !== JSON.stringify(target))
        problems.push(`${kind} "${door}" should be ${JSON.stringify(target)}`);
    for (const door of have.keys())
      if (!want.has(door)) problems.push(`${kind} names "${door}", which has no source`);
  }
  return problems;
}

/** Files named by the doors that the build did not make. */
export function missingFiles(root: string, doors: Doors): string[] {
  const files = [...Object.values(doors.exports), ...Object.values(doors.bin ?? {})].flatMap((target) =>
    typeof target === "string" ? [target] : [target.types, target.default],
  );
  return files.filter((file) => !existsSync(path.join(root, file)));
}
