// Owns: progress bars: on standard error, only on a terminal, only for work that takes its time, and gone when it is done.

import type { LandProgress, MountProgress } from "../tools/index.ts";
import { plural } from "../text/plural.ts";

/** Where a bar is drawn. */
export interface ProgressScreen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const PATIENCE_MS = 400;
const EVERY_MS = 100;
const WIDTH = 24;
const ERASE = "\r\u001b[K";

export class Progress {
  readonly #what: string;
  readonly #screen: ProgressScreen | undefined;
  readonly #now: () => number;
  #next: number;
  #isShown = false;

  constructor(
    what: string,
    screen: ProgressScreen = process.stderr,
    now: () => number = () => performance.now(),
  ) {
    this.#what = what;
    this.#now = now;
    this.#screen = screen.isTTY === true && process.env["TERM"] !== "dumb" ? screen : undefined;
    this.#next = now() + PATIENCE_MS;
  }

  /** How much is done of what there is to do, where that is known, and both in words. */
  show(done: number, total: number | undefined, words: () => string): void {
    if (this.#screen === undefined || this.#now() < this.#next) return;
    this.#next = this.#now() + EVERY_MS;
    this.#isShown = true;
    const line = [this.#what, ...(total === undefined ? [] : [bar(done / Math.max(1, total))]), words()];
    this.#screen.write(ERASE + line.join("  ").slice(0, (this.#screen.columns ?? 80) - 1));
  }

  /** Takes the bar away. Call it also when the work fails. */
  readonly end = (): void => {
    if (this.#isShown) this.#screen?.write(ERASE);
    this.#isShown = false;
  };
}

function bar(part: number): string {
  const full = Math.floor(Math.min(1, part) * WIDTH);
  const percent = String(Math.floor(Math.min(1, part) * 100)).padStart(3);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${percent} %`;
}

/** The bar of taking a folder in. */
export function mountProgress(): {
  readonly onMount: (progress: MountProgress) => void;
  readonly end: () => void;
} {
  const progress = new Progress("Reading the folder");
  return {
    end: progress.end,
    onMount: ({ bytes, files, totalBytes, totalFiles }) =>
      progress.show(bytes, totalBytes, () =>
        totalFiles === undefined ? plural(files, "file") : `${files} of ${plural(totalFiles, "file")}`,
      ),
  };
}

/** The bar of writing a landing. */
export function landProgress(): {
  readonly onProgress: (progress: LandProgress) => void;
  readonly end: () => void;
} {
  const progress = new Progress("Landing");
  return {
    end: progress.end,
    onProgress: ({ done, total }) => progress.show(done, total, () => `${done} of ${plural(total, "step")}`),
  };
}
