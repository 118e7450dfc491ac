import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { HoldfastError } from "../../src/errors.ts";
import { decodeBase64, encodeBase64 } from "../../src/text/base64.ts";
import { bomOf } from "../../src/text/bom.ts";
import { bytesSource } from "../../src/text/byte-source.ts";
import { decodeText, encodeText, encodingName, textKindSteps, textKind } from "../../src/text/encoding.ts";
import { firstBadUtf8, Utf8Validator } from "../../src/text/utf8.ts";
import { bytesOf } from "./splice-notation.ts";
import { runs } from "../effort.ts";

const strict = new TextDecoder("utf-8", { fatal: true });

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The naive model: the longest leading part that a strict decoder takes. */
function naiveBadAt(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let length = bytes.length - 1;
  while (!isUtf8(bytes.subarray(0, length))) length--;
  return length;
}

/** Bytes that are nearly UTF-8: the borders of every row of the table, and pieces of characters. */
const nearly = fc
  .array(
    fc.oneof(
      fc
        .constantFrom("a", "\u00e9", "\u20ac", "\u{1f600}", "plain ascii that is long enough for words")
        .map((text) => [...bytesOf(text)]),
      fc
        .constantFrom(
          0x7f,
          0x80,
          0xbf,
          0xc0,
          0xc1,
          0xc2,
          0xdf,
          0xe0,
          0xed,
          0xef,
          0xf0,
          0xf4,
          0xf5,
          0xff,
          0x9f,
          0xa0,
          0x8f,
          0x90,
        )
        .map((byte) => [byte]),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Uint8Array.from(parts.flat()));

function refusalOf(make: () => unknown): HoldfastError {
  try {
    make();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("byte order marks", () => {
  test.each([
    [[0xef, 0xbb, 0xbf, 0x61], "utf-8", 3],
    [[0xff, 0xfe, 0x61, 0], "utf-16le", 2],
    [[0xfe, 0xff, 0, 0x61], "utf-16be", 2],
    [[0xff, 0xfe, 0, 0], "utf-32le", 4],
    [[0, 0, 0xfe, 0xff], "utf-32be", 4],
  ])("[TEXT-16] %j is %s", (head, encoding, length) => {
    expect(bomOf(Uint8Array.from(head))).toEqual({ encoding, length });
  });

  test("[TEXT-16] are not seen where there are none", () => {
    for (const head of [[], [0xef], [0xef, 0xbb], [0xff], [0x61, 0xef, 0xbb, 0xbf]])
      expect(bomOf(Uint8Array.from(head))).toBeUndefined();
  });
});

describe("UTF-8", () => {
  test("[TEXT-17] is checked to the exact byte", () => {
    fc.assert(
      fc.property(fc.oneof(nearly, fc.uint8Array({ maxLength: 12 })), fc.nat(3), (bytes, shift) => {
        expect(firstBadUtf8(bytes)).toBe(naiveBadAt(bytes));
        // The same at every alignment in memory.
        const moved = new Uint8Array(bytes.length + shift).subarray(shift);
        moved.set(bytes);
        expect(firstBadUtf8(moved)).toBe(naiveBadAt(bytes));
      }),
      runs(1_500),
    );
  });

  test("[TEXT-17] is checked to the same byte in whatever parts it arrives", () => {
    fc.assert(
      fc.property(nearly, fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1 }), (bytes, sizes) => {
        const check = new Utf8Validator();
        let at = 0;
        for (let i = 0; at < bytes.length; i++) {
          const size = Math.max(i < 20 ? 0 : 1, sizes[i % sizes.length] ?? 1);
          check.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(check.end()).toBe(naiveBadAt(bytes));
      }),
      runs(800),
    );
  });

  test("[TEXT-17] knows every row of the table", () => {
    for (const bad of [
      [0x80],
      [0xc1, 0xbf],
      [0xe0, 0x9f, 0xbf],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x8f, 0xbf, 0xbf],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xe2, 0x82],
    ])
      expect(firstBadUtf8(Uint8Array.from([0x61, ...bad])), String(bad)).toBe(1);
    for (let code = 0; code <= 0x10ffff; code += code < 0x3000 ? 1 : 257)
      if (code < 0xd800 || code > 0xdfff)
        expect(firstBadUtf8(bytesOf(String.fromCodePoint(code)))).toBeUndefined();
  });
});

describe("text or binary", () => {
  test("[TEXT-18] is told by the bytes", () => {
    expect(textKind(bytesOf("h\u00e9"))).toEqual({ encoding: "utf-8", bom: false });
    expect(textKind(bytesOf("\ufeffh"))).toEqual({ encoding: "utf-8", bom: true });
    expect(textKind(new Uint8Array())).toEqual({ encoding: "utf-8", bom: false });
    expect(textKind(Uint8Array.from([0xff, 0xfe, 0x61, 0]))).toEqual({
      encoding: "binary",
      badAt: 0,
      looksLike: "utf-16le",
    });
    const late = new Uint8Array(200_000).fill(97);
    late[150_000] = 0xff;
    expect(textKind(bytesSource(late))).toEqual({ encoding: "binary", badAt: 150_000, looksLike: undefined });
  });

  test("[TEXT-18] decodes with the BOM apart and encodes to the same bytes", () => {
    expect(decodeText(bytesOf("\ufeffa\r\n"))).toEqual({ ok: true, text: "a\r\n", bom: true });
    expect(decodeText(Uint8Array.from([0x61, 0xff]))).toEqual({ ok: false, badAt: 1 });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.boolean(), (text, bom) => {
        const bytes = encodeText(text, bom);
        const decoded = decodeText(bytes);
        expect(decoded.ok && encodeText(decoded.text, decoded.bom)).toEqual(bytes);
      }),
    );
  });

  test("[TEXT-31] is told in steps", () => {
    const steps = textKindSteps(new Uint8Array(4 * 1_048_576));
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBe(4);
  });

  test("[TEXT-19] encoding names are trimmed, lower-cased, kept or inherited", () => {
    expect(["UTF-8", " utf8 ", "Latin-1", "x-mine"].map((name) => encodingName(name))).toEqual([
      "utf-8",
      "utf-8",
      "latin-1",
      "x-mine",
    ]);
    expect([
      encodingName("", "binary"),
      encodingName("  ", "binary"),
      encodingName(null, "x"),
      encodingName(undefined),
    ]).toEqual(["binary", "binary", "x", undefined]);
    expect(encodingName("utf-8", "binary")).toBe("utf-8");
    for (const name of ["x".repeat(65), "a\nb", "\u00fc", "x, version 7), sha256 00", "a b", "a)"])
      expect(refusalOf(() => encodingName(name)).reason).toBe("encoding_bad_name");
  });
});

describe("base64", () => {
  test("[TEXT-20] goes there and back as Buffer does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(decodeBase64(text)).toEqual(bytes);
        expect(decodeBase64(text.replace(/=+$/, ""))).toEqual(bytes);
        expect(decodeBase64(` ${text.replace(/..../g, "$&\r\n")}\t`)).toEqual(bytes);
      }),
    );
    const large = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) & 255);
    expect(encodeBase64(large)).toBe(Buffer.from(large).toString("base64"));
    expect(decodeBase64(encodeBase64(large))).toEqual(large);
  });

  test.each([
    ["QUJD!", "base64_bad_character"],
    ["QU-_", "base64_bad_character"],
    ["QU=D", "base64_bad_character"],
    ["QQ===", "base64_bad_character"],
    ["QUJD\u0141", "base64_bad_character"],
    ["QUJD=", "base64_bad_padding"],
    ["QQ=", "base64_bad_padding"],
    ["=", "base64_bad_padding"],
    ["QUJDR", "base64_cut_off"],
    ["QR==", "base64_cut_off"],
    ["QUJ", "base64_cut_off"],
  ])("[TEXT-21] %j is refused with %j", (text, reason) => {
    expect(refusalOf(() => decodeBase64(text)).reason).toBe(reason);
  });

  test("[TEXT-21] names the place of a bad character", () => {
    expect(refusalOf(() => decodeBase64("QUJD!")).message).toContain("Character 5");
  });
});
