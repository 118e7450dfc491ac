// Owns: commits that the host makes itself: who it is, and what becomes of the outcome.

import { HoldfastError, say } from "../errors.ts";
import { digest } from "../store/chain.ts";
import type { Position } from "../store/journal.ts";
import type { Json } from "../value.ts";
import type { Draft } from "./draft.ts";
import type { RecordKind } from "./record-kinds.ts";
import { transact, type SessionCore } from "./transact.ts";

/** Who commits, beside all agents. */
export interface Actor {
  readonly agent: string;
  readonly role: string;
  now(): Date;
}

export interface Done<T> {
  readonly value: T;
  /** The newest position after it. */
  readonly at: Position;
  /** False when nothing had to be written. */
  readonly written: boolean;
}

/** What the record of a request has as its `request`. */
export function requestDigest(kind: RecordKind, request: Json): string {
  return digest(JSON.stringify([kind, request]));
}

/** A second record, which is committed together with the first, or not at all: who makes it, and what it changes. */
export interface NextCommit<T> {
  readonly actor: Actor;
  readonly kind: RecordKind;
  readonly request: (value: T) => Json;
  readonly plan: (draft: Draft, value: T) => Promise<void>;
}

/** Runs `plan` and commits what it put into its draft as one record of `kind`; a dry run commits nothing. */
export async function commitAs<T>(
  core: SessionCore,
  actor: Actor,
  kind: RecordKind,
  request: Json,
  plan: (draft: Draft) => Promise<T>,
  dryRun = false,
  next?: NextCommit<T>,
): Promise<Done<T>> {
  const { limits } = core;
  const outcome = await transact(
    core,
    {
      kind,
      agent: actor.agent,
      role: actor.role,
      request: requestDigest(kind, request),
      targets: [],
      pins: [],
      time: actor.now(),
      quota: { bytes: limits.sessionBytes, files: limits.sessionFiles },
      tries: limits.contentionTries,
      dryRun,
    },
    plan,
    () => undefined,
    next && {
      kind: next.kind,
      agent: next.actor.agent,
      role: next.actor.role,
      request: (value) => requestDigest(next.kind, next.request(value)),
      plan: next.plan,
    },
  );
  if (outcome.kind === "committed" || outcome.kind === "unwritten")
    return { value: outcome.value, at: outcome.at, written: outcome.kind === "committed" };
  throw new HoldfastError(
    "internal",
    "unexpected",
    say`A commit without a key or a pin was refused for one.`,
  );
}
