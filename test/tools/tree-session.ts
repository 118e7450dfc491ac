// Owns: a session with a tree for the tests of tree tools, and the shortest way to call with the latest token.

import type { Agent, CallResult, Session, SessionOptions } from "../../src/tools/index.ts";
import { bench, EDITOR, OTHER, READER, type Bench } from "./bench-session.ts";

export type Value = Record<string, any>; // oxlint-disable-line no-explicit-any -- tests look into answers freely

/** An agent whose changes name the token that its last call about the tree answered with. */
export class Hand {
  readonly agent: Agent;
  token: string | undefined;

  constructor(agent: Agent) {
    this.agent = agent;
  }

  /** Calls as it is; remembers the token. */
  async call(tool: string, input: object = {}): Promise<CallResult<Value>> {
    const result = await this.agent.call<Value>(tool, input);
    if (result.ok && result.token?.includes(".") === true) this.token = result.token;
    return result;
  }

  /** Calls with the token; throws what a caller would read. */
  async do(tool: string, input: object = {}): Promise<Value> {
    const versioned = this.token === undefined ? input : { expectedVersion: this.token, ...input };
    return valueOf(await this.call(tool, versioned));
  }

  async read(tool: string, input: object = {}): Promise<Value> {
    return valueOf(await this.call(tool, input));
  }
}

export function valueOf(result: CallResult<Value>): Value {
  if (!result.ok) throw new Error(result.text);
  return result.value;
}

export interface Grove extends Bench {
  readonly session: Session;
  readonly ann: Hand;
  readonly bob: Hand;
  readonly eve: Hand;
}

/** An empty session: ann and bob edit, eve reads. */
export async function grove(options: SessionOptions = {}): Promise<Grove> {
  const made = await bench(options);
  const hand = (who: typeof EDITOR | typeof OTHER | typeof READER): Hand => new Hand(made.session.as(who));
  return { ...made, ann: hand(EDITOR), bob: hand(OTHER), eve: hand(READER) };
}

const PLAN = [
  ["n0", "Task", { name: "write", status: "open", prio: 5, meta: { owner: "ines", due: "May" } }], // n1
  ["n1", "Note", { name: "draft", text: "Begin with the end" }], // n2
  ["n1", "Note", { name: "sources" }], // n3
  ["n0", "Task", { name: "review", status: "done", prio: 2 }], // n4
  ["n4", "Note", { name: "who" }], // n5
  ["n0", "Task", { name: "print", status: "open", prio: 9 }], // n6
] as const;

/** A plan: n0 (plan) holds write n1 (draft n2, sources n3), review n4 (who n5), print n6. */
export async function planted(options: SessionOptions = {}): Promise<Grove> {
  const made = await grove(options);
  await made.ann.do("create_tree", { name: "plan", payloadType: "Plan", payloadProps: { name: "plan" } });
  for (const [parentNodeId, payloadType, payloadProps] of PLAN)
    await made.ann.do("add_child", { parentNodeId, payloadType, payloadProps });
  await made.bob.read("list_trees");
  await made.bob.read("get_node", { nodeId: "n0" });
  return made;
}

/** Names of the nodes of a branch, children in brackets: `plan[write[draft sources] review]`. */
export async function sketch(hand: Hand, nodeId = "n0"): Promise<string> {
  const { view } = await hand.read("get_subtree", { nodeId, pageSize: 200 });
  const line = (node: Value): string => {
    const children = (node["Children"] as Value[]).map(line).join(" ");
    return `${String((node["Payload"] ?? node)["name"])}${children === "" ? "" : `[${children}]`}`;
  };
  return line(view as Value);
}
