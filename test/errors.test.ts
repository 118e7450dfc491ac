import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { echo, ERROR_CODES, HoldfastError, say, sayAll, sayClauses, type Shown } from "../src/errors.ts";
import { runs } from "./effort.ts";

const words: Shown = say`nothing to see`;

describe("an error", () => {
  test("[ERR-6] joins clauses without their final stops", () => {
    expect(
      say`Nothing was done: ${sayClauses([say`a was changed since.`, say`b is gone`])}. Undo more.`,
    ).toBe("Nothing was done: a was changed since; b is gone. Undo more.");
  });

  test("[ERR-1] has one of six codes, a reason, a message", () => {
    expect(ERROR_CODES).toEqual([
      "invalid_argument",
      "not_found",
      "forbidden",
      "conflict",
      "rate_limited",
      "internal",
    ]);
    for (const code of ERROR_CODES) {
      const error = new HoldfastError(code, "stale_version", say`Version ${3} is gone. Read the file again.`);
      expect(error).toBeInstanceOf(Error);
      expect([error.name, error.code, error.reason, error.message]).toEqual([
        "HoldfastError",
        code,
        "stale_version",
        "Version 3 is gone. Read the file again.",
      ]);
      expect([error.data, error.retryAfter, error.cause]).toEqual([undefined, undefined, undefined]);
    }
  });

  test("[ERR-2] takes no plain string: not as message, part of a message, data or reason", () => {
    const hostPath: string = "/home/somebody/secret";
    // Each line must fail to compile; the type check fails when one of them does not.
    const refused = [
      // @ts-expect-error a message is shown text
      () => new HoldfastError("internal", "x", hostPath),
      // @ts-expect-error so is every part of one
      () => say`file ${hostPath}`,
      // @ts-expect-error so is every string in the data
      () => new HoldfastError("internal", "x", words, { data: { path: hostPath } }),
      // @ts-expect-error at any depth
      () => new HoldfastError("internal", "x", words, { data: { list: [{ deep: hostPath }] } }),
      // @ts-expect-error a reason is a literal
      () => new HoldfastError("internal", hostPath, words),
      // @ts-expect-error with lower-case words
      () => new HoldfastError("internal", "Stale", words),
      // @ts-expect-error a joined list is made of shown texts
      () => sayAll([hostPath]),
      // @ts-expect-error there is no seventh code
      () => new HoldfastError("oops", "x", words),
    ];
    expect(refused).toHaveLength(8);
    expect(say`line ${12} of ${echo("a b")}: ${sayAll([words, words])}`).toBe(
      'line 12 of "a b": nothing to see, nothing to see',
    );
  });

  test("[ERR-3] quotes what was sent so that it reads back, on one line, with nothing unseen", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 60 }),
          fc.string({ unit: "grapheme", maxLength: 30 }),
        ),
        (text) => {
          const quoted = echo(text, 200);
          expect(JSON.parse(quoted)).toBe(text);
          expect(quoted).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\p{Bidi_Control}\u200b-\u200d\u2060\ufeff]/u);
        },
      ),
      runs(800),
    );
    expect(echo('a\u202eb\n"c"\u200b')).toBe('"a\\u202eb\\n\\"c\\"\\u200b"');
  });

  test("[ERR-3] cuts what is long, never inside a character", () => {
    expect(echo("x".repeat(1_000_000)).length).toBeLessThan(100);
    expect(JSON.parse(echo("x".repeat(100), 10))).toBe(`${"x".repeat(10)}...`);
    expect(JSON.parse(echo("\u{1f600}".repeat(10), 5))).toBe("\u{1f600}\u{1f600}...");
    expect(echo("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
  });

  test("[ERR-4] carries data and retryAfter, and its cause in no serialised form", () => {
    const cause = new Error("open /home/somebody/secret");
    const error = new HoldfastError("rate_limited", "too_fast", words, {
      data: { limit: 3, of: words, list: [null, true] },
      retryAfter: 2.5,
      cause,
    });
    expect([error.data, error.retryAfter]).toEqual([{ limit: 3, of: words, list: [null, true] }, 2.5]);
    expect(error.cause).toBe(cause);
    expect(JSON.stringify(error)).not.toContain("secret");
    expect(JSON.stringify(Object.assign({}, error))).not.toContain("secret");
    expect(error.message).not.toContain("secret");
  });

  test("[ERR-5] is recognised from another copy of the package, and nothing else is", async () => {
    expect(HoldfastError.is(new HoldfastError("conflict", "x", words))).toBe(true);
    const copy = (await import(
      /* @vite-ignore */ `${new URL("../src/errors.ts", import.meta.url).href}?copy`
    )) as {
      HoldfastError: typeof HoldfastError;
    };
    expect(copy.HoldfastError).not.toBe(HoldfastError);
    const foreign = new copy.HoldfastError("conflict", "x", words);
    expect(foreign).not.toBeInstanceOf(HoldfastError);
    expect(HoldfastError.is(foreign)).toBe(true);
    for (const other of [
      new Error("x"),
      { code: "conflict", reason: "x", message: "y" },
      null,
      undefined,
      "x",
      7,
    ])
      expect(HoldfastError.is(other)).toBe(false);
  });
});
