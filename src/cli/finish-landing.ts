// Owns: a landing that a process began and did not end: it is finished before anything else, and never in silence.

import { plural } from "../text/plural.ts";
import type { LandedUpdate, Session } from "../tools/index.ts";
import { note } from "./output.ts";

/** Finishes it, and says so on standard error: the folder is written by it. Undefined where there is none. */
export async function finishLanding(session: Session): Promise<LandedUpdate | undefined> {
  const landed = await session.resumeLanding();
  if (landed === undefined) return undefined;
  const { landing, isLanded, paths } = landed;
  const files = plural(paths.length, "file");
  note(
    isLanded
      ? `Landing ${landing} had been cut off midway and was finished: ${files} written to the folder.`
      : `Landing ${landing} had been cut off midway and was taken back, because the folder changed meanwhile: ${files}.`,
  );
  return landed;
}
