// Owns: the files of a plan: what is shown of each, and what the folders hold once it is written.

import type { FolderFile } from "../session/folders/folder-file.ts";
import type { FolderUpdate } from "../session/folders/folders-slice.ts";
import { placeForNew, placeInMount } from "./_folder-place.ts";
import type { FolderReader } from "./_folder-reader.ts";
import type { PlanFile } from "./landing-plan.ts";
import type { ResolvedMount } from "./mount.ts";
import { landedFile, type FileOffer, type OfferedHunk } from "./offer-file.ts";

/** One file that is to be written: what is shown of it, and what the folder holds then. */
export interface LandingFile {
  readonly shown: PlanFile;
  readonly known: FolderFile | undefined;
  readonly after: FolderFile | undefined;
}

/** The mount that a file is written to; undefined where there is none. */
export function mountFor(
  { mounts, reader }: { readonly mounts: readonly ResolvedMount[]; readonly reader: FolderReader },
  { path, candidate, target }: FileOffer,
): number | undefined {
  const { known } = candidate;
  if (known !== undefined && reader.placeOf(known) === undefined) return undefined;
  if (known !== undefined && (known.path === path || !target.exists)) return known.mount;
  const home = mounts.find(({ number }) => number === known?.mount);
  const place = placeForNew(mounts, path) ?? (home === undefined ? undefined : placeInMount(home, path));
  return place?.mount.number;
}

/** A file with some of its hunks. */
export function landingFile(offer: FileOffer, hunks: readonly OfferedHunk[], mount: number): LandingFile {
  const { path, kind, candidate, target } = offer;
  const { known } = candidate;
  const isWhole = kind !== "change" || hunks.length === offer.hunks.length;
  const own = isWhole ? offer : { agents: unique(hunks, "agents"), records: unique(hunks, "records") };
  return {
    known,
    after: landedFile(offer, hunks, mount),
    shown: {
      path,
      ...(kind === "rename" && known !== undefined ? { from: known.path } : {}),
      kind,
      hunks: hunks
        .filter(({ text }) => text !== "")
        .map(({ id, text, agents, records }) => ({ id, text, agents, records })),
      agents: own.agents as readonly string[],
      records: own.records as readonly number[],
      executable: target.executable,
    },
  };
}

function unique(hunks: readonly OfferedHunk[], what: "agents" | "records"): readonly (string | number)[] {
  return [...new Set<string | number>(hunks.flatMap((hunk) => hunk[what] as readonly (string | number)[]))];
}

/** What the folders hold once all of it is written. */
export function updateOf(written: readonly LandingFile[]): FolderUpdate {
  const files = written.map(({ after }) => after).filter((file) => file !== undefined);
  const paths = new Set(files.map(({ path }) => path));
  const gone = written
    .filter(({ known, after }) => known !== undefined && known.path !== after?.path && !paths.has(known.path))
    .map(({ known }) => (known as FolderFile).path);
  return { files, gone };
}
