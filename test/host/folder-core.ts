// Owns: the parts of a session with one mounted folder, without tools.

import { importInto } from "../../src/host/import-changes.ts";
import { LiveFolders } from "../../src/host/live-folders.ts";
import { resolveMounts, type Mount } from "../../src/host/mount.ts";
import type { PinOptions } from "../../src/host/pinned-directory.ts";
import { SessionFolders } from "../../src/host/session-folders.ts";
import { SessionMounts } from "../../src/host/session-mounts.ts";
import { resolveLimits } from "../../src/limits.ts";
import type { WorkspacePath } from "../../src/path/index.ts";
import { commitAs, type Actor } from "../../src/session/actor.ts";
import { blobContent } from "../../src/session/content.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { foldersSlice } from "../../src/session/folders/folders-slice.ts";
import { landingsSlice } from "../../src/session/landings.ts";
import { openCore } from "../../src/session/open-core.ts";
import type { SessionCore } from "../../src/session/transact.ts";
import { memoryStore } from "../../src/store/index.ts";
import { jsonJudge } from "../../src/tools/json/json-judge.ts";

const HOST: Actor = { agent: "host", role: "host", now: () => new Date() };

export interface FolderCore {
  readonly core: SessionCore;
  readonly folders: SessionFolders;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `pin: { by: "paths" }` holds the folder as on a system without `/proc/self/fd`. */
export async function folderCore(mount: Mount, pin: PinOptions = {}): Promise<FolderCore> {
  const limits = resolveLimits();
  const journal = await memoryStore().open("s", { create: true });
  const core = await openCore(journal, [filesSlice, foldersSlice, landingsSlice], { limits });
  const mounts = resolveMounts([mount], { limits, names: "ascii", pin });
  const live = new LiveFolders({ core, host: HOST, mounts, report: () => {} });
  await live.take();
  await new SessionMounts({ core, actor: HOST, mounts, warn: () => {} }).open();
  await live.open();
  return {
    core,
    folders: new SessionFolders(core, HOST, jsonJudge(), mounts),
    async write(path, text) {
      await commitAs(core, HOST, "call", path, async (draft) => {
        const bytes = new TextEncoder().encode(text);
        const content = blobContent(await journal.stage(bytes), bytes.length);
        const body = { content, encoding: "utf-8", executable: false };
        await importInto(core, draft, [{ path: `/workspace/${path}` as WorkspacePath, body }], HOST.now());
      });
    },
    async close() {
      await live.close();
      await core.close();
    },
  };
}
