// Owns: how a plan is shown: on a terminal, and as JSON.

import { plural } from "../text/plural.ts";
import { withoutLastBreak } from "../text/show-hunks.ts";
import type {
  AddedRecord,
  DiffOptions,
  FolderChange,
  LandingPlan,
  PlanFile,
  PlanHunk,
} from "../tools/index.ts";
import { conflictText } from "./conflict-text.ts";
import type { ShowPath } from "./given-path.ts";
import { paint, paintDiff } from "./output.ts";

/** What a record that comes along has to do with the one that needs it. */
const BECAUSE: Readonly<Record<AddedRecord["because"], string>> = {
  over: "which changes what it wrote",
  inside: "which writes inside what it wrote",
  spent: "which builds on what it removed",
  torn: "whose text it has torn apart",
  line: "whose lines it keeps apart from others",
  json: "without which the file would be no JSON",
  kept: "which a refresh kept together with it",
  exists: "which needs the file that it made, moved or deleted",
};

export async function planValue(plan: LandingPlan, how?: DiffOptions): Promise<object> {
  const { position, files, added, conflicts, notMounted, outside, isEmpty } = plan;
  return { position, files, added, conflicts, notMounted, outside, isEmpty, diff: await plan.text(how) };
}

/** Files with the ids of their hunks, the whole diff, and all that a user should know before saying yes. */
export async function planText(plan: LandingPlan, show: ShowPath): Promise<string> {
  const { files, added, conflicts, notMounted } = plan;
  const shown: string[] = [];
  for (const conflict of conflicts) shown.push(await conflictText(conflict, show));
  return [
    files.length === 0 ? "Nothing to land." : `${plural(files.length, "file")} to land:`,
    ...files.flatMap((file) => [fileLine(file, show), ...file.hunks.map(hunkLine)]),
    ...(files.length === 0 ? [] : [paintDiff(withoutLastBreak(await plan.text({ binary: false })))]),
    ...added.map(
      ({ record, agent, for: needs, because, path }) =>
        `Record ${record} by ${agent} comes along for record ${needs}, ${BECAUSE[because]} (${show(path)})`,
    ),
    ...outsideLines(plan.outside, show),
    ...notMountedLines(notMounted, show),
    ...shown,
  ].join("\n");
}

/** One line for a file: what becomes of it, and whose work it is. */
export function fileLine({ path, from, kind, agents, ignored }: PlanFile, show: ShowPath): string {
  const moved = from === undefined ? "" : `${show(from)} -> `;
  const note = ignored === true ? ` (${IGNORED})` : "";
  return `  ${kind.padEnd(8)} ${moved}${show(path)}${note}  ${paint("dim", agents.join(", "))}`.trimEnd();
}

/** What is said of a new file that is landed though the folder ignores its name. */
export const IGNORED = "ignored by .gitignore there";

export function outsideLines(outside: readonly FolderChange[], show: ShowPath): string[] {
  if (outside.length === 0) return [];
  return [
    `${plural(outside.length, "file")} changed in the folder meanwhile, by others:`,
    ...outside.map(({ path, change }) => `  ${change.padEnd(10)} ${show(path)}`),
  ];
}

export function notMountedLines(paths: LandingPlan["notMounted"], show: ShowPath): string[] {
  if (paths.length === 0) return [];
  return [
    `${plural(paths.length, "file")} only in the session, in no mounted folder or ignored there:`,
    ...paths.map((path) => `  ${show(path)}`),
  ];
}

function hunkLine({ id, text, agents }: PlanHunk): string {
  const [lines = ""] = text.split("\n", 1);
  return `    ${paint("dim", `${id}  ${lines}  ${agents.join(", ")}`)}`;
}
