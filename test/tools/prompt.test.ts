import { describe, expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import { openSession, type SessionOptions } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";

async function promptOf(options: SessionOptions): Promise<string> {
  const session = await openSession(options);
  const prompt = session.prompt();
  await session.close();
  return prompt;
}

describe("session.prompt()", () => {
  test("[HIST-133] the guidance of an empty session in memory with files alone", async () => {
    expect(await promptOf({ toolsets: ["list_directory", "read_file", "write_file"] })).toBe(`# Workspace

You work in an isolated workspace, \`/workspace\`. Nothing you do there reaches the real folders before the host lands it.
It lives in memory only and is lost when the session ends: hand over what matters before that.

It holds no files yet.

## Files

- Besides what is listed above the workspace starts empty: make files with \`write_file\`; directories come with them.
- Folders of the host are brought in when the session is set up. You cannot add others: ask the host.
- Look around with \`list_directory\` before you name files, one directory at a time rather than everything at once.
- Read with \`read_file\` what you need to know. What does not fit one result comes with the cursor it names.
- Send the token of what you read as \`expectedVersion\` when you change it. If others changed it meanwhile you get a conflict that shows their change, and nothing is overwritten.
- Keep writes short: one call sends at most 48000 characters. Replace a whole file with mode overwrite rather than with many appends, which are for logs. Bytes that are not text go in as base64; keep them small and few.
- Do not copy whole repositories or large binary files into the workspace.
`);
  });

  test("[HIST-133] what is kept, what there is without hidden files, and nothing to write in a read-only session", async () => {
    const files = {
      "README.md": "# Hi\n",
      "src/a.ts": "1",
      "src/b.ts": "22",
      "secret/key": "k",
    };
    const prompt = await promptOf({
      store: sqliteStore({ directory: scratch() }),
      readOnly: true,
      toolsets: [
        "list_directory",
        "read_file",
        "write_file",
        "undo_changes",
        "list_changes",
        "diff_changes",
        "blame",
      ],
      rules: [{ paths: ["secret/**"], deny: "all" }],
      files,
    });
    expect(prompt).toBe(`# Workspace

You work in an isolated workspace, \`/workspace\`. Nothing you do there reaches the real folders before the host lands it.
It is kept with its whole history: a later conversation can go on from here.
It is read-only: look, do not write.

It holds 3 files:

- README.md (5 bytes)
- src/ (2 files, 3 bytes)

## Files

- Folders of the host are brought in when the session is set up. You cannot add others: ask the host.
- Look around with \`list_directory\` before you name files, one directory at a time rather than everything at once.
- Read with \`read_file\` what you need to know. What does not fit one result comes with the cursor it names.

## History

- \`list_changes\` says who did what, \`diff_changes\` shows it, \`blame\` says who wrote which line.
`);
  });

  test("[HIST-133] every tool that it names is in use, whatever the toolsets", async () => {
    for (const toolsets of [["files"], ["files", "patch", "history"], ["tree"], ["history"], ["read_file"]]) {
      const session = await openSession({ toolsets });
      const names = session
        .as({ id: "a", role: "editor" })
        .tools()
        .map(({ name }) => name);
      for (const [, named = ""] of session.prompt().matchAll(/`([a-z]+(?:_[a-z]+)+|blame)`/g))
        expect(names, named).toContain(named);
      await session.close();
    }
  });
});
