import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { scratch } from "./scratch.ts";
import { hasStrace, trace, type Call } from "./trace.ts";

const isSync = ({ name }: Call): boolean => name === "fsync" || name === "fdatasync";

describe.skipIf(!hasStrace)("what a commit asks of the disk (needs strace)", () => {
  const directory = scratch();
  let traced: ReturnType<typeof trace> | undefined;
  const phase = (name: string): Call[] => {
    traced ??= trace(childProgram("store", "syncs"), [join(directory, "store")], join(directory, "log"));
    return traced.calls.filter((call) => call.phase === name);
  };

  test("[JRN-110] one fsync per acknowledged append, of the WAL", () => {
    const syncs = phase("appends").filter(isSync);
    expect(syncs).toHaveLength(20);
    expect(syncs.every(({ on }) => on.endsWith("journal.db-wal"))).toBe(true);
  });

  test("[JRN-110] one also for an append after a rest", () => {
    expect(phase("rested").filter(isSync)).toHaveLength(1);
  });

  test("[JRN-110] a blob file is synced, renamed and its name synced before the record", () => {
    const calls = phase("files");
    const kinds = calls.map(({ name, on }) => {
      if (name.startsWith("rename")) return "rename";
      if (on.endsWith("-wal")) return "record";
      if (on.includes("/staging/")) return "file";
      return on.endsWith("/blobs") ? "directory" : `other ${on}`;
    });
    expect(kinds).toEqual(Array.from({ length: 5 }, () => ["file", "rename", "directory", "record"]).flat());
  });

  test("[JRN-110] one fsync for each named row that was set", () => {
    expect(phase("rows").filter(isSync)).toHaveLength(5);
  });

  test("[JRN-110] reads, views and leases cost none", () => {
    expect(phase("reads").filter(isSync)).toEqual([]);
    expect(phase("light").filter(isSync)).toEqual([]);
  });

  test("[JRN-111] appends that wait together share one", () => {
    expect(phase("together").filter(isSync)).toHaveLength(1);
  });
});
