import { afterEach, expect, test, vi } from "vitest";
import { isColoured } from "../../src/cli/output.ts";

afterEach(() => vi.unstubAllEnvs());

test("[CLI-19] colours are for terminals, and for nobody who sets NO_COLOR or has a dumb one", () => {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
  expect(isColoured({ isTTY: true })).toBe(true);
  expect(isColoured({})).toBe(false);
  expect(isColoured({ isTTY: false })).toBe(false);
  vi.stubEnv("NO_COLOR", "1");
  expect(isColoured({ isTTY: true })).toBe(false);
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "dumb");
  expect(isColoured({ isTTY: true })).toBe(false);
});
