import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**", "test/frameworks/**"],
    setupFiles: ["test/seed.ts"],
    // Vitest leaves one core free, which on two cores means one test file at a time.
    maxWorkers: availableParallelism(),
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
