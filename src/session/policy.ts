// Owns: what the host has settled for a session, as state: it holds wherever the session is opened again.
// Must never: be touched by undo, restore or reset, or hold what belongs to one connection (toolsets, read-only mode).

import { HoldfastError, say } from "../errors.ts";
import { resolveLimits, type Limits } from "../limits.ts";
import { ROOT, type NameAlphabet } from "../path/index.ts";
import type { Change } from "../store/journal.ts";
import type { Json, JsonObject } from "../value.ts";
import { commitAs, type Actor } from "./actor.ts";
import type { Draft } from "./draft.ts";
import { filesSlice } from "./files/files-slice.ts";
import { requireNameable } from "./files/nameable.ts";
import { fixedSlice } from "./fixed-slice.ts";
import type { Slice } from "./slice.ts";
import type { SessionState } from "./state.ts";
import type { SessionCore } from "./transact.ts";

/** Options by name, as JSON. What was never settled is absent. */
export type StoredPolicy = Readonly<JsonObject>;

export interface PolicyChange extends Change {
  readonly op: "settle";
  /** All of it. */
  readonly policy: StoredPolicy;
}

export const policySlice: Slice<StoredPolicy, PolicyChange, StoredPolicy> = fixedSlice<
  StoredPolicy,
  PolicyChange
>({
  name: "policy",
  empty: {},
  apply: (_state, { policy }) => policy,
  toJson: (state) => state as Json,
  fromJson: (json) => json as JsonObject,
});

export function policyIn(state: SessionState): StoredPolicy {
  return state.slices.get("policy") as StoredPolicy;
}

/** What holds when `given` is settled besides what was: each option by itself, limits one by one. */
export function settledPolicy(stored: StoredPolicy, given: Readonly<Record<string, unknown>>): StoredPolicy {
  const settled: Record<string, Json> = { ...stored };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const plain = JSON.parse(JSON.stringify(value)) as Json;
    settled[name] =
      name === "limits"
        ? { ...(stored["limits"] as JsonObject | undefined), ...(plain as JsonObject) }
        : plain;
  }
  return settled;
}

/** Writes a `policy` record if something differs from what holds. Throws `invalid_argument` / `names_in_use`. */
export async function keepPolicy(
  core: SessionCore,
  actor: Actor,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (isSettled(policyIn(core.timeline.state), given)) return;
  await commitAs(core, actor, "policy", null, async (draft) => {
    const stored = draft.reader(policySlice);
    if (isSettled(stored, given)) return;
    const policy = settledPolicy(stored, given);
    await requireNamed(draft, policy);
    const change: PolicyChange = { slice: "policy", op: "settle", policy };
    draft.change(change);
  });
}

/** What is there can be named under the policy. */
async function requireNamed(draft: Draft, policy: StoredPolicy): Promise<void> {
  const named = namesIn(policy);
  const held = namesIn(draft.reader(policySlice));
  const isSame =
    named.names === held.names &&
    named.limits.pathDepth === held.limits.pathDepth &&
    named.limits.pathSegmentLength === held.limits.pathSegmentLength;
  if (isSame) return;
  await requireNameable(
    draft.reader(filesSlice).under(ROOT),
    named,
    (why) =>
      new HoldfastError(
        "invalid_argument",
        "names_in_use",
        say`The options given would leave a file that nobody can name. ${why} Move or delete such files first, or leave names and limits of paths as they were.`,
      ),
  );
}

function namesIn(policy: StoredPolicy): { readonly names: NameAlphabet; readonly limits: Limits } {
  return {
    names: (policy["names"] ?? "ascii") as NameAlphabet,
    limits: resolveLimits(policy["limits"] as Partial<Limits> | undefined),
  };
}

function isSettled(stored: StoredPolicy, given: Readonly<Record<string, unknown>>): boolean {
  return ordered(stored) === ordered(settledPolicy(stored, given));
}

/** The order in which options were given makes no difference; that within a gate set or a list does. */
function ordered(policy: StoredPolicy): string {
  const limits = Object.entries((policy["limits"] ?? {}) as JsonObject).toSorted(byName);
  const options = Object.entries({ ...policy, limits: Object.fromEntries(limits) }).toSorted(byName);
  return JSON.stringify(options.filter(([, value]) => JSON.stringify(value) !== "{}"));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
