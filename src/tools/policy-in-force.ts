// Owns: what the host has settled for a session, as it is in one state of it: bounds, rules, gates, and the tools that follow.
// Must never: hold on to what was settled before. The policy is state, so every call works with that of the state it sees.

import { resolveLimits, type Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import { PathRules } from "../session/files/workspace.ts";
import { policyIn, settledPolicy, type StoredPolicy } from "../session/policy.ts";
import type { SessionState } from "../session/state.ts";
import type { Key } from "../store/journal.ts";
import { gateSets, requiredGates, type GateSetsByName } from "./gates/gate-sets.ts";
import type { Policy } from "./identity.ts";
import type { SessionOptions } from "./session.ts";
import { defaultToolsets, toolsOf } from "./session-tools.ts";
import type { Permissions, Tool } from "./tool.ts";
import { rulesetsOf, RULESETS } from "./tree/_rulesets.ts";

/** What holds in a state. The same object for as long as nothing else is settled. */
export interface Settled {
  readonly limits: Limits;
  readonly names: NameAlphabet;
  readonly rules: PathRules;
  readonly gates: GateSetsByName;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly policy: Policy;
  /** What the required gates are decided by. */
  readonly gateKeys: readonly Key[];
  readonly permissions: Permissions;
  readonly requireVersions: boolean;
  /** What tools share while it holds. */
  readonly shared: Map<object, unknown>;
}

/** The options that are state of the session. The others belong to this opening of it. */
const POLICY = [
  "limits",
  "names",
  "gates",
  "requireGates",
  "rules",
  "rulesets",
  "requireVersions",
  "agentsMayRestore",
] as const satisfies readonly (keyof SessionOptions)[];

/** Thrown where a call finds another policy than it began with: it begins anew. */
export class PolicyChanged extends Error {}

export class PolicyInForce {
  /** What this opening settles: part of the state as soon as {@link PolicyInForce.committed} is told. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly #options: SessionOptions;
  #isCommitted = false;
  /** By the policy as a state holds it, which is one object until it is settled anew. */
  #known = new WeakMap<StoredPolicy, Settled>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.given = Object.fromEntries(POLICY.map((name) => [name, options[name]]));
  }

  /** What was given is part of the state now, where it can be settled anew. */
  committed(): void {
    this.#isCommitted = true;
    this.#known = new WeakMap();
  }

  /** What holds in a state. Costs nothing unless the policy is new. */
  in(state: SessionState): Settled {
    const stored = policyIn(state);
    let settled = this.#known.get(stored);
    if (settled === undefined) {
      settled = this.#settled(state);
      this.#known.set(stored, settled);
    }
    return settled;
  }

  /** The options of this opening with the policy of a state: what a fork begins with. */
  options(state: SessionState): SessionOptions {
    const stored = policyIn(state);
    const policy = this.#isCommitted ? stored : settledPolicy(stored, this.given);
    const own = Object.entries(this.#options).filter(
      ([name]) => !(POLICY as readonly string[]).includes(name),
    );
    return { ...(Object.fromEntries(own) as SessionOptions), ...(policy as Partial<SessionOptions>) };
  }

  #settled(state: SessionState): Settled {
    const options = this.options(state);
    const { names = "ascii", readOnly = false, requireGates = [], openGate } = options;
    const limits = resolveLimits(options.limits);
    const gates = gateSets(options.gates ?? {});
    const required = requiredGates(gates, requireGates);
    return {
      limits,
      names,
      rules: new PathRules(options.rules ?? [], limits),
      gates,
      tools: toolsOf(options),
      policy: {
        readOnly,
        toolsets: options.toolsets ?? defaultToolsets(options),
        // The required gates first, then whatever else the host asks.
        openGate: (now) => required.open(now) ?? openGate?.(now),
      },
      gateKeys: required.keys,
      permissions: Object.freeze({ restoreAll: options.agentsMayRestore ?? false }),
      requireVersions: options.requireVersions ?? true,
      shared: new Map([[RULESETS, rulesetsOf(options.rulesets ?? [], limits)]]),
    };
  }
}
