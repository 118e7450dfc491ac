// Owns: the commands of the model makers' file tools, carried out by the tools of the agent: each is an ordinary call, with its
// versions, undo and audit.
// Must never: reach a file in another way than `agent.call`.

import { echo, say, type Shown } from "../errors.ts";
import { plural } from "../text/plural.ts";
import type {
  ApplyPatchOutput,
  CallDone,
  CallError,
  CallRefused,
  CallResult,
  DeleteFileOutput,
  EditFileOutput,
  ListDirectoryOutput,
  MoveFileOutput,
  ReadFileOutput,
} from "../tools/index.ts";
import {
  callOptions,
  explained,
  refusal,
  requireTools,
  versionsWanted,
  type BridgeCall,
  type ToolSource,
} from "./bridge.ts";
import { listed, namedWithin, numbered, reworded, plainPath } from "./command-text.ts";
import { orderOf } from "./ordered-calls.ts";
import { readCommand, type CommandName, type FileCommand } from "./read-command.ts";
import { seenFilesOf, type Seen } from "./seen-files.ts";

export interface FileCommandsOptions {
  /** The name of the tool, for messages. */
  readonly tool: string;
  readonly commands: readonly CommandName[];
  /** A directory that the model knows under another name, and must stay in. */
  readonly within?: { readonly shown: string; readonly path: string };
  /** Characters that a view may have. */
  readonly maxCharacters?: number | undefined;
  readonly idempotent?: boolean | undefined;
}

type Of<N extends CommandName> = Extract<FileCommand, { command: N }>;

/** A path as the model wrote it, and as the agent's tools know it. */
interface Named {
  readonly shown: Shown;
  readonly path: string;
}

const ROOT = "/workspace";
/** The token of no version: with it a call returns its stored result if it was made before, and is refused otherwise. */
const NO_TOKEN = "none";
const KEY_REUSED = "idempotency_key_reused";
const NEEDED: readonly string[] = ["list_directory", "read_file"];
const NEEDED_TO_WRITE: Readonly<Record<Exclude<CommandName, "view">, string>> = {
  create: "write_file",
  str_replace: "edit_file",
  insert: "apply_patch",
  delete: "delete_file",
  rename: "move_file",
};

/** Throws `TypeError` for an agent that may write and lacks a tool that some command needs. */
export class FileCommands {
  readonly #agent: ToolSource;
  readonly #options: FileCommandsOptions;
  readonly #seen: Map<string, Seen>;

  constructor(agent: ToolSource, options: FileCommandsOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#seen = seenFilesOf(agent);
    const tools = agent.tools();
    // An agent that only reads has no tool that writes; the call path tells it so.
    const mayWrite = tools.some(({ annotations }) => !annotations.readOnlyHint);
    const writing = options.commands.flatMap((name) => (name === "view" ? [] : [NEEDED_TO_WRITE[name]]));
    requireTools(tools, [...NEEDED, ...(mayWrite ? writing : [])]);
  }

  /** Carries a command out after the earlier writes of the agent. Never throws. */
  call(input: unknown, call: BridgeCall): Promise<CallResult> {
    const { commands, tool } = this.#options;
    const command = readCommand(input, commands);
    if (typeof command === "string")
      return Promise.resolve(
        refusal("invalid_argument", "bad_input", say`${tool as Shown} was not run. ${command}`),
      );
    return orderOf(this.#agent).run(command.command === "view" ? "read" : "write", async () =>
      explained(await this.#run(command, call), call),
    );
  }

  #run(command: FileCommand, call: BridgeCall): Promise<CallResult> {
    switch (command.command) {
      case "view":
        return this.#view(command, call);
      case "create":
        return this.#create(command, call);
      case "str_replace":
        return this.#replace(command, call);
      case "insert":
        return this.#insert(command, call);
      case "delete":
        return this.#delete(command, call);
      case "rename":
        return this.#rename(command, call);
    }
  }

  async #view({ path: sent, view_range: range }: Of<"view">, call: BridgeCall): Promise<CallResult> {
    const named = this.#named(sent.length > 1 ? sent.replace(/\/+$/, "") : sent);
    if ("ok" in named) return named;
    if (named.path === ROOT || this.#isWhole(named)) return this.#list(named, call);
    const [from, to] = range ?? [1, -1];
    const read = await this.#read(named, { from, to }, call);
    if (read.error?.reason === "is_directory") return this.#list(named, call);
    if (!read.ok) return this.#refused(read, named, "view");
    const { value } = read;
    if (value.content === undefined)
      return read.images === undefined
        ? refusal("invalid_argument", "binary", say`${named.shown} is not text, so it has no lines to view.`)
        : { ...read, text: `${named.shown} is an image.` };
    this.#knows(read);
    return { ...read, text: numbered(named.shown, value, to, this.#options.maxCharacters) };
  }

  async #read(
    { path }: Named,
    { from, to }: { from: number; to: number },
    { signal }: BridgeCall,
  ): Promise<CallResult<ReadFileOutput>> {
    return (await this.#agent.call(
      "read_file",
      {
        path,
        line_numbers: true,
        ...(from === 1 ? {} : { offset: from }),
        ...(to === -1 ? {} : { limit: to - from + 1 }),
      },
      signal === undefined ? {} : { signal },
    )) as CallResult<ReadFileOutput>;
  }

  async #list({ shown, path }: Named, { signal }: BridgeCall): Promise<CallResult> {
    const result = (await this.#agent.call(
      "list_directory",
      { path, depth: 2 },
      signal === undefined ? {} : { signal },
    )) as CallResult<ListDirectoryOutput>;
    if (!result.ok) {
      // A memory that holds nothing yet is no error.
      const isEmpty = result.error.reason === "no_such_directory" && this.#isWhole({ shown, path });
      return isEmpty
        ? { ok: true, text: `${shown} is empty.`, value: {} }
        : this.#refused(result, { shown, path }, "view");
    }
    const { directories, files, more } = result.value;
    const lines = [
      ...directories.map((name) => `-\t${shown}/${name}/`),
      ...files.map(({ name, size_bytes: size }) => `${size}\t${shown}/${name}`),
    ];
    const head = `Files (with their bytes) and directories up to 2 levels deep in ${shown}:`;
    return { ...result, text: listed(head, lines, more ?? 0, this.#options.maxCharacters) };
  }

  async #create({ path: sent, file_text: content }: Of<"create">, call: BridgeCall): Promise<CallResult> {
    const named = this.#inside(sent);
    if ("ok" in named) return named;
    const result = await this.#call("write_file", { path: named.path, content, mode: "create" }, call);
    if (!result.ok) return this.#refused(result, named, "create");
    this.#knows(result);
    return { ...result, text: `File created successfully at: ${named.shown}` };
  }

  async #replace(
    { path: sent, old_str: old, new_str: now }: Of<"str_replace">,
    call: BridgeCall,
  ): Promise<CallResult> {
    const named = this.#inside(sent);
    if ("ok" in named) return named;
    const edits = [{ old_text: old, new_text: now }];
    const result = await this.#change("edit_file", { path: named.path, edits }, call);
    if (!result.ok) return this.#refused(result, named, "str_replace");
    const { hunk, path, version } = result.value as EditFileOutput;
    // Where others changed it in between, the model knows this place only.
    if ((this.#seen.get(path)?.version ?? 0) + 1 === version) this.#knows(result);
    return { ...result, text: `The file ${named.shown} has been edited.\n${hunk}` };
  }

  /** The lines that the model counts are those of the version it has seen: a file that changed since is refused. */
  async #insert(
    { path: sent, insert_line: after, insert_text: text }: Of<"insert">,
    call: BridgeCall,
  ): Promise<CallResult> {
    const named = this.#inside(sent);
    if ("ok" in named) return named;
    const patch = [{ file: named.path, line: after + 1, op: "insert", new: text }];
    const applied = (token: string): Promise<CallResult> =>
      this.#call("apply_patch", { patch, expectedVersion: { [named.path]: token } }, call);
    const done = `The file ${named.shown} has been edited.`;
    // What the file is now says nothing of a call that was made before: its stored result comes first.
    const refused = async (why: CallResult): Promise<CallResult> => {
      const earlier = await applied(NO_TOKEN);
      return earlier.ok ? { ...earlier, text: done } : earlier.error.reason === KEY_REUSED ? earlier : why;
    };
    const read = await this.#read(named, { from: 1, to: 1 }, call);
    if (!read.ok) return refused(this.#refused(read, named, "insert"));
    const { path = "", token = "", version = 0, lines = Infinity } = read.value;
    if (after > lines)
      return refused(
        refusal(
          "invalid_argument",
          "out_of_range",
          say`insert_line ${after} is past the end of ${named.shown}, which has ${plural(lines, "line") as Shown}: send a number from 0 to ${lines}.`,
        ),
      );
    const seen = this.#seen.get(path) ?? { token, version };
    const result = await applied(seen.token);
    if (!result.ok) return this.#refused(result, named, "insert");
    const [file] = (result.value as ApplyPatchOutput).files;
    if (result.replayed !== true)
      this.#seen.set(path, { token: result.token ?? "", version: file?.version ?? 0 });
    return { ...result, text: done };
  }

  async #delete({ path: sent }: Of<"delete">, call: BridgeCall): Promise<CallResult> {
    const named = this.#inside(sent);
    if ("ok" in named) return named;
    const result = await this.#change("delete_file", { path: named.path }, call);
    if (!result.ok) return this.#refused(result, named, "delete");
    this.#seen.delete((result.value as DeleteFileOutput).path);
    return { ...result, text: `Successfully deleted ${named.shown}` };
  }

  async #rename({ old_path: from, new_path: to }: Of<"rename">, call: BridgeCall): Promise<CallResult> {
    const [source, target] = [this.#inside(from), this.#inside(to)];
    if ("ok" in source) return source;
    if ("ok" in target) return target;
    const input = { source: source.path, destination: target.path };
    const result = await this.#change("move_file", input, call);
    if (!result.ok) return this.#refused(result, isAbout(result, target, source) ? target : source, "rename");
    this.#seen.delete((result.value as MoveFileOutput).source);
    return { ...result, text: `Successfully renamed ${source.shown} to ${target.shown}` };
  }

  #call(tool: string, input: unknown, call: BridgeCall): Promise<CallResult> {
    return this.#agent.call(tool, input, callOptions(call, this.#options.idempotent ?? true));
  }

  /** Where a rule of the host wants the version of a file named, that which the model has seen is: a command has no field for it. */
  async #change(tool: string, input: object, call: BridgeCall): Promise<CallResult> {
    const result = await this.#call(tool, input, call);
    const seen = result.error?.reason === "version_required" ? this.#seenOf(result.error) : undefined;
    return seen === undefined ? result : this.#call(tool, { ...input, expectedVersion: seen }, call);
  }

  /** The versions that an error asks for, as the model has seen them; undefined where it has not seen one. */
  #seenOf(error: CallError): Record<string, string> | undefined {
    const seen = versionsWanted(error).map((path) => [path, this.#seen.get(path)?.token] as const);
    return seen.length > 0 && seen.every(([, token]) => token !== undefined)
      ? (Object.fromEntries(seen) as Record<string, string>)
      : undefined;
  }

  /** From here on the model counts the lines of this version. */
  #knows({ value, token = "" as Shown }: CallDone): void {
    const { path, version } = value as Pick<EditFileOutput, "path" | "version">;
    this.#seen.set(path, { token, version });
  }

  /** In the words of the tool. A model that must stay in a directory reads of no name outside it. */
  #refused(result: CallRefused, { shown }: Named, command: CommandName): CallResult {
    const { within } = this.#options;
    const said = reworded(result, shown, command);
    return within === undefined || said.ok ? said : namedWithin(said, shown, within);
  }

  #isWhole({ path }: Named): boolean {
    return path === this.#options.within?.path;
  }

  /** Where the path leads; the call path refuses what is no path. */
  #named(sent: string): Named | ReturnType<typeof refusal> {
    const { within } = this.#options;
    const path = sent.replace(/\/{2,}/g, "/");
    if (within === undefined) {
      const isRoot = path === "/" || path === "." || path === "";
      return isRoot ? { shown: ROOT as Shown, path: ROOT } : { shown: plainPath(path), path };
    }
    for (const root of [within.shown, within.path]) {
      const rest = path === `${root}/` ? "" : path.slice(root.length);
      if (path === root || path.startsWith(`${root}/`))
        return { shown: plainPath(within.shown + rest), path: within.path + rest };
    }
    return refusal(
      "invalid_argument",
      "outside_memory",
      say`${echo(sent)} is not in ${echo(within.shown)}. All paths of this tool begin with it.`,
    );
  }

  /** A path below the directory, which itself stays. */
  #inside(sent: string): Named | ReturnType<typeof refusal> {
    const named = this.#named(sent);
    return "ok" in named || !this.#isWhole(named)
      ? named
      : refusal(
          "invalid_argument",
          "is_memory",
          say`${named.shown} itself stays where it is. Name a file or directory in it.`,
        );
  }
}

/** Is a refusal of a rename about the new name? */
function isAbout({ error }: CallRefused, target: Named, source: Named): boolean {
  if (error.reason === "file_exists") return true;
  return error.message.includes(target.path) && !error.message.includes(source.path);
}
