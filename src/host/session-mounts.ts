// Owns: the mounts of one session: mounted when it is opened first, and anew when it is reset.

import type { Draft } from "../session/draft.ts";
import type { Journal } from "../store/journal.ts";
import type { Json } from "../value.ts";
import { hasDescriptorPaths } from "./_hold.ts";
import { dropOthers, mountFiles, putMounts, stageMounts, type MountRun } from "./mount-files.ts";
import type { MountReport, SkippedEntry } from "./mount.ts";

/** The row beside the history that holds the reports. */
const ROW = "mounted";
const ROW_CHARS = 60_000;

export interface SessionMountsParts extends MountRun {
  /** Told once in a process that races are not guarded against here. */
  readonly warn: (what: string) => void;
}

export interface Remount {
  /** Makes the files of a draft those of the mounts. */
  readonly fill: (draft: Draft) => Promise<void>;
  /** To be called once the draft is committed. */
  readonly done: () => Promise<void>;
}

let isWarned = false;

export class SessionMounts {
  readonly #parts: SessionMountsParts;
  #reports: readonly MountReport[] = [];

  constructor(parts: SessionMountsParts) {
    this.#parts = parts;
  }

  /** What was mounted last. */
  get reports(): readonly MountReport[] {
    return this.#reports;
  }

  /** Mounts, unless the session was mounted before. */
  async open(): Promise<void> {
    const { core, mounts } = this.#parts;
    if (mounts.length === 0) return;
    this.#warnOnce();
    const mounted = await mountFiles(this.#parts);
    this.#reports = mounted ?? (await loadReports(core.journal));
    if (mounted !== undefined) await saveReports(core.journal, mounted);
  }

  /** Copies the files that a reset leaves; undefined without mounts. Writes no record. */
  async anew(): Promise<Remount | undefined> {
    const { core, actor, mounts } = this.#parts;
    if (mounts.length === 0) return undefined;
    this.#warnOnce();
    const staged = await stageMounts(this.#parts, "anew");
    return {
      fill: async (draft) => {
        await dropOthers(draft, staged);
        await putMounts(draft, staged, actor.now());
      },
      done: async () => {
        this.#reports = staged.reports;
        await saveReports(core.journal, staged.reports);
      },
    };
  }

  #warnOnce(): void {
    const isRaceFree = this.#parts.mounts.every(({ pin }) => pin.by !== "paths") && hasDescriptorPaths();
    if (isRaceFree || isWarned) return;
    isWarned = true;
    this.#parts.warn(
      "this system has no /proc/self/fd: a process that swaps directories while a folder is mounted can lead the mount astray",
    );
  }
}

async function loadReports(journal: Journal): Promise<readonly MountReport[]> {
  const row = await journal.rows.get(ROW);
  return row === undefined ? [] : (row.value as unknown as readonly MountReport[]);
}

/** As much of the lists of skipped entries as a row holds. */
async function saveReports(journal: Journal, reports: readonly MountReport[]): Promise<void> {
  let value = reports;
  for (let most = longest(reports); most > 0 && JSON.stringify(value).length > ROW_CHARS; most >>= 1)
    value = reports.map((report) => ({ ...report, skipped: first(report.skipped, most >> 1) }));
  const { rev = 0 } = (await journal.rows.get(ROW)) ?? {};
  await journal.rows.set(ROW, rev, value as unknown as Json);
}

function longest(reports: readonly MountReport[]): number {
  return Math.max(0, ...reports.map(({ skipped }) => skipped.length));
}

function first(skipped: readonly SkippedEntry[], most: number): readonly SkippedEntry[] {
  return skipped.slice(0, most);
}
