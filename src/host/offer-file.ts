// Owns: what of one file differs between a folder and the session with some records standing, in parts that can be left out.

import { comparePaths, type WorkspacePath } from "../path/index.ts";
import { EMPTY_CONTENT, spliceContent, type ContentSplice } from "../session/content.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { FileFacts } from "../session/files/file-facts.ts";
import type { StepRecord } from "../session/files/file-history.ts";
import type { HistoryOf, WholeWeave } from "../session/files/whole-weave.ts";
import { isLanded, landedPairs, type FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { digest } from "../store/chain.ts";
import type { Content } from "../store/journal.ts";
import {
  bytesSource,
  hunksOfSteps,
  lineIndexSteps,
  readBytesSteps,
  renderHunks,
  type Splice,
} from "../text/index.ts";
import { Pacer, type Steps } from "../text/steps.ts";
import { heldDifferenceSteps, spliceHeld, type HeldSplice, type HeldText } from "../text/weave-held.ts";
import type { Standing } from "../text/weave-parts.ts";
import { textSteps } from "../text/weave-text.ts";
import { contentChanges } from "./compare-content.ts";
import { touchingSplices } from "./_group-hunks.ts";

/** A hunk is shown up to this: the plan as a diff has all of it. */
const SHOWN_BYTES = 1 << 21;
const SHOWN_LINE_BYTES = 1 << 16;

/** A file that differs: in the folder, in the session, or both. */
export interface Candidate extends HistoryOf {
  readonly known: FolderFile | undefined;
}

/** What becomes of a file as a whole. */
export type PlanKind = "change" | "create" | "delete" | "rename" | "binary" | "mode";

/** Lines of a file that are taken or left together. */
export interface PlanHunk {
  /** Names it in `leave`: a hash of the path and of the bytes that it removes and inserts, by who wrote them. */
  readonly id: string;
  /** As a unified diff shows it, with three lines around it. Of a very large one only a part, which says what it leaves out. */
  readonly text: string;
  /** Who made the difference. */
  readonly agents: readonly string[];
  /** Their records, oldest first. */
  readonly records: readonly number[];
}

/** A part of the difference. `records` has those that are chosen, `splices` are over the folder's text. */
export interface OfferedHunk extends PlanHunk {
  readonly splices: readonly OfferSplice[];
}

type OfferSplice = ContentSplice & { readonly inserted?: HeldText };

/** What one file comes to with all its hunks. */
export interface FileOffer {
  readonly candidate: Candidate;
  readonly kind: PlanKind;
  readonly path: WorkspacePath;
  readonly hunks: readonly OfferedHunk[];
  readonly target: Omit<FileFacts, "content">;
  readonly agents: readonly string[];
  readonly records: readonly number[];
  /** The folder's runs, where they are known. */
  readonly runs: HeldText | undefined;
  /** All records of the file, and those that stand in the target. */
  readonly all: readonly number[];
  readonly standing: ReadonlySet<number>;
}

/** What the folder has of a file's records. */
export interface HeldWork {
  /** Those whose work is in the folder. */
  readonly was: Standing;
  /** The folder's runs, where they are known and in the weave. */
  readonly runs: HeldText | undefined;
}

export interface Chooser {
  /** All that differs is to be landed, whoever made it. */
  readonly isAll: boolean;
  /** Is this record one of those whose work is to be landed? */
  readonly takes: (seq: number) => boolean;
  /** The chosen records whose work a record brings back; else the record itself. */
  readonly workOf: (seq: number) => readonly number[];
  readonly record: (seq: number) => StepRecord | undefined;
}

/** Undefined where nothing differs that the choice would land. */
export async function offerFile(
  core: SessionCore,
  candidate: Candidate,
  whole: WholeWeave & HeldWork,
  mask: Standing,
  chooser: Chooser,
  pace: Pacer,
): Promise<FileOffer | undefined> {
  const { known, entry } = candidate;
  const { file, steps, was, runs } = whole;
  // Such a file is taken or left as it is, as the work of all its records.
  if (whole.isBroken === true && steps.length > 0 && !steps.some(({ record }) => chooser.takes(record.seq)))
    return undefined;
  const target = file.facts(mask);
  if (known === undefined && !target.exists) return undefined;
  const all = steps.map(({ record }) => record.seq);
  // The base stands for what is before all steps: its number is no work.
  const standing = new Set(
    file.weave.records
      .filter((record) => record !== file.weave.base && mask[record.index] === 1)
      .map(({ seq }) => seq),
  );
  const landed = new Set(all.filter((seq) => known !== undefined && isLanded(known, seq)));
  const held =
    runs === undefined ? undefined : await pace.run(heldDifferenceSteps(file.weave, runs, mask, was));
  const before = known?.content ?? EMPTY_CONTENT;
  const splices =
    held ??
    (await byLines(
      core,
      before,
      { extents: await pace.run(textSteps(file.weave, mask)) },
      standing,
      landed,
      pace,
    ));
  const isTaken = ({ by }: { readonly by: readonly number[] }): boolean =>
    by.length === 0 || by.some(chooser.takes);
  const path = target.path as WorkspacePath;
  const shared = { candidate, path, target, all, standing, runs: held === undefined ? undefined : runs };
  const named = (list: readonly number[]): Pick<PlanHunk, "agents" | "records"> => namesOf(list, chooser);
  const whose = named(wholeRecords(whole, known, splices, chooser));
  const taken = splices.filter(isTaken);
  if (!chooser.isAll && whose.records.length === 0 && taken.length === 0) return undefined;
  if (!target.exists)
    return known === undefined
      ? undefined
      : { ...shared, ...whose, path: known.path, kind: "delete", hunks: [] };
  const isText = [known?.encoding, target.encoding, entry?.encoding].every(
    (encoding) => encoding !== "binary",
  );
  if (known === undefined)
    return { ...shared, ...whose, kind: "create", hunks: [wholeHunk(path, splices, whose)] };
  const isMoved = known.path !== path;
  const isOther = known.executable !== target.executable;
  if (taken.length === 0 && !isMoved && !isOther) return undefined;
  const hunks = isText
    ? await hunksIn(core, path, before, taken, named, pace)
    : taken.length === 0
      ? []
      : [wholeHunk(path, taken, whose)];
  // Other bytes may be the same ones, written anew.
  const isOtherText = isText
    ? hunks.some(({ text }) => text !== "")
    : await makesOther(core, before, taken, pace);
  if (!isOtherText && !isMoved && !isOther) return undefined;
  const kind = isMoved ? "rename" : !isOtherText ? "mode" : isText ? "change" : "binary";
  return { ...shared, ...whose, kind, hunks };
}

type OfferedSplice = ContentSplice &
  Pick<HeldSplice<unknown>, "by"> & { readonly inserted?: HeldText; readonly removed?: HeldText };

/** The same without runs: line by line, and by all records that have not landed yet. */
async function byLines(
  core: SessionCore,
  before: Content,
  { extents }: Pick<Content, "extents">,
  standing: ReadonlySet<number>,
  landed: ReadonlySet<number>,
  pace: Pacer,
): Promise<OfferedSplice[]> {
  const size = extents.reduce((sum, [, , length]) => sum + length, 0);
  const by = [...standing].filter((seq) => !landed.has(seq));
  return (await contentChanges(core, before, { size, extents }, pace)).map((splice) => ({ ...splice, by }));
}

/** Who made a difference of the file as a whole. */
function wholeRecords(
  { steps }: WholeWeave,
  known: FolderFile | undefined,
  splices: readonly OfferedSplice[],
  { takes }: Chooser,
): number[] {
  const wrote = steps
    .filter(
      ({ record, changes }) =>
        takes(record.seq) && changes.some(({ op }) => op !== "splice" && op !== "rewrite"),
    )
    .map(({ record }) => record.seq)
    .filter((seq) => known === undefined || !isLanded(known, seq));
  return [...new Set([...wrote, ...splices.flatMap(({ by }) => by).filter(takes)])].toSorted((a, b) => a - b);
}

function namesOf(
  seqs: readonly number[],
  { takes, workOf, record }: Chooser,
): Pick<PlanHunk, "agents" | "records"> {
  const records = [...new Set(seqs.filter(takes).flatMap(workOf))].toSorted((a, b) => a - b);
  const agents = new Set(records.map((seq) => record(seq)?.agent).filter((agent) => agent !== undefined));
  return { records, agents: [...agents] };
}

function wholeHunk(
  path: WorkspacePath,
  splices: readonly OfferedSplice[],
  whose: Pick<PlanHunk, "agents" | "records">,
): OfferedHunk {
  return {
    id: idOf(
      path,
      splices.map((splice) => identity(splice)),
      0,
    ),
    text: "",
    ...whose,
    splices,
  };
}

async function hunksIn(
  core: SessionCore,
  path: WorkspacePath,
  before: Content,
  splices: readonly OfferedSplice[],
  named: (seqs: readonly number[]) => Pick<PlanHunk, "agents" | "records">,
  pace: Pacer,
): Promise<OfferedHunk[]> {
  if (splices.length === 0) return [];
  const text = await wholeBytes(core, before, pace);
  const bytes = await insertedBytes(core, splices, pace);
  const groups = await pace.run(
    touchingSplices(
      text,
      bytes.map(({ at, remove, insert }) => ({ at, remove, lastInserted: insert.at(-1) })),
    ),
  );
  const source = bytesSource(text);
  const shownAs = {
    budget: SHOWN_BYTES,
    lineLength: SHOWN_LINE_BYTES,
    lines: await pace.run(lineIndexSteps(source)),
  };
  const seen = new Map<string, number>();
  const hunks: OfferedHunk[] = [];
  for (const group of groups) {
    const own = group.map((i) => splices[i] as OfferedSplice);
    const shown = group.map((i) => bytes[i] as Splice);
    const words = own.map((splice, i) => identity(splice, shown[i], text));
    const key = JSON.stringify(words);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    hunks.push({
      id: idOf(path, words, nth),
      text: renderHunks(await pace.run(hunksOfSteps(source, shown, shownAs))),
      ...named(own.flatMap(({ by }) => by)),
      splices: own,
    });
    await pace.step();
  }
  return hunks;
}

/** Do splices make other bytes of a content? */
async function makesOther(
  core: SessionCore,
  before: Content,
  splices: readonly OfferedSplice[],
  pace: Pacer,
): Promise<boolean> {
  const after = spliceContent(before, splices);
  if (after.size !== before.size) return true;
  const [old, next] = [await wholeBytes(core, before, pace), await wholeBytes(core, after, pace)];
  return Buffer.compare(old, next) !== 0;
}

/** The splices with the bytes that they insert, which are read together. */
async function insertedBytes(
  core: SessionCore,
  splices: readonly OfferedSplice[],
  pace: Pacer,
): Promise<Splice[]> {
  const all = contentOfExtents(splices.flatMap(({ insert }) => insert));
  const bytes = await wholeBytes(core, all, pace);
  let from = 0;
  return splices.map(({ at, remove, insert }) => {
    const { size } = contentOfExtents(insert);
    from += size;
    return { at, remove, insert: bytes.subarray(from - size, from) };
  });
}

/** What tells a splice from others, wherever it is: the bytes by who wrote them, else their values. */
function identity(splice: OfferedSplice, bytes?: Splice, text?: Uint8Array): unknown {
  const { at, remove, insert, removed, inserted } = splice;
  if (removed !== undefined && inserted !== undefined) return [removed, inserted];
  if (bytes === undefined || text === undefined) return [at, remove, insert];
  const hex = (part: Uint8Array): string => Buffer.from(part).toString("base64");
  return [hex(text.subarray(at, at + remove)), hex(bytes.insert)];
}

function idOf(path: WorkspacePath, words: readonly unknown[], nth: number): string {
  return digest(JSON.stringify([path, words, nth])).slice(0, 16);
}

export function contentOfExtents(extents: Content["extents"]): Content {
  return { size: extents.reduce((sum, [, , length]) => sum + length, 0), extents };
}

export async function wholeBytes(
  { journal }: SessionCore,
  content: Content,
  pace: Pacer = new Pacer(),
): Promise<Uint8Array> {
  if (content.size === 0) return new Uint8Array(0);
  const source = await journal.source(content);
  try {
    return await pace.run(readBytesSteps(source, 0, content.size));
  } finally {
    source.close();
  }
}

/** What the folder holds of a file once these hunks are in it; undefined: nothing. */
export function* landedFileSteps(
  offer: FileOffer,
  hunks: readonly OfferedHunk[],
  mount: number,
): Steps<FolderFile | undefined> {
  const { candidate, target, path, runs, all, standing } = offer;
  const { id, known } = candidate;
  if (!target.exists) return undefined;
  const splices = hunks.flatMap((hunk) => hunk.splices).toSorted((a, b) => a.at - b.at);
  const chosen = new Set(hunks);
  const left = new Set(offer.hunks.filter((hunk) => !chosen.has(hunk)).flatMap(({ records }) => records));
  const taken = new Set(hunks.flatMap(({ records }) => records));
  const isIn = (seq: number): boolean =>
    standing.has(seq) && ((known !== undefined && isLanded(known, seq)) || !left.has(seq) || taken.has(seq));
  yield;
  const body: FileBody = {
    content: spliceContent(known?.content ?? EMPTY_CONTENT, splices),
    encoding: target.encoding,
    executable: target.executable,
  };
  yield;
  const after =
    runs === undefined
      ? {}
      : {
          runs: spliceHeld(
            runs,
            splices.map(({ at, remove, inserted = [] }) => ({ at, remove, insert: inserted })),
          ),
        };
  return { path, mount, id, ...body, ...after, landed: landedPairs(all, new Set(all.filter(isIn))) };
}

export function byPath(a: { readonly path: WorkspacePath }, b: { readonly path: WorkspacePath }): number {
  return comparePaths(a.path, b.path);
}
