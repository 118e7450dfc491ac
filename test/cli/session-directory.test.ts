import { expect, test } from "vitest";
import { HoldfastError, say } from "../../src/errors.ts";
import { directoryOf } from "../../src/cli/session-directory.ts";

test("[CLI-52] a directory that cannot be guarded is refused with the option that accepts it", async () => {
  const session = {
    directory: async ({ acceptRaces = false }: { readonly acceptRaces?: boolean } = {}): Promise<string> => {
      if (!acceptRaces) throw new HoldfastError("forbidden", "races_not_guarded", say`Call a function.`);
      return "made";
    },
  };
  await expect(directoryOf(session, {})).rejects.toMatchObject({
    code: "forbidden",
    reason: "races_not_guarded",
    message: expect.stringContaining("run the command again with --accept-races.") as string,
  });
  expect(await directoryOf(session, { acceptRaces: true })).toBe("made");
});
