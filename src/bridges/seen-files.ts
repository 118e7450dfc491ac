// Owns: what the model of an agent has last seen of each file, through whatever tools it looked.
// Must never: outlive its agent.

/** A version of a file: the line numbers that the model counts are of this one. */
export interface Seen {
  readonly token: string;
  readonly version: number;
}

const seenBy = new WeakMap<object, Map<string, Seen>>();

/** By path, for one agent: tools that are made anew know what those before them showed. */
export function seenFilesOf(agent: object): Map<string, Seen> {
  let seen = seenBy.get(agent);
  if (seen === undefined) {
    seen = new Map();
    seenBy.set(agent, seen);
  }
  return seen;
}
