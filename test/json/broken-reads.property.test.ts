// Reads of documents that are broken, cut off or in another encoding, with and without WebAssembly: the twins agree.

import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { runs } from "../effort.ts";
import { dice, randomDocument } from "./_documents.ts";

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
    `query ${outcome(() => json.queryJson(fresh(), "$..*", options))}`,
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
    for (const text of documents)
      for (const document of [text, text.replace(/^./, (first) => first + " ".repeat(270_000))])
        agree(encoder.encode(document), ["$", "$.a", "$.b", "$[2]"]);
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
});
