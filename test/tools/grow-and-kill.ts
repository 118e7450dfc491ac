// Owns: having another process grow a large tree in a store and edit it, and killing it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What the process said it holds, right before it was killed. */
export interface Grown {
  readonly digest: string;
  readonly nodes: number;
  readonly token: string;
  readonly at: { readonly seq: number; readonly hash: string };
  readonly planted: number;
  readonly perEdit: number;
  /** Bytes that the store grew by for each edit. */
  readonly growth: number;
}

/** `node` is what runs children/grow-tree: the script itself, with the options that it needs before it. */
export async function growAndKill(
  node: readonly string[],
  directory: string,
  nodes: number,
  edits: number,
): Promise<Grown> {
  const child = spawn(process.execPath, [...node, directory, String(nodes), String(edits)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill("SIGKILL");
    await ended;
    return JSON.parse(line) as Grown;
  }
  throw new Error("the process ended before it had said anything");
}
