// Owns: `npm run api`: one report of the public surface per entry point, kept in api/, so that a change of the surface
// shows in review, and the API reference in docs/api. `--update` writes both. Fails where a comment leaves unsaid what it must say.
// Needs a finished build.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { unsaid } from "./_api-comments.ts";
import { apiIndex, apiPage, exportsOf, type ApiItem, type Described } from "./_api-reference.ts";
import { ROOT } from "./_command.ts";
import { doorsOf } from "./_manifest.ts";

const update = process.argv.includes("--update");
const reports = path.join(ROOT, "api");
const pages = path.join(ROOT, "docs", "api");
const scratch = path.join(ROOT, ".build", "api");
mkdirSync(reports, { recursive: true });
mkdirSync(pages, { recursive: true });
mkdirSync(scratch, { recursive: true });

const problems: string[] = [];
const expected = new Set<string>();
const reference = new Map<string, string>();
const described: Described = new Map();
const models: ApiItem[] = [];
const doors: { door: string; file: string; exports: number }[] = [];
/** The declarations of all doors. They are compiled once, together. */
const allTypes = Object.values(doorsOf(ROOT).exports).flatMap((target) =>
  typeof target === "string" ? [] : [path.join(ROOT, target.types)],
);
let compilerState: CompilerState | undefined;
for (const [door, target] of Object.entries(doorsOf(ROOT).exports)) {
  if (typeof target === "string") continue;
  const name = door === "." ? "holdfast" : door.slice(2).replaceAll("/", "-");
  expected.add(`${name}.api.md`);
  if (!existsSync(path.join(ROOT, target.types))) {
    problems.push(`${target.types} is not there: run \`npm run build\``);
    continue;
  }
  problems.push(...report(name, target.types));
  const model = JSON.parse(readFileSync(path.join(scratch, `${name}.api.json`), "utf8")) as ApiItem;
  models.push(model);
  const title = path.posix.join("holdfast", door);
  reference.set(`${name}.md`, apiPage(title, `${name}.md`, model, described));
  doors.push({ door: title, file: `${name}.md`, exports: exportsOf(model) });
}
problems.push(...unsaid(models));
reference.set("README.md", apiIndex(doors));
for (const file of new Set([...reference.keys(), ...readdirSync(pages)])) {
  const place = path.join(pages, file);
  const page = reference.get(file);
  if (update && page === undefined) rmSync(place);
  else if (update) writeFileSync(place, page ?? "");
  else if (!existsSync(place) || readFileSync(place, "utf8") !== page)
    problems.push(
      `docs/api/${file} is out of date: \`npm run api:update\` writes it; commit it with the change`,
    );
}
for (const file of readdirSync(reports)) {
  if (expected.has(file)) continue;
  if (update) rmSync(path.join(reports, file));
  else problems.push(`api/${file} reports a door that does not exist`);
}

for (const problem of problems) console.error(problem);
console.log(`${expected.size} reports, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function report(name: string, types: string): string[] {
  const found: string[] = [];
  const config = ExtractorConfig.prepare({
    configObjectFullPath: path.join(ROOT, "api-extractor.json"),
    packageJsonFullPath: path.join(ROOT, "package.json"),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: path.join(ROOT, types),
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2022",
            lib: ["es2023", "esnext.disposable"],
            module: "nodenext",
            moduleResolution: "nodenext",
            types: ["node"],
            strict: true,
            skipLibCheck: true,
            allowImportingTsExtensions: true,
            noEmit: true,
          },
          files: allTypes,
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: reports,
        reportTempFolder: scratch,
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: true, apiJsonFilePath: path.join(scratch, `${name}.api.json`) },
      dtsRollup: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          // A caller of a function can also name what it takes and returns.
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.Error },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      },
    },
  });
  compilerState ??= CompilerState.create(config, { additionalEntryPoints: allTypes });
  const result = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    showVerboseMessages: false,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error) found.push(`${name}: ${message.text}`);
    },
  });
  if (result.apiReportChanged && !update)
    found.push(
      `api/${name}.api.md is out of date: \`npm run api:update\` writes it; commit it with the change`,
    );
  return [...found, ...undocumented(name)];
}

/** What a reader of an editor's hints would find without a word. */
function undocumented(name: string): string[] {
  const found: string[] = [];
  let declaration = "";
  const lines = readFileSync(path.join(scratch, `${name}.api.md`), "utf8").split("\n");
  lines.forEach((line, i) => {
    const here = line.includes("(undocumented)") ? (lines[i + 1] ?? "") : line;
    declaration = /^export (?:[a-z]+ )*(\w+)/.exec(here)?.[1] ?? declaration;
    if (here !== line) found.push(`${name}: ${declaration}: no comment says what this is: ${here.trim()}`);
  });
  return found;
}
