// Builds the JSON kernels: src/json/kernel/*.as.ts -> src/json/scan/kernel.gen.ts, a module that holds the WebAssembly
// binary as base64, unless they are what that module was made from. Run it before type checks, tests and builds: npx tsx scripts/build-kernel.ts

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "src/json/scan/kernel.gen.ts");
// The last line, so that a file which was cut off is made again.
const made = `// Made from what hashes to ${await inputs()}.\n`;
if (!existsSync(target) || !(await readFile(target, "utf8")).endsWith(made)) await compile();

/** What the binary depends on: the sources, the compiler, and how this file calls it. */
async function inputs(): Promise<string> {
  const kernel = join(root, "src/json/kernel");
  const sources = (await readdir(kernel)).toSorted().map((name) => join(kernel, name));
  const hash = createHash("sha256");
  for (const file of [
    ...sources,
    join(root, "node_modules/assemblyscript/package.json"),
    import.meta.filename,
  ])
    hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

async function compile(): Promise<void> {
  // The compiler's own types declare another console for the whole program, so they are kept out of it.
  const compiler: string = "assemblyscript/asc";
  const { main } = (await import(compiler)) as {
    readonly main: (args: readonly string[], options?: object) => Promise<{ readonly error: Error | null }>;
  };
  const scratch = await mkdtemp(join(tmpdir(), "holdfast-kernel-"));
  try {
    const binary = join(scratch, "kernel.wasm");
    // Memory is fixed: growth would detach the views of it. 80 pages hold the layout of kernel/layout.as.ts.
    const { error } = await main([
      join(root, "src/json/kernel/index.as.ts"),
      "--outFile",
      binary,
      "--runtime",
      "stub",
      "--noAssert",
      "-O3",
      "--enable",
      "simd,bulk-memory",
      "--initialMemory",
      "80",
      "--maximumMemory",
      "80",
      "--use",
      "abort=",
    ]);
    if (error !== null) throw new Error(`AssemblyScript: ${error.message}`);
    const bytes = await readFile(binary);
    await writeFile(
      target,
      `// Made by scripts/build-kernel.ts from src/json/kernel. Do not edit.\n\nexport const KERNEL: string =\n  "${bytes.toString("base64")}";\n\n${made}`,
    );
    console.log(`src/json/scan/kernel.gen.ts: ${bytes.length} bytes of WebAssembly`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
