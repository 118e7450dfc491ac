// Owns: the ids that no agent has. Small, since a server reads clients' names before it loads anything else.

/** Who else writes records: the host itself, what was found changed outside, and upkeep; and what an agent calls itself in a question. */
export const RESERVED_IDS: readonly string[] = ["host", "external", "system", "me"];

/** Whether an id, in any letter case, is not for agents. */
export function isReservedId(id: string): boolean {
  return RESERVED_IDS.includes(id.toLowerCase());
}
