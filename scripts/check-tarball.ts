// Owns: `npm run tarball`: what would be published: the build and the papers, nothing else.

import path from "node:path";
import { ROOT, run } from "./_command.ts";
import { doorsOf } from "./_manifest.ts";

const ALLOWED =
  /^(?:dist\/.+\.(?:js|d\.ts|json)|package\.json|LICENSE|(?:README|AGENTS|CHANGELOG|SECURITY|THREAT_MODEL)\.md)$/u;

const { code, output } = await run("npm pack --dry-run --json --loglevel=error", { quiet: true });
const problems: string[] = [];
const files = new Set<string>();
if (code === 0) {
  // npm may print warnings before the answer.
  const [pack] = JSON.parse(output.slice(output.indexOf("["))) as { files: { path: string }[] }[];
  for (const file of pack?.files ?? []) files.add(file.path);
} else problems.push(`npm pack failed: ${output.trim()}`);

for (const file of files) if (!ALLOWED.test(file)) problems.push(`${file} has no business in the package`);
const { exports, bin } = doorsOf(ROOT);
for (const target of [...Object.values(exports), ...Object.values(bin ?? {})])
  for (const file of typeof target === "string" ? [target] : [target.types, target.default])
    if (!files.has(path.posix.normalize(file))) problems.push(`${file} would not be published`);

for (const problem of problems) console.error(problem);
console.log(`${files.size} files, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
