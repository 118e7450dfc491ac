// Owns: `holdfast land`: a plan is shown, and what was shown is landed when the user says so.
// Must never: write to a folder what was not shown, or without a yes.

import { plural } from "../text/plural.ts";
import { obstacleWords } from "../host/landing-conflict.ts";
import type { LandingPlan, PlanConflict } from "../tools/index.ts";
import { askLine, INTERRUPTED_CODE } from "./ask.ts";
import { finishLanding } from "./finish-landing.ts";
import type { ShowPath } from "./given-path.ts";
import { advised, shellWord, type AboutFlags } from "./stored-command.ts";
import { requireFolder, withStored, type StoredSession } from "./stored-session.ts";
import { requireKnown } from "./known-work.ts";
import { isPrinted, note, printResult, printText, type JsonFlag } from "./output.ts";
import { IGNORED, notMountedLines, planText, planValue } from "./plan-text.ts";
import { landProgress } from "./progress.ts";
import { RefusedError, UsageError } from "./usage-error.ts";

interface LandFlags extends AboutFlags, JsonFlag {
  readonly agent?: readonly string[];
  readonly record?: readonly number[];
  readonly path?: readonly string[];
  readonly leave?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly asDiff?: boolean;
  readonly asNdpatch?: boolean;
  readonly branch?: string;
}

export async function landCommand(flags: LandFlags): Promise<void> {
  const asks = flags.json !== true && process.stdin.isTTY && process.stderr.isTTY;
  const isOther = flags.asDiff === true || flags.asNdpatch === true || flags.branch !== undefined;
  if (flags.yes !== true && flags.dryRun !== true && !isOther && !asks)
    throw new UsageError("There is no terminal to ask on. Add --yes to land, or --dry-run to see the plan.");
  await withStored(flags, async (stored) => {
    requireFolder(stored, flags);
    await finishLanding(stored.session);
    if (stored.isLive)
      return printResult(
        flags,
        { id: stored.session.id, live: true, files: [], isEmpty: true },
        () => "Nothing waits to be landed: the session works in the folder itself.",
      );
    const { agent, record } = flags;
    await requireKnown(stored.session, { agents: agent, records: record }, flags);
    const [path, leave] = [await stored.paths.allKnown(flags.path), await leaveGiven(stored, flags.leave)];
    const plan = await stored.session.plan({
      ...(agent === undefined ? {} : { agents: agent }),
      ...(record === undefined ? {} : { records: record }),
      ...(path === undefined ? {} : { paths: path }),
      ...(leave === undefined ? {} : { leave }),
    });
    if (isOther) await writeElsewhere(plan, stored, flags);
    else await land(plan, stored, flags);
  });
}

async function land(plan: LandingPlan, stored: StoredSession, flags: LandFlags): Promise<void> {
  const value = { id: stored.session.id, ...(await planValue(plan, { binary: false })) };
  if (flags.json !== true) printText(await planText(plan, stored.paths.show));
  if (plan.conflicts.length > 0) throw refused(plan.conflicts, flags, stored.paths.show);
  if (plan.isEmpty || flags.dryRun === true)
    return printResult(flags, { ...value, dryRun: flags.dryRun === true }, () => "");
  if (!(await isPrinted())) throw notShown();
  if (flags.yes !== true && !(await isAgreed(plan)))
    return note(
      "Nothing was written. --leave ID lands without a hunk or file, --path and --agent only some.",
    );
  const progress = landProgress();
  const { landing, requests, position } = await plan
    .land({ onProgress: progress.onProgress })
    .finally(progress.end);
  const done =
    `Landed ${plural(plan.files.length, "file")} (landing ${landing})` +
    (requests.length === 0 ? "" : `; settled ${plural(requests.length, "landing request")}`);
  printResult(flags, { ...value, landing, requests, position }, () => done);
  // The folder is written even where that could not be printed: standard error says it then.
  if (await isPrinted()) return;
  process.exitCode = 1;
  note(done);
}

function notShown(): RefusedError {
  return new RefusedError(
    "internal",
    "not_shown",
    "Nothing was landed: the plan could not be shown, because standard output cannot be written.",
    {},
  );
}

/** Ids of hunks as they are, and paths as they are meant from here. */
async function leaveGiven(
  { paths }: StoredSession,
  leave: LandFlags["leave"],
): Promise<string[] | undefined> {
  return leave && Promise.all(leave.map(async (name) => (HUNK_ID.test(name) ? name : paths.known(name))));
}

const HUNK_ID = /^[0-9a-f]{16}$/;

/** Whether the user says yes. Everything else is a refusal, which the exit code tells. */
async function isAgreed({ files }: LandingPlan): Promise<boolean> {
  const question = `Write ${plural(files.length, "file")} to the folder? [y/N] `;
  const answer = await askLine(question, process.stderr);
  if (answer.how === "typed" && /^y(es)?$/i.test(answer.text)) return true;
  process.exitCode = answer.how === "interrupted" ? INTERRUPTED_CODE : 1;
  return false;
}

function refused(conflicts: readonly PlanConflict[], flags: LandFlags, show: ShowPath): RefusedError {
  const paths = (reason: string): string[] =>
    conflicts
      .filter((one) => one.reason === reason && one.obstacle?.what !== "same_file")
      .map(({ path }) => show(path));
  const [outside, inUse] = [paths("changed_outside"), paths("path_in_use")];
  const [first = ""] = outside;
  const parts = [
    ...(outside.length === 0
      ? []
      : [
          `${outside.join(", ")} changed in the folder too. Run ${advised("refresh", flags)}, which brings that into the session, and land again; ` +
            `where both do not fit together, ${advised("refresh", flags, "--take", `${first}=outside`)} takes the folder's text and =session keeps the session's.`,
        ]),
    ...(inUse.length === 0
      ? []
      : [`${inUse.join(", ")} is another file in the folder. Land the change that moves or deletes it too.`]),
    ...conflicts.flatMap((one) => inTheWay(one, flags, show)),
  ];
  return new RefusedError(
    "conflict",
    outside.length > 0 ? "changed_outside" : (conflicts[0]?.reason ?? "path_in_use"),
    `Nothing was written. ${parts.join(" ")}`,
    { conflicts },
  );
}

/** What to do about something that no refresh takes in. */
function inTheWay(
  { path, obstacle, base, session }: PlanConflict,
  flags: LandFlags,
  show: ShowPath,
): string[] {
  if (obstacle === undefined) return [];
  const name = show(path);
  if (obstacle.what === "same_file")
    return [
      `${name} and ${show(obstacle.path)} are one file of a folder that is mounted at two places. Land one of them and leave the other ` +
        `out with --leave ${shellWord(name)}; ${advised("refresh", flags)} then brings it in under both names.`,
    ];
  const where = obstacle.path === path ? "" : `, in the way of ${name}`;
  const take = session === null ? [] : ["--take", `${name}=session`];
  const after = base === null ? "" : ` and run ${advised("refresh", flags, ...take)}`;
  return [
    `${show(obstacle.path)} is ${obstacleWords(obstacle.what)} in the folder${where}. ` +
      `Move it away there${after}, or leave it out with --leave ${shellWord(name)}; then land again.`,
  ];
}

async function writeElsewhere(
  plan: LandingPlan,
  { session, paths }: StoredSession,
  flags: LandFlags,
): Promise<void> {
  const value = { id: session.id, ...(await planValue(plan)) };
  for (const line of flags.json === true ? [] : notMountedLines(plan.notMounted, paths.show)) note(line);
  for (const { path, ignored } of flags.json === true ? [] : plan.files)
    if (ignored === true) note(`${paths.show(path)} is ${IGNORED}.`);
  if (plan.isEmpty) note("Nothing to land.");
  if (flags.branch !== undefined && !plan.isEmpty) {
    const obstacles = plan.conflicts.filter(({ obstacle }) => obstacle !== undefined);
    if (obstacles.length > 0) throw refused(obstacles, flags, paths.show);
    const { branch, commits } = await plan.gitCommit({ branch: flags.branch });
    return printResult(flags, { ...value, branch, commits }, () =>
      [
        `Branch ${branch}:`,
        ...commits.map(
          ({ commit, agent, files }) => `  ${commit.slice(0, 12)}  ${agent}  ${plural(files.length, "file")}`,
        ),
      ].join("\n"),
    );
  }
  if (flags.asNdpatch !== true) {
    const diff = await plan.text();
    return printResult(flags, value, () => diff);
  }
  const ndpatch = plan.isEmpty ? "" : await plan.ndpatch();
  printResult(flags, { ...value, ndpatch }, () => ndpatch);
}
