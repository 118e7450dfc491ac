// Owns: the ignored directories of folders, such as node_modules, as symbolic links in a directory that shows the rest of them.
// Must never: put a link where something is, or remove one that it has not made.

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { relativePath, segmentsOf } from "../path/index.ts";
import { Pacer } from "../text/steps.ts";
import { Directories, found } from "./_directories.ts";
import { asked } from "./_refusal.ts";
import { scanMount } from "./_scan-mount.ts";
import { resolveMounts, type Mount, type ResolveOptions } from "./mount.ts";
import { PinnedDirectory } from "./pinned-directory.ts";

/** Links that were made. */
export interface IgnoredLinks {
  /** Where they are, below the directory. */
  readonly paths: readonly string[];
  /** Removes them, where they are still what was made. */
  unlink(): void;
}

interface Link {
  /** Below the directory. */
  readonly way: readonly string[];
  readonly name: string;
  readonly target: string;
}

/**
 * Links what `.gitignore` files and the rules of the mounts leave out, `.git` excepted, into a directory that shows these mounts as the
 * workspace. A directory that is there already stays. Cost: a look at every entry of the folders.
 */
export async function linkIgnored(
  mounts: readonly Mount[],
  directory: string,
  options: ResolveOptions,
): Promise<IgnoredLinks> {
  const wanted: Link[] = [];
  for (const mount of resolveMounts(mounts, options)) {
    const above = relativePath(mount.to) === "" ? [] : segmentsOf(mount.to);
    await scanMount(mount, {
      ...options,
      pace: new Pacer(),
      progress: () => {},
      leftOut: (shown, isDirectory) => {
        const name = shown.at(-1) ?? "";
        if (!isDirectory || name === ".git") return;
        const target = join(mount.root, ...mount.way, ...shown);
        wanted.push({ way: [...above, ...shown.slice(0, -1)], name, target });
      },
    });
  }
  const made = within(directory, (directories) => wanted.filter((link) => makeLink(directories, link)));
  return {
    paths: made.map(({ way, name }) => [...way, name].join("/")),
    unlink: () =>
      within(directory, (directories) => {
        for (const link of made) removeLink(directories, link);
      }),
  };
}

function within<T>(directory: string, work: (directories: Directories) => T): T {
  const root = PinnedDirectory.open(directory);
  const directories = new Directories(root);
  try {
    return work(directories);
  } finally {
    directories.close();
    root.close();
  }
}

function makeLink(directories: Directories, { way, name, target }: Link): boolean {
  const directory = directories.find(way);
  if (directory === undefined || directory.stat(name) !== undefined) return false;
  asked(() => symlinkSync(target, directory.place(name), "dir"));
  return true;
}

function removeLink(directories: Directories, { way, name, target }: Link): void {
  const directory = found(() => directories.find(way));
  if (directory?.stat(name)?.isSymbolicLink() === true && directory.readLink(name) === target)
    directory.unlink(name);
}
