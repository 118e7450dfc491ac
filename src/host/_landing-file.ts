// Owns: the files of a plan: what is shown of each, and what the folders hold once it is written.

import type { FolderFile } from "../session/folders/folder-file.ts";
import type { FolderUpdate } from "../session/folders/folders-slice.ts";
import type { Steps } from "../text/steps.ts";
import { placeForNew, placeOfFile } from "./_folder-place.ts";
import type { PlanFile } from "./landing-plan.ts";
import type { ResolvedMount } from "./mount.ts";
import { landedFileSteps, type FileOffer, type OfferedHunk } from "./offer-file.ts";

/** One file that is to be written: what is shown of it, and what the folder holds then. */
export interface LandingFile {
  readonly shown: PlanFile;
  readonly known: FolderFile | undefined;
  readonly after: FolderFile | undefined;
}

/** What is written of an offer, and to which mount. */
export interface PlacedOffer {
  readonly offer: FileOffer;
  readonly mount: number;
}

/**
 * The offer itself where a folder has a place for the file. A file that was moved to where none has is deleted in the folder that
 * it was in. Undefined: nothing is written.
 */
export function placedOffer(mounts: readonly ResolvedMount[], offer: FileOffer): PlacedOffer | undefined {
  const { path, candidate, target } = offer;
  const { known } = candidate;
  const home = known === undefined ? undefined : placeOfFile(mounts, known);
  if (known !== undefined && home === undefined) return undefined;
  const stays = known !== undefined && (known.path === path || !target.exists);
  const place = stays ? home : placeForNew(mounts, path);
  if (place !== undefined) return { offer, mount: place.mount.number };
  if (known === undefined) return undefined;
  const gone = { ...target, exists: false };
  return {
    offer: { ...offer, kind: "delete", path: known.path, hunks: [], target: gone },
    mount: known.mount,
  };
}

/** A file with some of its hunks. */
export function* landingFileSteps(
  { offer, mount }: PlacedOffer,
  hunks: readonly OfferedHunk[],
): Steps<LandingFile> {
  const { path, kind, candidate, target } = offer;
  const { known } = candidate;
  const isWhole = kind !== "change" || hunks.length === offer.hunks.length;
  const own = isWhole ? offer : { agents: unique(hunks, "agents"), records: unique(hunks, "records") };
  return {
    known,
    after: yield* landedFileSteps(offer, hunks, mount),
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
