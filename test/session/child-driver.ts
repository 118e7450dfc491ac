// Owns: a second process on the same session. It is started once, opens sessions as told, and can be killed.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { childProgram } from "../children.ts";
import type { Answer, Driver } from "./driver.ts";

const SCRIPT = childProgram("session", "driver");

export class ChildDriver {
  #child: ChildProcess | undefined;
  #lines: AsyncIterator<string> | undefined;

  async #send(message: object): Promise<unknown> {
    if (this.#child === undefined) {
      this.#child = spawn(process.execPath, [SCRIPT], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[
        Symbol.asyncIterator
      ]();
    }
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    const line = await this.#lines?.next();
    if (line === undefined || line.done === true) throw new Error("the other process ended");
    return JSON.parse(line.value) as unknown;
  }

  /** Opens a session there. */
  async open(directory: string, id: string): Promise<Driver> {
    await this.#send({ open: { directory, id } });
    return {
      run: async (command) => (await this.#send(command)) as Answer,
      crash: () => this.kill(),
      close: async () => {
        const { troubles } = (await this.#send({ close: true })) as { troubles: string[] };
        if (troubles.length > 0) throw new Error(troubles.join("\n"));
      },
    };
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}
