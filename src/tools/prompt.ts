// Owns: what agents are told of a session before their first call: what there is, whether it is stored, how its tools are used.
// Must never: name a tool that is not in use, or a file that agents may not see.

import type { FileInfo } from "../session/files/workspace.ts";
import { plural } from "../text/plural.ts";
import { showName } from "../text/show.ts";
import type { Tool } from "./tool.ts";

export interface PromptParts {
  /** Tools in use. */
  readonly tools: readonly NamedTool[];
  /** Files that agents may see, in order. Undefined: nothing is said of them, since the session is not open yet. */
  readonly files: Iterable<FileInfo> | undefined;
  readonly isStored: boolean;
  readonly isReadOnly: boolean;
  /** Work is done in a folder of the host itself. */
  readonly isLive: boolean;
  /** Characters that one call may send. */
  readonly writeSize: number;
}

type NamedTool = Pick<Tool, "name" | "access">;

/** Advice for those who have all the tools named in it. */
interface Advice {
  readonly section: string;
  readonly needs: readonly string[];
  readonly text: string;
}

/** Lines of the preview. */
const PREVIEWED = 20;

const ADVICE: readonly Advice[] = [
  {
    section: "Files",
    needs: ["write_file"],
    text: "{make} files with `write_file`; directories come with them.",
  },
  {
    section: "Files",
    needs: [],
    text: "Folders of the host are brought in when the session is set up. You cannot add others: ask the host.",
  },
  {
    section: "Files",
    needs: ["list_directory"],
    text: "Look around with `list_directory` before you name files, one directory at a time rather than everything at once.",
  },
  {
    section: "Files",
    needs: ["find_files"],
    text: "Find files by name with `find_files`.",
  },
  {
    section: "Files",
    needs: ["search_files"],
    text: "Find text with `search_files` instead of reading many files.",
  },
  {
    section: "Files",
    needs: ["read_file"],
    text: "Read with `read_file` what you need to know. What does not fit one result comes with the cursor it names.",
  },
  {
    section: "Files",
    needs: ["read_file", "write_file"],
    text: "Send the token of what you read as `expectedVersion` when you change it. If others changed it meanwhile you get a conflict that shows their change, and nothing is overwritten.",
  },
  {
    section: "Files",
    needs: ["edit_file"],
    text: "Change a part of a file with `edit_file`: small edits are easier to review than whole files.",
  },
  {
    section: "Files",
    needs: ["write_file"],
    text: "Keep writes short: one call sends at most {writeSize} characters. Replace a whole file with mode overwrite rather than with many appends, which are for logs. Bytes that are not text go in as base64; keep them small and few.",
  },
  {
    section: "Files",
    needs: ["delete_file"],
    text: "When you are done, remove with `delete_file` what is no longer needed.",
  },
  {
    section: "Files",
    needs: ["write_file"],
    text: "Do not copy whole repositories or large binary files into the workspace.",
  },
  {
    section: "Patches",
    needs: ["apply_patch"],
    text: "Change lines of several files at once with `apply_patch`: all of it applies or none, and a misfit says what to resend.",
  },
  {
    section: "JSON",
    needs: ["set_json_value"],
    text: "Change JSON by path with `set_json_value` and its kin: comments, order and formatting stay as they are.",
  },
  {
    section: "JSON",
    needs: ["preview_json"],
    text: "Look at a large document with `preview_json` first, then fetch parts of it.",
  },
  {
    section: "Trees",
    needs: ["get_view"],
    text: "Look at a tree with `get_view`; every change of one names the tree's latest token.",
  },
  {
    section: "Gates",
    needs: ["get_gates", "submit_gates"],
    text: "Questions of the host come with `get_gates`; answer them with `submit_gates`. Writing may wait until they pass.",
  },
  {
    section: "History",
    needs: ["undo_changes"],
    text: "Every change is kept. `undo_changes` takes back your last one, a record, or one file of it; undoing the undo brings it back.",
  },
  {
    section: "History",
    needs: ["list_changes", "diff_changes", "blame"],
    text: "`list_changes` says who did what, `diff_changes` shows it, `blame` says who wrote which line.",
  },
  {
    section: "History",
    needs: ["snapshot_create", "snapshot_restore"],
    text: "Name a state with `snapshot_create` before something risky; `snapshot_restore` brings it back.",
  },
  {
    section: "History",
    needs: ["request_landing"],
    text: "When the work is done, ask with `request_landing` to have it written to the real folders.",
  },
];

/** The guidance as Markdown. Cost: one look at every file. */
export function renderPrompt(parts: PromptParts): string {
  const lines = ["# Workspace", "", ...introduction(parts)];
  if (parts.files !== undefined) lines.push("", ...preview(parts.files));
  const names = new Set(parts.tools.map(({ name }) => name));
  const writes = parts.isReadOnly ? new Set(parts.tools.filter(isWrite).map(({ name }) => name)) : undefined;
  const make =
    parts.files === undefined ? "Make" : "Besides what is listed above the workspace starts empty: make";
  let section = "";
  for (const { section: title, needs, text } of ADVICE) {
    if (!needs.every((name) => names.has(name) && writes?.has(name) !== true)) continue;
    if (needs.length === 0 && !names.has("read_file")) continue;
    if (title !== section) lines.push("", `## ${title}`, "");
    section = title;
    lines.push(`- ${text.replace("{writeSize}", String(parts.writeSize)).replace("{make}", make)}`);
  }
  return `${lines.join("\n")}\n`;
}

function isWrite({ access }: NamedTool): boolean {
  return access !== "read";
}

function introduction({ isStored, isReadOnly, isLive }: PromptParts): string[] {
  return [
    isLive
      ? "You work in `/workspace`, which is a real folder of the host: a write is there when its call returns."
      : "You work in an isolated workspace, `/workspace`. Nothing you do there reaches the real folders before the host lands it.",
    isStored
      ? "It is kept with its whole history: a later conversation can go on from here."
      : "It lives in memory only and is lost when the session ends: hand over what matters before that.",
    ...(isReadOnly ? ["It is read-only: look, do not write."] : []),
  ];
}

/** What lies right below the root: files with their size, directories with what they hold. */
function preview(files: Iterable<FileInfo>): string[] {
  const entries = new Map<string, { files: number; bytes: number; isDirectory: boolean }>();
  let count = 0;
  for (const { path, size_bytes: bytes } of files) {
    count++;
    const [name = "", ...below] = path.slice("/workspace/".length).split("/");
    const entry = entries.get(name) ?? { files: 0, bytes: 0, isDirectory: below.length > 0 };
    entries.set(name, { ...entry, files: entry.files + 1, bytes: entry.bytes + bytes });
  }
  if (count === 0) return ["It holds no files yet."];
  const lines = Array.from(entries, ([name, { files: inside, bytes, isDirectory }]) =>
    isDirectory
      ? `- ${showName(name)}/ (${plural(inside, "file")}, ${plural(bytes, "byte")})`
      : `- ${showName(name)} (${plural(bytes, "byte")})`,
  );
  const more = lines.length - PREVIEWED;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [`It holds ${plural(count, "file")}:`, "", ...lines.slice(0, PREVIEWED), ...rest];
}
