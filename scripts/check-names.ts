// Owns: `npm run names`: an exported name exists once in src, and so does the name of a class, exported or not, so that a
// search for it finds one thing. Doors (index.ts) export again what others declare, and the kernel and generated files have
// names of their own.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";

const SKIPPED = /(?:^|[\\/])index\.ts$|\.gen\.ts$|\.as\.ts$/;
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm;
const CLASS = /^(?:export )?(?:declare )?(?:abstract )?class +(\w+)/gm;

/** Files by the names that they declare. */
class Declarations {
  readonly #files = new Map<string, Set<string>>();

  add(text: string, pattern: RegExp, file: string): void {
    for (const [, name = ""] of text.matchAll(pattern))
      this.#files.set(name, (this.#files.get(name) ?? new Set()).add(file));
  }

  get size(): number {
    return this.#files.size;
  }

  doubles(): [name: string, files: string][] {
    return [...this.#files]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => [name, [...files].join(" and ")]);
  }
}

const exported = new Declarations();
const classes = new Declarations();
for (const name of readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".ts") || SKIPPED.test(name)) continue;
  const text = readFileSync(path.join(ROOT, "src", name), "utf8");
  const file = `src/${name.replaceAll("\\", "/")}`;
  exported.add(text, EXPORTED, file);
  classes.add(text, CLASS, file);
}

const doubles = exported.doubles();
const twins = classes.doubles();
for (const [name, files] of doubles)
  console.error(
    `${name} is exported by ${files}: what they share belongs into the lower room, otherwise rename one`,
  );
for (const [name, files] of twins) console.error(`${name} is a class in ${files}: rename one`);
console.log(
  `${exported.size} exported names, ${doubles.length} twice; ${classes.size} classes, ${twins.length} twice`,
);
if (doubles.length + twins.length > 0) process.exitCode = 1;
