// Owns: `npm run walk -- <what>`: the files and functions that one call visits on the main thread, by V8's own coverage.
// Must never: count what ran before; a call is made once to load and compile, then once more to be looked at.

import { mkdtempSync, rmSync } from "node:fs";
import { Session as Inspector } from "node:inspector/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { editJson, memorySource } from "../src/json/index.ts";
import { sqliteStore } from "../src/store/index.ts";
import { applySplices } from "../src/text/index.ts";
import { openSession } from "../src/tools/index.ts";
import { ROOT } from "./_command.ts";

interface Walk {
  call(n: number): Promise<void>;
  end(): Promise<void>;
}

const WALKS: Readonly<Record<string, () => Promise<Walk>>> = {
  write_file: async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "holdfast-walk-"));
    const store = sqliteStore({ directory });
    const session = await openSession({ store, id: "walk", toolsets: ["all"] });
    const agent = session.as({ id: "walker", role: "editor" });
    return {
      call: async (n) => {
        const result = await agent.call("write_file", { path: `${n}.txt`, content: "hello\n" });
        if (!result.ok) throw new Error(result.text);
      },
      end: async () => {
        await session.close();
        await store.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
  json_set: async () => ({
    call: async (n) => {
      const bytes = new TextEncoder().encode('{\n  "name": "app",\n  "rollout": { "percent": 10 }\n}\n');
      const { splices } = editJson(memorySource(bytes), [{ op: "set", path: "$.rollout.percent", value: n }]);
      applySplices(bytes, splices);
    },
    end: async () => {},
  }),
};

const name = process.argv[2] ?? "";
const begin = Object.hasOwn(WALKS, name) ? WALKS[name] : undefined;
if (begin === undefined) {
  console.error(`Say what to walk through: npm run walk -- ${Object.keys(WALKS).join(" | ")}`);
  process.exit(2);
}

const walk = await begin();
for (let n = 0; n < 3; n++) await walk.call(n);
const inspector = new Inspector();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await inspector.post("Profiler.takePreciseCoverage");
await walk.call(3);
const { result } = await inspector.post("Profiler.takePreciseCoverage");
inspector.disconnect();
await walk.end();

const files = new Map<string, string[]>();
for (const { url, functions } of result) {
  if (!url.startsWith("file:")) continue;
  const file = path.relative(ROOT, fileURLToPath(url));
  if (!file.startsWith("src")) continue;
  const visited = functions.filter(
    ({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0,
  );
  const names = visited.map(({ functionName }) => functionName).filter((one) => one !== "__name");
  if (names.length > 0) files.set(file, [...new Set(names)]);
}
let functions = 0;
for (const [file, names] of [...files].sort(([a], [b]) => a.localeCompare(b))) {
  functions += names.length;
  console.log(`${file} (${names.length}): ${names.join(", ")}`);
}
console.log(`\n${name} visits ${functions} functions in ${files.size} files on the main thread`);
