// Owns: agents and records that a command line names.
// Must never: take one that the session does not know for one that has done nothing.

import type { Session } from "../tools/index.ts";
import { advised, type AboutFlags } from "./stored-command.ts";
import { RefusedError } from "./usage-error.ts";

interface Named {
  readonly agents?: readonly string[] | undefined;
  readonly records?: readonly number[] | undefined;
}

/** Throws where the session has no record of an agent, or none of a number. */
export async function requireKnown(
  session: Session,
  { agents = [], records = [] }: Named,
  flags: AboutFlags,
): Promise<void> {
  for (const agent of agents)
    if ((await session.log({ agent, limit: 1 })).length === 0)
      throw new RefusedError(
        "not_found",
        "no_such_agent",
        `${agent} has done nothing in this session. ${advised("log", flags)} shows who has.`,
        { agent },
      );
  for (const record of records)
    if ((await session.log({ after: record - 1, upTo: record, limit: 1 })).length === 0)
      throw new RefusedError(
        "not_found",
        "no_such_record",
        `There is no record ${record} in this session. ${advised("log", flags)} lists them.`,
        { record },
      );
}
