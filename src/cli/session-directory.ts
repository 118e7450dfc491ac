// Owns: the directory of a session, as commands ask for it.

import { HoldfastError } from "../errors.ts";
import type { Session } from "../tools/index.ts";
import { RefusedError } from "./usage-error.ts";

export interface DirectoryFlags {
  /** Where the system gives no guard against swapped links: make it all the same. */
  readonly acceptRaces?: boolean;
}

/** The directory. Throws what is refused in words of the command line. */
export async function directoryOf(
  session: Pick<Session, "directory">,
  { acceptRaces = false }: DirectoryFlags,
): Promise<string> {
  try {
    return await session.directory({ acceptRaces });
  } catch (error) {
    if (!HoldfastError.is(error) || error.reason !== "races_not_guarded") throw error;
    throw new RefusedError(
      error.code,
      error.reason,
      "This system has no /proc/self/fd, so a program in the directory could lead Holdfast astray with swapped links. " +
        "With programs that you trust, run the command again with --accept-races.",
      {},
    );
  }
}
