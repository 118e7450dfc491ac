import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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
  "test/tools/limits-in-use.test.ts",
];

const LONG = process.env["HOLDFAST_LONG"] === "1";
/** What takes longest at full size, the longest first: nothing should be left to run alone at the end. */
const LONGEST = [
  "test/store/crash.test.ts",
  "test/host/live-hostile.test.ts",
  "test/host/land-cut.test.ts",
  "test/host/work-directory-hostile.test.ts",
  "test/host/refresh-killed.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(path));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    globalSetup: ["test/children.ts"],
    // More than there are cores: some tests mostly wait, for a lease to run out or a file to rest; at full size most of the time.
    maxWorkers: availableParallelism() + (LONG ? 3 : 1),
    ...(LONG ? { sequence: { sequencer: LongestFirst } } : {}),
    // At full size a property of a second takes a minute or more.
    testTimeout: LONG ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    // What is built is loaded as it is.
    server: { deps: { external: [/\/\.build\//] } },
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
        // At full size loading the sources costs nothing beside the tests.
        test: { name: "shared", include: SHARED, exclude: STUBBING, isolate: LONG },
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
