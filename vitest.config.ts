import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**", "test/frameworks/**"],
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
  },
});
