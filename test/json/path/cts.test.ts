import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openScanner } from "../../../src/json/scan/open.ts";
import { memorySource } from "../../../src/json/scan/memory-source.ts";
import { evaluate } from "../../../src/json/path/evaluate.ts";
import { parseJsonPath } from "../../../src/json/path/parse.ts";
import type { Json } from "../../../src/value.ts";

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: Json;
  readonly result?: readonly Json[];
  readonly results?: readonly (readonly Json[])[];
  readonly result_paths?: readonly string[];
  readonly results_paths?: readonly (readonly string[])[];
  readonly invalid_selector?: boolean;
}

const file = resolve(process.env["HOLDFAST_CONFORMANCE"] ?? "../shared/conformance", "jsonpath/cts.json");
const present = existsSync(file);
const cases: readonly Case[] = present
  ? (JSON.parse(readFileSync(file, "utf8")) as { tests: readonly Case[] }).tests
  : [];

function run(selector: string, document: Json, window: number): { values: Json[]; paths: string[] } {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const scanner = openScanner(memorySource(bytes), { window, pauseEvery: 1 });
  const values: Json[] = [];
  const paths: string[] = [];
  for (const match of evaluate(scanner, parseJsonPath(selector))) {
    if (match === undefined) continue;
    values.push(JSON.parse(new TextDecoder().decode(bytes.subarray(match.start, match.end))) as Json);
    paths.push(match.path);
  }
  return { values, paths };
}

describe.skipIf(!present)("the RFC 9535 compliance suite (missing: conformance/jsonpath/cts.json)", () => {
  test("[JPATH-1] the suite is whole: 703 cases, 456 of them with normalized paths", () => {
    expect(cases).toHaveLength(703);
    expect(cases.filter((c) => c.result_paths ?? c.results_paths)).toHaveLength(456);
  });

  for (const window of [64, 256 * 1024])
    describe(`windows of ${window} bytes, pausing at each`, () => {
      for (const one of cases.filter((c) => c.invalid_selector !== true))
        test(`[JPATH-1] ${one.name}`, () => {
          const { values, paths } = run(one.selector, one.document ?? null, window);
          expect(one.results ?? [one.result]).toContainEqual(values);
          expect(one.results_paths ?? [one.result_paths]).toContainEqual(paths);
        });
    });

  for (const one of cases.filter((c) => c.invalid_selector === true))
    test(`[JPATH-2] refuses: ${one.name}`, () => {
      expect(() => parseJsonPath(one.selector)).toThrow(
        expect.objectContaining({ code: "invalid_argument", reason: "invalid_path" }),
      );
    });
});
