import { afterEach, expect, test, vi } from "vitest";
import { forScreen, isColoured, note, paint, paintDiff, printExact } from "../../src/cli/output.ts";
import { program } from "../../src/cli/program.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

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

/** Runs something as if both outputs were terminals or pipes, and returns what they were given. */
function shown(isTTY: boolean, work: () => void): string {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
  let text = "";
  const streams = [process.stdout, process.stderr];
  const before = streams.map(({ isTTY: was }) => was);
  for (const stream of streams) {
    stream.isTTY = isTTY;
    vi.spyOn(stream, "write").mockImplementation((part) => {
      text += typeof part === "string" ? part : new TextDecoder().decode(part);
      return true;
    });
  }
  try {
    work();
  } finally {
    vi.restoreAllMocks();
    for (const [i, stream] of streams.entries()) stream.isTTY = before[i] ?? false;
  }
  return text;
}

const NASTY = "a\u001b[8mb\u009b2Jc\u202ed\u0007\rtab\tend";
const HARMLESS = "a\\u001b[8mb\\u009b2Jc\\u202ed\\u0007\\u000dtab\tend";

test("[CLI-45] a terminal is shown escapes, a pipe gets every byte", () => {
  expect(shown(true, () => printExact(NASTY))).toBe(HARMLESS);
  expect(shown(true, () => printExact(new TextEncoder().encode(NASTY)))).toBe(HARMLESS);
  expect(shown(true, () => note(NASTY))).toBe(`${HARMLESS}\n`);
  expect(shown(false, () => printExact(NASTY))).toBe(NASTY);
  expect(shown(false, () => note(NASTY))).toBe(`${NASTY}\n`);
});

test("[CLI-45] what is wrong with a command line is shown to a terminal with escapes too", () => {
  const wrong = [`no${NASTY}`, `--no${NASTY}`];
  for (const word of wrong) {
    const said = shown(true, () => expect(() => program().parse(["node", "holdfast", word])).toThrow());
    expect(said).toContain("[Error] unknown ");
    expect(said).toContain("no".concat(HARMLESS));
    expect(said).not.toContain("\u001b");
  }
});

test("[CLI-45] [CLI-19] colours of ours survive, and those of a file do not, alone or inside ours", () => {
  expect(shown(true, () => printExact(`${paint("green", `+${NASTY}`)} ${NASTY}`))).toBe(
    `\u001b[32m+${HARMLESS}\u001b[39m ${HARMLESS}`,
  );
  expect(forScreen("\u001b[32mx")).toBe("\\u001b[32mx");
});

test("[CLI-45] a diff shows the CR of line endings only where lines differ in it", () => {
  const diff = (text: string): string => shown(true, () => printExact(paintDiff(text)));
  expect(diff("@@ -1 +1 @@\n-a\r\n+b\r\n c\r\n")).toBe(
    "\u001b[36m@@ -1 +1 @@\u001b[39m\n\u001b[31m-a\u001b[39m\n\u001b[32m+b\u001b[39m\n c\n",
  );
  expect(diff("-a\r\n+a\n")).toBe("\u001b[31m-a\\r\u001b[39m\n\u001b[32m+a\u001b[39m\n");
  expect(shown(false, () => printExact(paintDiff("-a\r\n+a\u001b\n")))).toBe("-a\r\n+a\u001b\n");
});
