// Owns: the bridges against the real frameworks, which live in a folder with a lockfile of its own and need a newer Node than the
// package does. Needs a finished build, and the registry for the first run.
// Must never: pass because something could not be installed; that is a skip with its name, or a failure.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT, run } from "./_command.ts";
import { countTap, type Count } from "./_count.ts";

const FOLDER = path.join(ROOT, "test", "frameworks");
const MODULES = path.join(FOLDER, "node_modules");
const NAME = "the bridges against the real frameworks";
const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

/** Installs the frameworks if they are not, checks the types of the examples as a user's strict project, and runs the tests. */
export async function testFrameworks(long = false): Promise<Count> {
  const missing = await install();
  if (missing !== undefined) return missing;
  const types = await run("tsc -p tsconfig.json", { cwd: FOLDER });
  const tests = await runTests(long);
  return {
    passed: tests.passed + (types.code === 0 ? 1 : 0),
    failed: [...(types.code === 0 ? [] : [`${NAME}: types of a user's project`]), ...tests.failed],
    skipped: tests.skipped,
  };
}

async function install(): Promise<Count | undefined> {
  const lock = readFileSync(path.join(FOLDER, "package-lock.json"), "utf8");
  const installed = path.join(MODULES, ".installed-lock.json");
  if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
    const { code, output } = await run("npm ci --no-audit --no-fund", { cwd: FOLDER, quiet: true });
    if (code !== 0) {
      console.log(output);
      return UNREACHABLE.test(output)
        ? { passed: 0, failed: [], skipped: [`${NAME}: the registry cannot be reached`] }
        : { passed: 0, failed: [`${NAME}: npm ci`], skipped: [] };
    }
    writeFileSync(installed, lock);
  }
  // The package as a user has it: by its name, through its doors. Not a link to the root, which would hold itself.
  const here = path.join(MODULES, "holdfast");
  rmSync(here, { recursive: true, force: true });
  mkdirSync(here);
  copyFileSync(path.join(ROOT, "package.json"), path.join(here, "package.json"));
  symlinkSync(path.join(ROOT, "dist"), path.join(here, "dist"), "junction");
  return undefined;
}

async function runTests(long: boolean): Promise<Count> {
  const scratch = mkdtempSync(path.join(tmpdir(), "holdfast-frameworks-"));
  const report = path.join(scratch, "report.tap");
  try {
    const node = path.join(MODULES, "node", "bin", "node");
    const reporters = `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination="${report}"`;
    const { code } = await run(`"${node}" --test ${reporters} *.test.ts`, {
      cwd: FOLDER,
      env: long ? { HOLDFAST_LONG: "1" } : {},
    });
    return countTap(existsSync(report) ? readFileSync(report, "utf8") : "", code, "test/frameworks");
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
