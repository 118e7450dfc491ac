import { describe, expect, test } from "vitest";

import { HoldfastError } from "../src/errors.ts";
import { DEFAULT_LIMITS, LIMITS, resolveLimits, type Limits } from "../src/limits.ts";

function refusalOf(changes: object): HoldfastError {
  try {
    resolveLimits(changes);
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("limits", () => {
  test("[LIM-1] have a default between their bounds, and words", () => {
    for (const [name, { default: value, min, max, what }] of Object.entries(LIMITS)) {
      expect([value, min, max].every(Number.isSafeInteger), name).toBe(true);
      expect(min <= value && value <= max, name).toBe(true);
      expect(min, name).toBeGreaterThanOrEqual(0);
      expect(what, name).toMatch(/^[a-z]/);
      expect(DEFAULT_LIMITS[name as keyof Limits], name).toBe(value);
    }
    expect(Object.keys(DEFAULT_LIMITS)).toEqual(Object.keys(LIMITS));
    expect([Object.isFrozen(DEFAULT_LIMITS), Object.isFrozen(resolveLimits({ pathDepth: 3 }))]).toEqual([
      true,
      true,
    ]);
  });

  test("[LIM-1] of paths and calls are the ones that are promised", () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      pathSegmentLength: 80,
      pathDepth: 16,
      writeSize: 48_000,
      callsPerMinute: 300,
      callBurst: 60,
      batchItems: 500,
      contentionTries: 5,
    });
  });

  test("[LIM-2] can be changed within their bounds, one by one", () => {
    expect(resolveLimits()).toEqual(DEFAULT_LIMITS);
    expect(resolveLimits({ pathDepth: 3, batchItems: undefined })).toEqual({
      ...DEFAULT_LIMITS,
      pathDepth: 3,
    });
    for (const [name, { min, max }] of Object.entries(LIMITS)) {
      expect(resolveLimits({ [name]: min })[name as keyof Limits]).toBe(min);
      expect(resolveLimits({ [name]: max })[name as keyof Limits]).toBe(max);
    }
  });

  test("[LIM-3] refuse values out of bounds, for every limit", () => {
    for (const [name, { min, max }] of Object.entries(LIMITS))
      for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Infinity, "5", null, {}]) {
        const error = refusalOf({ [name]: value });
        expect([error.code, error.reason]).toEqual(["invalid_argument", "bad_limits"]);
        expect(error.message).toContain(`${name} must be a whole number from ${min} to ${max}`);
      }
  });

  test("[LIM-3] refuse everything that is wrong at once", () => {
    const error = refusalOf({ pathDepth: 0, nonsense: 1, batchItems: 1.5, callBurst: 7 });
    expect(error.message).toBe(
      'Limits refused: pathDepth must be a whole number from 1 to 64; "nonsense" is not a limit; ' +
        "batchItems must be a whole number from 1 to 100000.",
    );
    expect(refusalOf({ ["x".repeat(100_000)]: 1 }).message.length).toBeLessThan(200);
  });

  test("[LIM-3] know no names that objects inherit", () => {
    for (const changes of [{ toString: 1 }, { constructor: 1 }, JSON.parse('{"__proto__": 1}') as object])
      expect(refusalOf(changes).message).toContain("is not a limit");
  });
});
