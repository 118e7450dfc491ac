// Owns: `npm run tarball`: what would be published: the build and the papers, nothing else, with no link that leads nowhere, and what an
// install of it weighs.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT, run } from "./_command.ts";
import { deadLinks } from "./_links.ts";
import { doorsOf } from "./_manifest.ts";
import { sizeOf } from "./_package.ts";

const ALLOWED =
  /^(?:dist\/.+\.(?:js|d\.ts|json)|docs\/(?:api\/|spec\/)?[\w-]+\.md|examples\/workspace\/.+|package\.json|LICENSE|(?:README|AGENTS|CHANGELOG|SECURITY|THREAT_MODEL)\.md)$/u;

interface Pack {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

// The scripts would build again, which takes its time and removes what other checks read.
const { code, output } = await run("npm pack --dry-run --json --ignore-scripts --loglevel=error", {
  quiet: true,
});
const problems: string[] = [];
let pack: Pack | undefined;
if (code === 0) {
  // npm may print warnings before the answer.
  [pack] = JSON.parse(output.slice(output.indexOf("["))) as [Pack];
} else problems.push(`npm pack failed: ${output.trim()}`);
const files = new Set(pack?.files.map((file) => file.path));

for (const file of files) if (!ALLOWED.test(file)) problems.push(`${file} has no business in the package`);
const { exports, bin } = doorsOf(ROOT);
for (const target of [...Object.values(exports), ...Object.values(bin ?? {})])
  for (const file of typeof target === "string" ? [target] : [target.types, target.default])
    if (!files.has(path.posix.normalize(file))) problems.push(`${file} would not be published`);

for (const file of files)
  if (file.endsWith(".md"))
    for (const link of deadLinks(file, readFileSync(path.join(ROOT, file), "utf8"), files))
      problems.push(`${file} links to ${link}, which would not be published`);

const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string };
const server = JSON.parse(readFileSync(path.join(ROOT, "server.json"), "utf8")) as {
  version: string;
  packages: readonly { version: string }[];
};
for (const { version } of [server, ...server.packages])
  if (version !== manifest.version)
    problems.push(`server.json says ${version}, package.json ${manifest.version}`);

for (const problem of problems) console.error(problem);
if (pack !== undefined) {
  const { packages, bytes } = await dependencies();
  const mb = (count: number): string => `${(count / 1e6).toFixed(1)} MB`;
  console.log(
    `note: the tarball is ${mb(pack.size)}, ${mb(pack.unpackedSize)} unpacked; an install brings ${packages + 1} packages, ${mb(pack.unpackedSize + bytes)}`,
  );
}
console.log(`${files.size} files, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** What is installed beside the package, as far as this system needs it. */
async function dependencies(): Promise<{ readonly packages: number; readonly bytes: number }> {
  const listed = await run("npm ls --omit=dev --all --parseable --loglevel=error", { quiet: true });
  const folders = new Set(
    listed.output.split("\n").filter((line) => line.startsWith(path.join(ROOT, "node_modules"))),
  );
  let [packages, bytes] = [0, 0];
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    packages++;
    bytes += sizeOf(folder).bytes;
  }
  return { packages, bytes };
}
