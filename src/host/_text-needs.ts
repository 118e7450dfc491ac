// Owns: what a part of a file's records needs so that its text makes sense, as that of all of them does.
// Must never: judge a text that is the folder's, or the session's.

import { brokenText, type TextJudge } from "../session/text-judge.ts";
import type { WholeWeave } from "../session/files/whole-weave.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Pacer } from "../text/steps.ts";
import type { Standing } from "../text/weave-parts.ts";
import { textSteps } from "../text/weave-text.ts";
import { contentOfExtents, type Candidate, type HeldWork } from "./offer-file.ts";

/** A record that comes along, and one of the chosen whose text makes no sense without it. */
export interface TextNeed {
  readonly seq: number;
  readonly of: number;
}

/** All other records of the file; none where what `mask` has of them makes sense, or the session's text does not either. */
export async function textNeeds(
  { journal }: SessionCore,
  judge: TextJudge,
  { known, entry }: Candidate,
  { file, was }: Pick<WholeWeave, "file"> & Pick<HeldWork, "was">,
  mask: Standing,
  pace: Pacer,
): Promise<TextNeed[]> {
  const { weave } = file;
  const others = weave.records.filter(({ index, against }) => against === 0 && mask[index] === 0);
  const chosen = weave.records.findLast(({ index }) => mask[index] === 1 && was[index] === 0);
  const { exists, path } = file.facts(mask);
  const name = path as WorkspacePath;
  if (others.length === 0 || chosen === undefined || entry === undefined) return [];
  if (!exists || !judge.knows(name)) return [];
  const text = contentOfExtents(await pace.run(textSteps(weave, mask)));
  for (const sound of [entry.content, ...(known === undefined ? [] : [known.content])])
    if ((await brokenText(journal, judge, name, sound, text, pace)) === undefined) return [];
  return others.map(({ seq }) => ({ seq, of: chosen.seq }));
}
