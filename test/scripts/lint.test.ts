import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/_command.ts";

// Each file breaks one rule. Without types the linter would pass most of them, so this also proves that it has types.
const BROKEN: Readonly<Record<string, string>> = {
  "src/cli/no-floating-promises.ts":
    "async function go(): Promise<void> {}\nexport function f(): void {\n  go();\n}\n",
  "src/cli/no-misused-promises.ts":
    "export function f(list: number[]): void {\n  list.forEach(async () => {});\n}\n",
  "src/cli/switch-exhaustiveness-check.ts":
    'export function f(x: "a" | "b"): void {\n  switch (x) {\n    case "a":\n      break;\n  }\n}\n',
  "src/cli/no-explicit-any.ts": "export function f(x: any): unknown {\n  return x;\n}\n",
  "src/cli/restrict-template-expressions.ts":
    "export function f(x: unknown): string {\n  return `${x}`;\n}\n",
  "src/cli/no-cycle.ts": 'import { b } from "./other.ts";\nexport const a = (): number => b();\n',
  "src/cli/other.ts": 'import { a } from "./no-cycle.ts";\nexport const b = (): number => a();\n',
  "src/cli/no-default-export.ts": "export default 1;\n",
  "src/json/no-restricted-globals.ts": 'export const bytes: unknown = Buffer.from("x");\n',
};

describe("the linter", () => {
  let found: { readonly code: string; readonly filename: string }[] = [];
  let dir: string;

  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), "holdfast-lint-"));
    for (const [file, text] of Object.entries(BROKEN)) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      writeFileSync(path.join(dir, file), text);
    }
    copyFileSync(path.join(ROOT, ".oxlintrc.json"), path.join(dir, ".oxlintrc.json"));
    copyFileSync(path.join(ROOT, "tsconfig.json"), path.join(dir, "tsconfig.json"));
    // The linter looks for its type checker, and the checker for @types/node, where the code is.
    symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"), "junction");
    let output = "";
    try {
      const oxlint = path.join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
      execFileSync(process.execPath, [oxlint, "--type-aware", "-f", "json", "src"], {
        cwd: dir,
        encoding: "utf8",
      });
    } catch (error) {
      output = (error as { readonly stdout: string }).stdout;
    }
    found = (JSON.parse(output) as { readonly diagnostics: typeof found }).diagnostics;
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test.each(Object.keys(BROKEN).filter((file) => !file.endsWith("/other.ts")))("refuses %s", (file) => {
    const rule = path.basename(file, ".ts");
    const here = found.filter((d) => d.filename.replaceAll("\\", "/").endsWith(file));
    expect(here.map((d) => d.code).join()).toContain(`(${rule})`);
  });
});
