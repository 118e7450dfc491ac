// Owns: the JavaScript of the package: one file for every door, and chunks of what they share (docs/decisions/0031-chunks.md).
// Must never: take in a dependency, or a file that would look for its neighbours in the wrong place once it is in a chunk.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type BuildOptions, type Metafile } from "esbuild";
import { doorsOf } from "./_manifest.ts";

/** Where a build says which sources each of its files holds, and what that file loads. */
const MAP = path.join(".build", "bundle.json");

const CHUNKS: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  platform: "node",
  packages: "external",
  logLevel: "warning",
};

/** Bundles `src/` of the repository at `root` into `dist/`. */
export async function bundle(root: string): Promise<void> {
  const { metafile } = await build({
    ...CHUNKS,
    absWorkingDir: root,
    entryPoints: entriesOf(root),
    outdir: "dist",
    outbase: "src",
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
  });
  const problems = Object.keys(metafile.inputs).flatMap((file) =>
    placeProblems(file, readFileSync(path.join(root, file), "utf8")),
  );
  if (problems.length > 0) throw new Error(problems.join("\n"));
  writeFileSync(path.join(root, MAP), `${JSON.stringify(metafile)}\n`);
}

/** Bundles other programs of the repository, with what they import of `src/`, into `outdir`, in the folders that they are in. */
export async function bundlePrograms(
  root: string,
  programs: readonly string[],
  outdir: string,
): Promise<void> {
  await build({
    ...CHUNKS,
    absWorkingDir: root,
    entryPoints: [...programs, ...threadsOf(root)],
    outdir,
    outbase: ".",
    chunkNames: "src/chunks/[name]-[hash]",
  });
}

/** Every door, the command, and the threads. */
function entriesOf(root: string): string[] {
  const { exports, bin } = doorsOf(root);
  const doors = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default],
  );
  const built = [...doors, ...Object.values(bin ?? {})];
  return [...built.map((file) => file.replace(/^\.\/dist\/(.*)\.js$/u, "src/$1.ts")), ...threadsOf(root)];
}

/** Threads are started by the names of their files. */
function threadsOf(root: string): string[] {
  return readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("-thread.ts"))
    .map((name) => path.join("src", name));
}

/**
 * A chunk lies in `dist/chunks/`, so what names another file from its own place means the same there only if it lies one folder deep too, and
 * goes up first.
 */
export function placeProblems(file: string, text: string): string[] {
  const named = [...text.matchAll(/new URL\(\s*(["'`])(.*?)\1,\s*import\.meta\.url/gu)];
  if (named.length === 0) return [];
  if (file.split("/").length !== 3)
    return [`${file} names a file from its own place; only files directly in a room may`];
  return named
    .filter(([, , target = ""]) => !target.startsWith("../"))
    .map(([, , target = ""]) => `${file} names ${target}; it must begin with ../, as in ../cli/main.js`);
}

/** The built file that holds the entry `source`, a door or what is imported when it is called. */
export function builtFrom(root: string, source: string): string {
  const [file] =
    Object.entries(readMap(root).outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (file === undefined) throw new Error(`${source} is no entry of the build`);
  return file;
}

/** The sources that a built file holds. */
export function sourcesIn(root: string, built: string): string[] {
  const output = readMap(root).outputs[built];
  if (output === undefined) throw new Error(`${built} is no file of the build`);
  return Object.keys(output.inputs);
}

/** The sources and packages that loading a built file loads. What is imported when it is called is not among them. */
export function loadedBy(root: string, built: string): Set<string> {
  const { outputs } = readMap(root);
  const found = new Set<string>();
  const files = new Set([built]);
  for (const file of files) {
    for (const source of sourcesIn(root, file)) found.add(source);
    for (const { path: next, kind, external } of outputs[file]?.imports ?? [])
      if (kind === "import-statement") (external === true ? found : files).add(next);
  }
  return found;
}

function readMap(root: string): Metafile {
  return JSON.parse(readFileSync(path.join(root, MAP), "utf8")) as Metafile;
}
