// Owns: sessions of a live folder for tests, and what the folder shows.

import type { Mount } from "../../src/tools/index.ts";
import { hosted, type Hosted } from "../session/host-session.ts";
import { onDisk } from "./directory.ts";
import { folderOf } from "./folder.ts";

export interface Live extends Hosted {
  readonly folder: string;
}

export async function live(
  files: Record<string, string>,
  mount: Partial<Mount> = {},
  more: object = {},
): Promise<Live> {
  const folder = folderOf(files);
  const mounts = [{ from: folder, to: "/workspace", live: true, ...mount }];
  return { ...(await hosted({ mounts, ...more })), folder };
}

/** What the folder holds, without what is ours and git's. */
export function shown(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(onDisk(folder)).filter(([path]) => !/^\.(holdfast|git)\//.test(path)),
  );
}
