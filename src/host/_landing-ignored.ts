// Owns: which files of a plan have names that the folder's ignore rules leave out. They are landed, and it is said.

import type { WorkspacePath } from "../path/index.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Pacer } from "../text/steps.ts";
import { utf8Text } from "./compare-content.ts";
import { placeInMount, type FolderPlace } from "./_folder-place.ts";
import type { LandingFile } from "./_landing-file.ts";
import type { ResolvedMount } from "./mount.ts";
import { wholeBytes } from "./offer-file.ts";
import { isLeftOut } from "./_scan-mount.ts";

const RULES = ".gitignore";

/** The same files; of the new ones, those that are ignored say so. The rules are those that the folder has once all is landed. */
export async function withIgnored(
  core: SessionCore,
  mounts: readonly ResolvedMount[],
  planned: readonly LandingFile[],
  pace: Pacer,
): Promise<LandingFile[]> {
  if (!mounts.some(({ gitignore }) => gitignore)) return [...planned];
  const rules = new Map<string, string>();
  for (const { known } of planned) {
    const old = known === undefined ? undefined : placeOf(mounts, known);
    if (old?.name === RULES) rules.set(keyOf(old), "");
  }
  for (const { after } of planned) {
    const place = after === undefined ? undefined : placeOf(mounts, after);
    if (after === undefined || place?.name !== RULES) continue;
    rules.set(keyOf(place), utf8Text(await wholeBytes(core, after.content)) ?? "");
  }
  return pace.map(planned, (file) => {
    const { known, after, shown } = file;
    if (after === undefined || known?.path === after.path) return file;
    const place = placeOf(mounts, after);
    if (place === undefined || !place.mount.gitignore || place.mount.file !== undefined) return file;
    const { mount, way, name } = place;
    const landed = (directory: readonly string[]): string | undefined =>
      rules.get(keyOf({ mount, way: [...mount.way, ...directory] }));
    const isIgnored = isLeftOut(mount, [...way.slice(mount.way.length), name], landed);
    return isIgnored ? { ...file, shown: { ...shown, ignored: true } } : file;
  });
}

function placeOf(
  mounts: readonly ResolvedMount[],
  { path, mount: number }: { readonly path: WorkspacePath; readonly mount: number },
): FolderPlace | undefined {
  const mount = mounts.find((one) => one.number === number);
  return mount === undefined ? undefined : placeInMount(mount, path);
}

function keyOf({ mount, way }: Pick<FolderPlace, "mount" | "way">): string {
  return JSON.stringify([mount.number, way]);
}
