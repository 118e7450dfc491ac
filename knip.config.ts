import { existsSync } from "node:fs";
import type { KnipConfig } from "knip";

// Dependencies are pinned before the code that needs them, because the set was proven to work together. Each is
// excused only until the file or folder on the right exists; from then on it must be used.
const PINNED_AHEAD: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/client": "test/mcp",
  "@modelcontextprotocol/server": "src/mcp",
  "@types/picomatch": "test/path",
  "agentfs-sdk": "bench/journal.bench.ts",
  commander: "src/cli",
  "css-select": "bench/tree.bench.ts",
  "css-what": "test/tree",
  diff: "bench/patch.bench.ts",
  "fast-check": "test/path",
  immutable: "bench/tree.bench.ts",
  "json-p3": "test/json",
  "jsonc-parser": "bench/json.bench.ts",
  jsonrepair: "bench/gates.bench.ts",
  libsql: "src/store/sqlite",
  "lru-cache": "src/tools",
  mutative: "bench/tree.bench.ts",
  "partial-json": "bench/gates.bench.ts",
  picomatch: "test/path",
  re2js: "src/json",
  "stream-json": "bench/json.bench.ts",
  zod: "src/tools",
};

const config: KnipConfig = {
  entry: [
    "src/index.ts",
    "src/*/index.ts",
    "src/host/*/index.ts",
    "src/tree/operations.ts",
    "src/bridges/{ai-sdk,anthropic,langchain,mastra,openai}.ts",
    "src/cli/main.ts",
    // Started by name, not imported: worker threads and child processes.
    "src/**/*worker.ts",
    "src/**/*thread.ts",
    "bench/_child.ts",
    // Contracts that rooms are built against.
    "src/store/journal.ts",
    "src/text/splice.ts",
    "bench/run.ts",
    "bench/harness.ts",
    "bench/*.bench.ts",
    "scripts/*.ts",
    "examples/**/*.ts",
    "test/**/*.ts",
    "!test/frameworks/**",
  ],
  project: ["{src,bench,scripts,examples,test}/**/*.ts", "*.ts"],
  ignore: ["src/json/kernel/**", "test/fixtures/**", "test/frameworks/**"],
  // Its projects name the tests; the one that runs in an installed package is not among them.
  vitest: { config: ["vitest.config.ts"], entry: ["test/**/*.test.ts"] },
  // Optional programs that tests and benchmarks ask for by name; a missing one is a skip, or fails a benchmark.
  ignoreBinaries: ["jq", "patch", "strace", "mount", "umount", "chattr", "unshare", "setpriv"],
  ignoreExportsUsedInFile: true,
  ignoreDependencies: [
    // Imported by a name in a variable: the one's types would change the whole program, the other has none.
    "assemblyscript",
    "esquery",
    ...Object.keys(PINNED_AHEAD).filter((name) => !existsSync(PINNED_AHEAD[name] ?? "")),
  ],
};

export default config;
