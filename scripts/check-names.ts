// Owns: `npm run names`: an exported name exists once in src, so that whoever searches for it finds one thing. Doors (index.ts)
// export again what others declare, and the kernel and generated files have names of their own.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";

const SKIPPED = /(?:^|[\\/])index\.ts$|\.gen\.ts$|\.as\.ts$/;
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm;

const places = new Map<string, Set<string>>();
for (const name of readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".ts") || SKIPPED.test(name)) continue;
  for (const [, exported = ""] of readFileSync(path.join(ROOT, "src", name), "utf8").matchAll(DECLARED))
    places.set(exported, (places.get(exported) ?? new Set()).add(`src/${name.replaceAll("\\", "/")}`));
}

const doubles = [...places].filter(([, files]) => files.size > 1);
for (const [name, files] of doubles)
  console.error(
    `${name} is exported by ${[...files].join(" and ")}: what they share belongs into the lower room, otherwise rename one`,
  );
console.log(`${places.size} exported names, ${doubles.length} twice`);
if (doubles.length > 0) process.exitCode = 1;
