// Reads of documents that are broken, cut off or in another encoding, with and without WebAssembly: the twins agree, and
// what is returned is made of valid JSON only.

import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { runs } from "../effort.ts";
import { plainText } from "../../src/json/scan/plain-text.ts";
import { dice, randomDocument, spoil } from "./_documents.ts";

type Reads = typeof import("../../src/json/index.ts");

const encoder = new TextEncoder();

/** The room as it is loaded where the global `WebAssembly` is this. */
async function load(webAssembly: unknown): Promise<Reads> {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", webAssembly);
  return await import("../../src/json/index.ts");
}

function outcome(read: () => unknown): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    const { code = "", reason = "", message } = error as { code?: string; reason?: string; message: string };
    return `${code}/${reason}: ${message}`;
  }
}

/** What every read says about a document. */
function said(json: Reads, bytes: Uint8Array, paths: readonly string[]): string[] {
  const fresh = (): ReturnType<Reads["memorySource"]> => json.memorySource(bytes);
  const options = { indexes: new json.JsonIndexes() };
  return [
    ...paths.flatMap((path) => [
      `get ${path} ${outcome(() => json.getJson(fresh(), path, options))}`,
      `value ${path} ${outcome(() => json.getValue(fresh(), path))}`,
      `keys ${path} ${outcome(() => json.listKeys(fresh(), path, options))}`,
      `preview ${path} ${outcome(() => json.previewJson(fresh(), { maxItems: 2 }, path))}`,
      `describe ${path} ${outcome(() => json.describeJson(fresh(), path))}`,
      `raw ${path} ${outcome(() => json.rawJson(fresh(), path, 1_000_000))}`,
    ]),
    `query ${outcome(() => json.queryJson(fresh(), "$..*", { ...options, budget: 9_000 }))}`,
    `validate ${outcome(() => json.validateJson(fresh(), options))}`,
  ];
}

describe("reads with and without WebAssembly", () => {
  let kernel: Reads;
  let twin: Reads;

  beforeAll(async () => {
    kernel = await load(Reflect.get(globalThis, "WebAssembly"));
    twin = await load(undefined);
    // The kernel is made on first use, and it is the one of this process only where there is WebAssembly.
    vi.unstubAllGlobals();
    kernel.validateJson(kernel.memorySource("[1]"));
  });

  afterEach(() => vi.unstubAllGlobals());

  const withoutWebAssembly = <T>(run: () => T): T => {
    vi.stubGlobal("WebAssembly", undefined);
    try {
      return run();
    } finally {
      vi.unstubAllGlobals();
    }
  };

  function agree(bytes: Uint8Array, paths: readonly string[]): void {
    expect(withoutWebAssembly(() => said(twin, bytes, paths))).toEqual(said(kernel, bytes, paths));
  }

  test("[JREAD-21] broken, cut and UTF-16 documents read alike", () => {
    const wide = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
    const documents = [
      "[1,2,3",
      '{"a": 1',
      '{"a": [1, 2',
      '{"a": "x',
      "{'a': 1}",
      '{"a": 1 "b": 2}',
      '{"a": nope}',
      '{"a": [1,2}}',
      '{"a": {"x": 1}, "b" 2, "c": [1, 2}',
      '{"a": 1, "a": }',
      '{"a": [1,, 2]}',
      '{"a": tru',
      "",
      " ",
      "\ufeff",
      "}",
      '{"a": 1}}',
      '["a" "b"]',
      '{"a" "b": 1}',
      '{"a" 5: 1}',
      '{"a": 1 2}',
      '[1, {"a": 1}\u0001"x"]',
      '{"a": [1, 2}, "b": 1}',
    ];
    for (const text of documents) agree(encoder.encode(text), ["$", "$.a", "$.b", "$[2]"]);
    for (const text of documents)
      agree(encoder.encode(text.replace(/^./, (first) => first + " ".repeat(270_000))), [
        "$",
        "$.a",
        "$.b",
        "$[2]",
      ]);
    for (const text of ['{"a": 1}', "[1, 2]", '\ufeff{"a": 1}']) agree(wide(text), ["$", "$.a", "$[1]"]);
  });

  test("[JREAD-21] random documents, cut anywhere, read alike", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const whole = encoder.encode(randomDocument(roll, { size: 12 }));
        agree(whole.subarray(0, roll(whole.length + 1)), ["$", "$.a", "$[0]", "$[1]", "$.b.a"]);
      }),
      runs(5),
    );
  });

  const FAULTS: readonly (readonly [text: string, path: string])[] = [
    ['{"a":tru,"b":[1 2]}', "$.a"],
    ['{"a":-}', "$.a"],
    ['{"a":1e}', "$.a"],
    ['{"a":1.}', "$.a"],
    ['{"a":01}', "$.a"],
    ['{"a":"\\x"}', "$.a"],
    ['{"a":"\\u12"}', "$.a"],
    ['{"a":"x\ny"}', "$.a"],
    ["[1 2]", "$"],
    ["[1,,2]", "$"],
    ["[,1]", "$"],
    ['["a" "b"]', "$"],
    ["[{} {}]", "$"],
    ['{"a":{"b":[1 2]}}', "$"],
    ['{"a":{"b":[1 2]}}', "$.a"],
    ['{"\\x":1}', "$"],
    ['{"ä\\x":1}', "$"],
  ];

  test("[JREAD-21] every read names a fault in the value that it tells about", () => {
    for (const [text, path] of FAULTS)
      for (const blanks of ["", " ".repeat(40_000)]) {
        const bytes = encoder.encode(text.replace(/^./, (first) => first + blanks));
        for (const line of [
          ...said(kernel, bytes, [path]),
          ...withoutWebAssembly(() => said(twin, bytes, [path])),
        ])
          if (!line.startsWith("validate"))
            expect(line, text).toMatch(/^\w+( \S+)? invalid_argument\/invalid_json: Invalid JSON at line/);
      }
    const page = outcome(() => kernel.queryJson(kernel.memorySource("[{} {}, 1, 2]"), "$.*", { limit: 1 }));
    expect(page).toContain("invalid_json");
  });

  test("[JREAD-21] what lies before the fault is read", () => {
    const source = kernel.memorySource('{"a": [1, {"x": "y"}], "b": tru}');
    expect(kernel.getValue(source, "$.a")).toEqual([1, { x: "y" }]);
    expect(kernel.listKeys(source, "$.a").total).toBe(2);
    expect(kernel.queryJson(source, "$.a[0:1]", { limit: 1 }).matches).toHaveLength(1);
  });

  /** What JSON.parse makes of a part of a document; throws for what is no JSON. */
  const parsed = (bytes: Uint8Array, start: number, end: number): unknown =>
    JSON.parse(plainText(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end))));

  /** Runs a read that may only fail as the house's reads do. */
  function returned<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      expect(error, String(error)).toHaveProperty("reason");
      return undefined;
    }
  }

  /** Whatever a read returns is what JSON.parse makes of the bytes that it is made of. */
  function isSound(json: Reads, bytes: Uint8Array, path: string): void {
    const fresh = (): ReturnType<Reads["memorySource"]> => json.memorySource(bytes);
    const got = returned(() => json.getJson(fresh(), path));
    const whole = got === undefined || got.kind === "matches" ? undefined : parsed(bytes, got.start, got.end);
    expect(returned(() => json.getValue(fresh(), path))).toEqual(whole);
    const raw = returned(() => json.rawJson(fresh(), path, 1_000_000));
    expect(raw === undefined ? undefined : JSON.parse(plainText(raw))).toEqual(whole);
    const size = typeof whole === "object" && whole !== null ? Object.keys(whole).length : 0;
    const listed = returned(() => json.listKeys(fresh(), path));
    expect(listed?.total).toBe(whole === undefined ? undefined : size);
    const preview = returned(() => json.previewJson(fresh(), { maxItems: 2 }, path));
    expect(preview === undefined).toBe(whole === undefined);
    if (preview !== undefined) JSON.parse(preview.text);
    const shape = returned(() => json.describeJson(fresh(), path))?.shape;
    expect(shape === undefined).toBe(whole === undefined);
    if (Array.isArray(whole)) expect(shape?.items?.total).toBe(size);
    for (const query of [`${path}.*`, `${path}..*`])
      for (const { start, end } of returned(() => json.queryJson(fresh(), query, { limit: 5, budget: 9_000 }))
        ?.matches ?? [])
        parsed(bytes, start, end);
  }

  test("[JREAD-21] [JREAD-11] no read of a spoiled document returns what is no JSON", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const bytes = spoil(encoder.encode(randomDocument(roll, { size: 12 })), roll);
        for (const path of ["$", "$.a", "$[0]", "$[1]"]) {
          isSound(kernel, bytes, path);
          withoutWebAssembly(() => isSound(twin, bytes, path));
        }
      }),
      runs(150),
    );
  });
});
