// Owns: of which landing requests an agent has heard the end from its client, so that no result says it again.

const heard = new WeakMap<object, Set<number>>();

/** The requests of an open session that were heard of and not passed over yet. */
export function heardIn(session: object): Set<number> {
  const requests = heard.get(session) ?? new Set<number>();
  heard.set(session, requests);
  return requests;
}

/** The agent that asked was told by its client how a landing request ended. */
export function noteHeard(session: object, request: number): void {
  heardIn(session).add(request);
}
