// Owns: the question whether a text that is made of a part of a file's history still makes sense.
// Must never: judge bytes that are lost: they can still be taken back or left.

import type { Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { Content, Journal } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import type { ByteSource } from "../text/index.ts";
import type { Pacer, Steps } from "../text/steps.ts";

/** Who can tell whether a text makes sense. */
export interface TextJudge {
  /** Whether it knows files of this name. */
  knows(path: WorkspacePath): boolean;
  /** What is wrong with a text, as a clause, where another is sound. */
  brokenSteps(path: WorkspacePath, sound: ByteSource, text: ByteSource): Steps<Shown | undefined>;
}

/** What is wrong with a text where another is sound. */
export async function brokenText(
  journal: Journal,
  judge: TextJudge,
  path: WorkspacePath,
  sound: Content,
  text: Content,
  pace: Pacer,
): Promise<Shown | undefined> {
  const opened: (ByteSource & { close(): void })[] = [];
  const open = async (content: Content): Promise<ByteSource> => {
    const source = await journal.source(content);
    opened.push(source);
    return source;
  };
  try {
    return await pace.run(judge.brokenSteps(path, await open(sound), await open(text)));
  } catch (error) {
    if (isBlobLost(error)) return undefined;
    throw error;
  } finally {
    for (const source of opened) source.close();
  }
}
