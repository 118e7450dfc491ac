// Builds the JSON kernels: src/json/kernel/*.as.ts -> src/json/scan/kernel.gen.ts, a module that holds the WebAssembly
// binary as base64. Run it before type checks, tests and builds: npx tsx scripts/build-kernel.ts

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// The compiler's own types declare another console for the whole program, so they are kept out of it.
const compiler: string = "assemblyscript/asc";
const { main } = (await import(compiler)) as {
  readonly main: (args: readonly string[], options?: object) => Promise<{ readonly error: Error | null }>;
};

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "src/json/scan/kernel.gen.ts");
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
    `// Made by scripts/build-kernel.ts from src/json/kernel. Do not edit.\n\nexport const KERNEL: string =\n  "${bytes.toString("base64")}";\n`,
  );
  console.log(`src/json/scan/kernel.gen.ts: ${bytes.length} bytes of WebAssembly`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
