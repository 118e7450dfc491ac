// The kernel works on blocks of 64 bytes: every token is put at every place of a block, so that each of its bytes is
// once the last of a block and once the first.

import { describe, expect, test } from "vitest";
import { theKernel } from "../../src/json/scan/kernel.ts";
import { JsScanner } from "../../src/json/scan/js-scanner.ts";
import { WasmScanner } from "../../src/json/scan/wasm-scanner.ts";
import { Keys, NONE } from "../../src/json/scan/scanner.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";

const NUMBERS =
  "0 -0 1 12 -7 1.5 -0.25 1e5 1E+5 1e-5 0e0 0.0e00 10.01e+10 1234567890.0987654321e+123 01 -01 00 1. .5 -.5 - + +1 1e 1e+ 1.e5 1.5.5 1e5.5 1e5e5 1e+-5 --1 1-1 0x1 1_0 1a -a 1.5e5e 0.1.2e3 123456789012345678901234567890.12345678901234567890.1";
const WORDS = "true false null tru nul fals truex falsee nulll True t f n true1 1true falsetrue nullnull";
const STRINGS = [
  '"\\u00e9"',
  '"\\u00g9"',
  '"\\u00"',
  '"\\uD83D\\uDE00x"',
  '"\\x"',
  '"\\\\"',
  '"\\\\\\""',
  '"\\"',
  '"é日😀"',
  '"a\u0001b"',
  '"a\tb"',
  '"a" "b"',
  '"a"b',
  "[1,2]]",
  '{"a":1,"b":[]}',
  '{"a":1,}',
  '{"a" 1}',
];
const BYTES: readonly (readonly number[])[] = [
  [0xc3, 0xa9],
  [0xc3],
  [0xa9],
  [0xe2, 0x82, 0xac],
  [0xe2, 0x82],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc0, 0xaf],
  [0xff],
];

/** The kernel is asked block by block, and with all blocks in one call. */
function verdicts(bytes: Uint8Array): [blocks: number, whole: number, twin: number] {
  const kernel = theKernel();
  if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
  return [
    new WasmScanner(memorySource(bytes), kernel, { window: 64 }).validate("strict"),
    new WasmScanner(memorySource(bytes), kernel).validate("strict"),
    new JsScanner(memorySource(bytes)).validate("strict"),
  ];
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const encoder = new TextEncoder();

function everywhere(token: Uint8Array, [before, after]: readonly [string, string]): void {
  for (let pad = 0; pad < 130; pad++) {
    const bytes = Uint8Array.from([
      ...encoder.encode(" ".repeat(pad) + before),
      ...token,
      ...encoder.encode(after),
    ]);
    const [blocks, whole, twin] = verdicts(bytes);
    if (blocks !== twin || whole !== twin || (twin === NONE) !== isJson(bytes))
      expect.fail(
        `${new TextDecoder().decode(bytes)}: kernel ${blocks}, ${whole}, twin ${twin}, JSON.parse ${isJson(bytes)}`,
      );
  }
}

describe("blocks of 64 bytes", () => {
  test.each([...NUMBERS.split(" "), ...WORDS.split(" "), ...STRINGS])(
    "[JSON-20] [JSON-21] %s is judged alike wherever a block ends",
    (token) => {
      for (const around of [
        ["", ""],
        ["[", "]"],
        ['{"k":', "}"],
        ["[1,", ",2]"],
      ] as const)
        everywhere(encoder.encode(token), around);
    },
  );

  test.each(BYTES.map((bytes) => [bytes.map((byte) => byte.toString(16)).join(" "), bytes] as const))(
    "[JSON-39] the bytes %s are judged alike wherever a block ends",
    (_, bytes) => {
      everywhere(Uint8Array.from(bytes), ['"', '"']);
      everywhere(Uint8Array.from(bytes), ['["a', 'b"]']);
      everywhere(Uint8Array.from(bytes), ['"', ""]);
    },
  );

  test("[JSON-20] [JSON-21] a backslash is followed by one of nine letters", () => {
    for (let byte = 0; byte < 128; byte++) {
      const bytes = encoder.encode(`["${"x".repeat(70)}\\${String.fromCharCode(byte)}0041"]`);
      const legal = isJson(bytes);
      for (const verdict of verdicts(bytes)) expect(verdict === NONE, `byte ${byte}`).toBe(legal);
    }
  });

  test("[JSON-5] a key is found wherever a block or window ends", () => {
    const kernel = theKernel();
    if (kernel === null) throw new Error("This machine has no WebAssembly SIMD.");
    for (const spelling of ['"key"', '"k\\u0065y"', '"key" \n ', `"key"${" ".repeat(70)}`])
      for (let pad = 0; pad < 200; pad++) {
        const text = `{"${"x".repeat(pad)}":"\\"key\\":0",${spelling}:[1,{"key":2}]}`;
        const keys = new Keys("key");
        const scanner = new WasmScanner(memorySource(text), kernel, { window: 64 });
        expect(scanner.find(0, keys)).toBe(text.length);
        expect([keys.counts[0], text[keys.values[0] ?? 0]]).toEqual([1, "["]);
      }
  });
});
