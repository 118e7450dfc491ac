// Owns: one page of a list of nodes, and what list queries share: property filters and paging arguments.

import type { Shown } from "../errors.ts";
import { showName } from "../text/show.ts";
import type { Found } from "./forest.ts";
import { outlineLine } from "./outline.ts";
import { cutToFit, type CutValue, type NodeJson } from "./project.ts";
import type { Paging, TreeReading, Sheet } from "./reading.ts";
import { NO_VIEWS, takeFilter, type PropertyFilter } from "./view.ts";

/**
 * Which properties a read shows: those equal to or under an included path, without excluded ones. Exclude wins.
 */
export interface Properties {
  /** Properties to show; all when left out. */
  readonly includedProperties?: readonly string[];
  /** Properties to hide. */
  readonly excludedProperties?: readonly string[];
}

/** The names of what every list takes, for `checkFieldNames`. */
export const LIST_FIELDS = {
  limit: true,
  pageToken: true,
  includedProperties: true,
  excludedProperties: true,
} as const;

/** The call's own filter when it gives one, else the agent's. */
export function filterFor(reading: TreeReading, input: Properties, scope: "view" | "node"): PropertyFilter {
  if (input.includedProperties === undefined && input.excludedProperties === undefined)
    return (reading.views ?? NO_VIEWS).filters[scope];
  return takeFilter(input.includedProperties, input.excludedProperties, reading.limits);
}

/**
 * One page of nodes; `total` counts all pages, `pageToken` leads on, `cut` names values too large for any page.
 */
export interface ListPage {
  /** The nodes as JSON. */
  readonly items: readonly NodeJson[];
  /** How many there are on all pages. */
  readonly total: number;
  /** Brings the next page of the same state; absent on the last. */
  readonly pageToken?: string;
  /** What a reader must know: that the page was shortened, and why. */
  readonly notes: readonly Shown[];
  /** What is odd about the question: a type that no node has. */
  readonly warnings: readonly Shown[];
  /** Values that did not fit and are shown cut. */
  readonly cut: readonly CutValue[];
  /** The same as text, a line for each node. */
  readonly outline: string;
}

/** Takes items from `next` until the page or the budget is full. `next` returns undefined at the end. */
export function listPage(
  sheet: Sheet,
  total: number,
  warnings: readonly Shown[],
  next: () => { found: Found; json: NodeJson; at: number } | undefined,
  token: (at: number) => string | undefined,
): ListPage {
  const items: NodeJson[] = [];
  const lines: string[] = [];
  const cut: CutValue[] = [];
  let spent = 0;
  let last = sheet.at;
  let more = false;
  for (let item = next(); item !== undefined; item = next()) {
    let { json } = item;
    const size = JSON.stringify(json).length + 2;
    if (items.length >= sheet.size || (spent + size > sheet.budget && items.length > 0)) {
      more = true;
      break;
    }
    if (spent + size > sheet.budget) {
      const fitted = cutToFit(json, item.found.tree.idOf(item.found.slot), sheet.budget);
      json = fitted.json;
      cut.push(...fitted.cut);
    }
    spent += size;
    items.push(json);
    lines.push(
      outlineLine(json, 0, 0) +
        (typeof json["Path"] === "string" ? `  in ${showName(json["Path"], 240)}` : ""),
    );
    last = item.at;
  }
  const pageToken = more ? token(last) : undefined;
  return {
    items,
    total,
    ...(pageToken === undefined ? {} : { pageToken }),
    notes: sheet.notes,
    warnings,
    cut,
    outline: lines.join("\n"),
  };
}

export function pagingOf(input: { readonly limit?: number; readonly pageToken?: string }): Paging {
  return {
    ...(input.limit === undefined ? {} : { pageSize: input.limit }),
    ...(input.pageToken === undefined ? {} : { pageToken: input.pageToken }),
  };
}

/** What a page token is tied to: the kind of query and all arguments but the token. */
export function pageQuery(kind: string, input: object): string {
  // What is no JSON is refused where it is used.
  const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify([kind, { ...input, pageToken: undefined }], plain);
}
