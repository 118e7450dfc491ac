// Owns: where a symbolic link leads below a pinned directory, walked one component at a time.
// Must never: let the system follow a link, or leave the directory.

import { relative, sep } from "node:path";
import { isBelow, type ResolvedMount } from "./mount.ts";
import { PinnedDirectory } from "./pinned-directory.ts";

/** Links on the way to one entry: as many as Linux allows. */
const MOST_LINKS = 40;

/** An entry below the root: the directory that holds it (the caller closes it), and its name; no name for a directory itself. */
export interface FollowedLink {
  readonly directory: PinnedDirectory;
  readonly name?: string;
  readonly way: readonly string[];
}

/**
 * Follows the way from the allowed root through links. Undefined when it leaves the root, dangles or goes
 * through too many links. Throws what the walk throws.
 */
export function followLinks(
  { root: rootPath, pin }: Pick<ResolvedMount, "root" | "pin">,
  way: readonly string[],
): FollowedLink | undefined {
  const open = [PinnedDirectory.openResolved(rootPath, pin)];
  const passed: string[] = [];
  const pending = [...way].reverse();
  let links = 0;
  let returned: PinnedDirectory | undefined;
  const goUp = (): void => {
    open.pop()?.close();
    passed.pop();
  };
  try {
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (passed.length === 0) return undefined;
        goUp();
        continue;
      }
      const here = open.at(-1) as PinnedDirectory;
      const stat = here.stat(name);
      if (stat === undefined) return undefined;
      if (stat.isSymbolicLink()) {
        if (++links > MOST_LINKS) return undefined;
        const target = here.readLink(name);
        const isFromTop = target.startsWith("/");
        if (isFromTop && !isBelow(rootPath, target)) return undefined;
        while (isFromTop && passed.length > 0) goUp();
        const parts = isFromTop ? relative(rootPath, target).split(sep) : target.split("/");
        pending.push(...parts.reverse());
      } else if (stat.isDirectory()) {
        open.push(here.enter(name));
        passed.push(name);
      } else if (pending.length === 0) {
        returned = here;
        return { directory: here, name, way: [...passed, name] };
      } else return undefined;
    }
    returned = open.at(-1) as PinnedDirectory;
    return { directory: returned, way: [...passed] };
  } finally {
    for (const directory of open) if (directory !== returned) directory.close();
  }
}
