// Owns: `npm run build`: the JSON kernel, the declarations by tsc, the JavaScript by `_bundle.ts`, then data and the list of the tools.
// Must never: publish what does not pass the compiler.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { bundle } from "./_bundle.ts";
import { ROOT, run } from "./_command.ts";

const KERNEL_SCRIPT = path.join(ROOT, "scripts", "build-kernel.ts");

async function step(command: string): Promise<void> {
  const { code } = await run(command);
  if (code !== 0) process.exit(code);
}

if (existsSync(KERNEL_SCRIPT)) await step("tsx scripts/build-kernel.ts");
if (!process.argv.includes("--kernel")) {
  rmSync(path.join(ROOT, "dist"), { recursive: true, force: true });
  await step("tsc -p tsconfig.build.json");
  mkdirSync(path.join(ROOT, ".build"), { recursive: true });
  await bundle(ROOT);
  copyData();
  await step("tsx scripts/build-catalogue.ts");
  const main = path.join(ROOT, "dist", "cli", "main.js");
  if (existsSync(main)) chmodSync(main, 0o755);
}

/** JSON Schemas and other data that live beside the code are published beside it. */
function copyData(): void {
  for (const name of readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".json") || name.split(path.sep).includes("kernel")) continue;
    const target = path.join(ROOT, "dist", name);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(path.join(ROOT, "src", name), target);
  }
}
