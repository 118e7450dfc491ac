// Owns: one page of matches: as many as the budget holds, `path = value` each, and where the next page begins.

import { z } from "zod";
import { oneLine, queryJsonSteps, type JsonFound, type JsonPage, type JsonPath } from "../../json/index.ts";
import type { Shown } from "../../errors.ts";
import { cutText } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import type { ReadCtx } from "../tool.ts";
import { PAUSE_EVERY, type JsonDocument } from "./_document.ts";

export const match: z.ZodObject<{
  json_path: z.ZodString;
  kind: z.ZodString;
  json: z.ZodString;
  cut: z.ZodOptional<z.ZodBoolean>;
}> = z.object({
  /** Normalized: what a write of this very place takes. */
  json_path: z.string(),
  kind: z.string(),
  /** The value as in the document, with markers where it was cut. */
  json: z.string(),
  cut: z.boolean().optional(),
});

type Match = z.output<typeof match>;

export interface MatchesPage {
  readonly matches: Match[];
  /** How many matches come before the next page; absent when this is the last. */
  readonly next?: number;
  readonly end: JsonPage["end"];
  readonly warnings: Shown[];
}

export interface MatchPageRequest {
  /** Matches of the pages before. */
  readonly offset: number;
  readonly limit: number;
  /** Characters that the lines of the page may take. */
  readonly room: number;
}

/** The page holds at least one match where there is one, so that every page leads on. */
export async function matchPage(
  ctx: ReadCtx,
  { source, indexes }: JsonDocument,
  query: JsonPath,
  { offset, limit, room }: MatchPageRequest,
): Promise<MatchesPage> {
  const { jsonQuerySteps: maxSteps, jsonQueryMillis: maxMillis } = ctx.limits;
  const bounds = { maxSteps, maxMillis, pauseEvery: PAUSE_EVERY, indexes };
  const page = await runPaced(
    queryJsonSteps(source, query, { ...bounds, offset, limit, budget: room }),
    ctx.signal,
  );
  const fitting = page.matches.map(matchOf);
  const matches = fitting.slice(0, countFitting(fitting, room));
  const left = fitting.length - matches.length;
  const next = page.next ?? (left > 0 ? offset + fitting.length : undefined);
  return {
    matches,
    ...(next === undefined ? {} : { next: next - left }),
    end: page.end,
    warnings: [...page.warnings],
  };
}

function matchOf({ path, kind, value }: JsonFound): Match {
  const cut = (value?.cuts.length ?? 0) > 0;
  return { json_path: path, kind, json: oneLine(value?.text ?? ""), ...(cut ? { cut } : {}) };
}

function countFitting(matches: readonly Match[], room: number): number {
  let size = 0;
  const over = matches.findIndex((one) => (size += editedLine(one).length + 1) > room);
  return over < 0 ? matches.length : Math.max(1, over);
}

function editedLine({ json_path: path, json }: Match): string {
  return `${path} = ${json}`;
}

const SOME_CUT = "[Values are cut where they say so: get_json_value of such a path shows more]";

/** Said where a key alone does not fit a page. */
export const KEY_CUT = "[A key is too long for this page and cut: a larger budget or read_file shows it]";

/** The lines of a page. Only a match that alone is too long for it is cut, its path and its value each to a half. */
export function matchLines(matches: readonly Match[], room: number): string[] {
  const most = room - KEY_CUT.length - SOME_CUT.length - 2;
  let isKeyCut = false;
  let isCut = matches.some(({ cut }) => cut === true);
  const lines = matches.map((one) => {
    if (editedLine(one).length <= most) return editedLine(one);
    const json = clipped(one.json, Math.max(most >> 1, most - one.json_path.length - EQUALS));
    const path = clipped(one.json_path, most - json.length - EQUALS);
    isKeyCut ||= path !== one.json_path;
    isCut ||= json !== one.json;
    return editedLine({ ...one, json_path: path, json });
  });
  return [...lines, ...(isKeyCut ? [KEY_CUT] : []), ...(isCut ? [SOME_CUT] : [])];
}

const EQUALS = " = ".length;

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most - 3).text}...`;
}

/** What is to be said about a query besides its matches. */
export function queryNotices({ end, warnings }: { end: string; warnings: readonly string[] }): string[] {
  const stopped = end === "steps" || end === "time";
  return [
    ...warnings.map((warning) => `[Warning] ${warning}`),
    ...(stopped
      ? ["[Stopped early: more may match. Begin the path with names instead of .. or *, which costs less]"]
      : []),
  ];
}
