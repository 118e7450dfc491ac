import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Tests of these rooms make all they use themselves, so that files may share a process: loading the sources anew for each file
// costs more than most tests. The others count descriptors or change what a process has, and get one of their own.
const ROOMS = [
  "bridges",
  "cli",
  "gates",
  "host",
  "json",
  "mcp",
  "patch",
  "path",
  "session",
  "text",
  "tools",
  "tree",
];
const SHARED = ROOMS.map((room) => `test/${room}/**/*.test.ts`);
/** Files of these rooms that stub a global, an environment variable or an output, or load the sources anew. */
const STUBBING = [
  "test/cli/every-command.e2e.test.ts",
  "test/cli/output.test.ts",
  "test/cli/progress.test.ts",
  "test/cli/store-place.test.ts",
  "test/json/broken-reads.property.test.ts",
  "test/json/scanner.test.ts",
];

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    globalSetup: ["test/children.ts"],
    // One more than there are cores: some tests mostly wait, for a lease to run out or a file to rest.
    maxWorkers: availableParallelism() + 1,
    // At full size a property of a second takes a minute or more.
    testTimeout: process.env["HOLDFAST_LONG"] === "1" ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    execArgv: ["--expose-gc"],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/index.ts"],
      reporter: ["text", "html"],
    },
    projects: [
      {
        extends: true,
        test: { name: "shared", include: SHARED, exclude: STUBBING, isolate: false },
      },
      { extends: true, test: { name: "stubbing", include: STUBBING } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["test/**/*.test.ts"],
          exclude: ["test/fixtures/**", "test/frameworks/**", ...SHARED],
        },
      },
    ],
  },
});
