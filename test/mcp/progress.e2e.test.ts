import { describe, expect, test } from "vitest";
import { folderOf } from "./connect.ts";
import { RawClient } from "./raw.ts";

interface Told {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/** What a client hears of a call until it has its result. */
async function heardOf(client: RawClient, name: string, args: object): Promise<Told[]> {
  const from = client.messages.length;
  await client.call(name, args, { progressToken: name });
  const told = client.messages.slice(from).filter(({ method }) => method === "notifications/progress");
  return told.map(({ params }) => params as unknown as Told);
}

describe.each(["legacy", "pinned"] as const)("progress for a %s client", (era) => {
  test("[MCP-36] mounting, opening again and planning are told, to their end, in numbers that grow", async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.txt`, `${at}\n`]));
    const { folder, env } = folderOf(files);
    const first = await RawClient.start(era, [folder], env);
    const mounted = await heardOf(first, "write_file", { path: "new.txt", content: "new\n" });
    expect(mounted.at(-1)).toMatchObject({ progress: 80, total: 80, message: "Copied 40 of 40 files" });
    await first.close();

    const second = await RawClient.start(era, [folder], env);
    second.answers.push({ action: "accept", content: {} });
    const told = await heardOf(second, "request_landing", { reason: "done" });
    const ends = told.filter(({ progress, total }) => progress === total);
    // Taking in what changed, looking for work that is not landed, and planning.
    expect(ends.filter(({ message }) => message === "Comparing with the folder")).toHaveLength(3);
    const numbers = told.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});
