// Owns: the parent's side of an isolated case: one child process per subject, spoken to by messages.

import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Contestant, Finish, Round } from "./_contest.ts";
import { EXTENSION, HERE, ROOT } from "./_root.ts";

export type Order =
  | {
      readonly do: "start";
      readonly file: string;
      readonly case: string;
      readonly subject: string;
      readonly env: unknown;
    }
  | { readonly do: "round"; readonly number: number; readonly answer: boolean }
  | { readonly do: "finish" }
  | { readonly do: "stop" };

export type Answer =
  | { readonly done: true }
  | { readonly round: Round }
  | { readonly finish: Finish }
  | { readonly failed: string };

/** Prepares a subject in a process of its own. */
export async function enterIsolated(
  file: string,
  caseName: string,
  subject: string,
  env: unknown,
): Promise<Contestant> {
  const child = fork(path.join(HERE, `_child${EXTENSION}`), [], {
    cwd: ROOT,
    execArgv: EXTENSION === ".ts" ? ["--import", "tsx"] : [],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const stop = async (): Promise<void> => {
    if (!child.connected) return;
    await ask(child, { do: "stop" }).catch(() => child.kill());
    if (child.connected) child.disconnect();
  };
  try {
    await ask(child, { do: "start", file, case: caseName, subject, env });
  } catch (error) {
    child.kill();
    throw error;
  }
  let first = true;
  return {
    name: subject,
    async round(number) {
      // Answers are compared once; a large one sent every round would only cost time.
      const answer = await ask(child, { do: "round", number, answer: first });
      first = false;
      if (!("round" in answer)) throw new Error("expected a round");
      return answer.round;
    },
    async finish() {
      const answer = await ask(child, { do: "finish" });
      if (!("finish" in answer)) throw new Error("expected the values");
      return answer.finish;
    },
    stop,
  };
}

function ask(child: ChildProcess, order: Order): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off("message", answered);
      child.off("exit", ended);
    };
    const answered = (answer: Answer): void => {
      settle();
      if ("failed" in answer) reject(new Error(answer.failed));
      else resolve(answer);
    };
    const ended = (code: number | null, signal: string | null): void => {
      settle();
      if (order.do === "stop") resolve({ done: true });
      else reject(new Error(`its process ended (${signal ?? `code ${String(code)}`}) during ${order.do}`));
    };
    child.on("message", answered);
    child.on("exit", ended);
    child.send(order);
  });
}
