// Owns: opening a session: what may be asked of it, what holds from before, and its mounts.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { resolveMounts, type Mount, type ResolvedMount } from "../host/mount.ts";
import { LIMITS, resolveLimits, STORE_LIMITS, type Limits } from "../limits.ts";
import { openCore } from "../session/open-core.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { foldersSlice } from "../session/folders/folders-slice.ts";
import { PathRules } from "../session/files/workspace.ts";
import { gatesSlice } from "../session/gates/gates-slice.ts";
import { landingsSlice } from "../session/landings.ts";
import { keepPolicy, policySlice } from "../session/policy.ts";
import { newSessionId } from "../session/sessions.ts";
import type { AnySlice } from "../session/slice.ts";
import { OWN_SLICES } from "../session/state.ts";
import { treeSlice } from "../session/tree/tree-slice.ts";
import type { Journal, Store } from "../store/journal.ts";
import { memoryStore } from "../store/memory.ts";
import { systemClock } from "./clock.ts";
import { stderrLog } from "./log.ts";
import { HOST_OPTIONS } from "./host-options.ts";
import { noteTurn } from "../text/steps.ts";
import {
  badOptions,
  checkArgument,
  checkMethods,
  checkNames,
  checkOptions,
  type OptionKinds,
} from "../text/options.ts";
import type { Session, SessionOptions } from "./session.ts";
import { rulesetsOf } from "./tree/_rulesets.ts";
import { toolsOf } from "./session-tools.ts";
import { OpenedSession } from "./opened-session.ts";
import { PolicyInForce } from "./policy-in-force.ts";

const MOUNT_OPTIONS: OptionKinds<Mount> = {
  from: "any",
  to: "any",
  include: "strings",
  exclude: "strings",
  maxBytes: "any",
  followSymlinks: "any",
  strict: "any",
  gitignore: "any",
  live: "boolean",
};

/** Throws `invalid_argument` / `bad_options` for a slice that is none, or whose name another one has. */
function checkSlices(slices: readonly AnySlice[]): void {
  const names = new Set(OWN_SLICES);
  for (const [i, slice] of slices.entries()) {
    const item = say`slices: item ${i + 1}`;
    checkMethods(item, slice ?? null, ["empty", "reader", "apply", "refuse", "keys"]);
    checkArgument(say`${item}: its name`, slice.name, "string");
    if (names.has(slice.name))
      throw badOptions(
        say`${item} is called ${echo(slice.name)}, as another slice is. Give it a name of its own`,
      );
    names.add(slice.name);
  }
}

/**
 * Opens a session: an isolated workspace whose every change is one commit. Costs a few milliseconds and what has to be
 * replayed since the last checkpoint. Throws `invalid_argument` for options that cannot be, and what the store throws.
 *
 * @example
 * const session = await openSession();
 * const agent = session.as({ id: "planner", role: "editor" });
 * const r = await agent.call("write_file", { path: "notes.md", content: "# Plan\n" });
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  checkOptions(say`The options of a session`, options, HOST_OPTIONS.open);
  checkMethods(say`store`, options.store, ["open", "list", "remove", "fork"]);
  checkMethods(say`clock`, options.clock, ["now", "monotonic"]);
  checkMethods(say`log`, options.log, ["error"]);
  for (const [i, tool] of (options.tools ?? []).entries())
    checkMethods(say`tools: item ${i + 1}, which defineTool makes,`, tool ?? null, [
      "run",
      "text",
      "targets",
    ]);
  checkSlices(options.slices ?? []);
  checkLimitNames(Object.keys(options.limits ?? {}));
  // What cannot be is refused before anything is opened or made.
  const bounds = resolveLimits(options.limits);
  if (options.names !== undefined) checkNames(say`names`, [options.names], ["ascii", "unicode"]);
  toolsOf(options);
  PathRules.check(options.rules ?? [], bounds);
  rulesetsOf(options.rulesets ?? [], bounds);
  const mounts = mountsOf(bounds, options);
  const store = options.store ?? memoryStore();
  const id = options.id ?? newSessionId();
  const journal = await store.open(id, {
    create: options.create ?? true,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  try {
    return await openOn(store, journal, mounts, { ...options, id, store });
  } catch (error) {
    if (options.id === undefined) await store.remove(id);
    throw error;
  }
}

function checkLimitNames(given: readonly string[]): void {
  checkNames(say`limits`, given, Object.keys(LIMITS));
  const ofStore = STORE_LIMITS.filter((name) => given.includes(name));
  if (ofStore.length === 0) return;
  throw new HoldfastError(
    "invalid_argument",
    "bad_limits",
    say`Limits of the store, not of a session: ${sayAll(ofStore as string[] as Shown[])}. Set them where you make the store, as in sqliteStore({ directory, ${ofStore[0] as Shown} }).`,
  );
}

function mountsOf(
  limits: Limits,
  { mounts = [], mountRoots, names = "ascii" }: SessionOptions,
): ResolvedMount[] {
  for (const [i, mount] of mounts.entries()) {
    checkArgument(say`Mount ${i + 1}`, mount, "object");
    checkOptions(say`Mount ${i + 1}`, mount, MOUNT_OPTIONS);
  }
  return resolveMounts(mounts, { mountRoots, limits, names });
}

/** Opens the session of a journal: what was settled before holds, and what is given besides is settled from now on. */
async function openOn(
  store: Store,
  journal: Journal,
  mounts: readonly ResolvedMount[],
  given: SessionOptions,
  isFork = false,
): Promise<OpenedSession> {
  const { log = stderrLog, slices = [], clock = systemClock, files } = given;
  const policy = new PolicyInForce(given);
  const core = await openCore(
    journal,
    [filesSlice, gatesSlice, treeSlice, landingsSlice, policySlice, foldersSlice, ...slices],
    {
      settle: (state) => policy.in(state),
      report: (what, cause) => log.error(what, { session: journal.id, cause }),
    },
  );
  const isNew = core.timeline.state.at.seq === 0;
  try {
    await keepPolicy(core, { agent: "host", role: "host", now: () => clock.now() }, policy.given);
    policy.committed();
    // What is made here shares its turn with the first look into the folders.
    noteTurn();
    for (const [set, { warnings }] of policy.in(core.timeline.state).gates)
      for (const warning of warnings) log.error("a gate set looks wrong", { set, warning });
    const fork = (its: Journal, own: SessionOptions): Promise<Session> =>
      openOn(store, its, mounts, own, true);
    const session = new OpenedSession(fork, store, core, policy, mounts, given);
    if (files !== undefined && isNew) await session.workspace.writeAll(Object.entries(files));
    try {
      if (!isFork) await session.mount();
    } catch (error) {
      await session.leave();
      throw error;
    }
    return session;
  } catch (error) {
    await core.close();
    throw error;
  }
}
