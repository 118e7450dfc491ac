// Owns: the package as users install it: packed, put into an empty folder under every supported line of Node, with and without optional
// dependencies, and used as a library, as an MCP server and on the command line. Needs the registry.
// Must never: use anything of the checkout but the tarball.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT, run } from "./_command.ts";
import type { Count } from "./_count.ts";

/** Lines of Node that are tried. */
export const NODE_LINES: readonly string[] = ["20", "22", "24", "26"];

const NODES = path.join(ROOT, ".build", "nodes");
const CHECKS = path.join(ROOT, "test", "package");

/** Packs, installs and tries the package; prints a line for each folder. */
export async function testPackage(lines: readonly string[] = NODE_LINES): Promise<Count> {
  const scratch = mkdtempSync(path.join(tmpdir(), "holdfast-package-"));
  try {
    const packed = await run(`npm pack --loglevel=error --pack-destination "${scratch}"`, { quiet: true });
    const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
    if (packed.code !== 0 || tarball === undefined) return failure(`npm pack: ${packed.output.trim()}`);
    const counts = { passed: 0, failed: [] as string[], skipped: [] as string[] };
    for (const line of lines)
      for (const omit of ["", "--omit=optional"]) {
        const name = `package on Node ${line}${omit === "" ? "" : ` ${omit}`}`;
        const problem = await tryOn(
          line,
          omit,
          path.join(scratch, tarball),
          path.join(scratch, `${line}${omit}`),
        );
        if (problem === undefined) counts.passed++;
        else counts.failed.push(name);
        console.log(
          `${problem === undefined ? "  ok  " : "FAILED"} ${name}${problem === undefined ? "" : `\n${problem}`}`,
        );
      }
    return counts;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What went wrong, or undefined. */
async function tryOn(
  line: string,
  omit: string,
  tarball: string,
  folder: string,
): Promise<string | undefined> {
  const bin = await nodeOf(line);
  if (bin === undefined) return `Node ${line} cannot be installed`;
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const env = { PATH: [bin, process.env["PATH"] ?? ""].join(path.delimiter) };
  const how = { cwd: folder, quiet: true, env };
  const installed = await run(`npm install --no-audit --no-fund ${omit} "${tarball}"`, how);
  if (installed.code !== 0) return installed.output;
  const { packages, bytes } = sizeOf(path.join(folder, "node_modules"));
  console.log(`       Node ${line} ${omit}: ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB installed`);
  cpSync(CHECKS, folder, { recursive: true });
  const tried = await run("node --test --test-reporter=tap", {
    ...how,
    env: { ...env, HOLDFAST_EXPECT_STORE: line === "20" && omit !== "" ? "missing" : "there" },
  });
  return tried.code === 0 && /^# pass [1-9]/m.test(tried.output) ? undefined : tried.output;
}

/** The directory with the binary of a line of Node, which is fetched once. */
async function nodeOf(line: string): Promise<string | undefined> {
  const folder = path.join(NODES, line);
  const bin = path.join(folder, "node_modules", "node", "bin");
  if (!existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
    const { code, output } = await run(`npm install --no-audit --no-fund --prefix "${folder}" node@${line}`, {
      quiet: true,
    });
    if (code !== 0) console.log(output);
  }
  return existsSync(bin) ? bin : undefined;
}

/** Packages in a folder of modules, and the bytes of their files. */
export function sizeOf(modules: string): { readonly packages: number; readonly bytes: number } {
  let packages = 0;
  let bytes = 0;
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const below = path.relative(modules, entry.parentPath).split(path.sep);
    const owner = below.slice(below.lastIndexOf("node_modules") + 1);
    if (entry.name === "package.json" && owner.length === (owner[0]?.startsWith("@") === true ? 2 : 1))
      packages++;
    bytes += statSync(path.join(entry.parentPath, entry.name)).size;
  }
  return { packages, bytes };
}

function failure(what: string): Count {
  return { passed: 0, failed: [`package: ${what}`], skipped: [] };
}
