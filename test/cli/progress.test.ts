import { afterEach, expect, test, vi } from "vitest";
import { Progress } from "../../src/cli/progress.ts";

afterEach(() => vi.unstubAllEnvs());

interface Watched {
  readonly lines: string[];
  readonly progress: Progress;
  readonly at: (ms: number) => void;
}

function watched(screen: { readonly isTTY?: boolean; readonly columns?: number }): Watched {
  const lines: string[] = [];
  let now = 0;
  const progress = new Progress("Landing", { ...screen, write: (text) => lines.push(text) }, () => now);
  return { lines, progress, at: (ms) => (now = ms) };
}

test("[CLI-46] a bar appears after a moment, moves, and goes", () => {
  const { lines, progress, at } = watched({ isTTY: true });
  progress.show(1, 4, () => "1 of 4");
  expect(lines).toEqual([]);
  at(500);
  progress.show(2, 4, () => "2 of 4");
  progress.show(3, 4, () => "3 of 4");
  expect(lines).toEqual(["\r\u001b[KLanding  [############............]  50 %  2 of 4"]);
  at(1000);
  progress.show(9, undefined, () => "9 files");
  expect(lines[1]).toBe("\r\u001b[KLanding  9 files");
  progress.end();
  progress.end();
  expect(lines.slice(2)).toEqual(["\r\u001b[K"]);
});

test("[CLI-46] a bar is as wide as the terminal at most, and never seen elsewhere", () => {
  const narrow = watched({ isTTY: true, columns: 20 });
  narrow.at(500);
  narrow.progress.show(4, 4, () => "4 of 4");
  expect(narrow.lines[0]).toBe("\r\u001b[KLanding  [#########");
  const piped = watched({});
  piped.at(500);
  piped.progress.show(1, 4, () => "1 of 4");
  piped.progress.end();
  vi.stubEnv("TERM", "dumb");
  const dumb = watched({ isTTY: true });
  dumb.at(500);
  dumb.progress.show(1, 4, () => "1 of 4");
  expect([...piped.lines, ...dumb.lines]).toEqual([]);
});
