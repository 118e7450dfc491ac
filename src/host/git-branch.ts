// Owns: a plan as commits on a new branch of the git repository that a mounted folder lies in.
// Must never: touch the work tree, the index or the branch that is checked out, run a hook, or move a branch that exists.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { echo, HoldfastError, say, sayAll, type Reason, type Shown } from "../errors.ts";
import { comparePaths, relativePath, segmentsOf, type WorkspacePath } from "../path/index.ts";
import type { FolderFile } from "../session/folders/folder-file.ts";
import type { SessionCore } from "../session/transact.ts";
import { wholeBytes } from "./offer-file.ts";
import type { ResolvedMount } from "./mount.ts";

/** Where a plan is committed. */
export interface GitCommitOptions {
  /** The branch, which must not exist. It begins at HEAD. */
  readonly branch: string;
  /** The workspace path of the mounted folder, where a plan touches several. */
  readonly folder?: string;
}

/** A commit that was made. */
export interface GitCommit {
  /** Its author. */
  readonly agent: string;
  /** Its hash. */
  readonly commit: string;
  /** The files that it changes. */
  readonly files: readonly WorkspacePath[];
}

/** The commits of a branch, oldest first. */
export interface GitBranch {
  /** The branch. */
  readonly branch: string;
  /** One for each agent. */
  readonly commits: readonly GitCommit[];
}

/** What the folder is to hold after one agent's commit, by path; undefined: nothing. */
export interface GitStage {
  readonly agent: string;
  readonly files: ReadonlyMap<WorkspacePath, FolderFile | undefined>;
}

const OUTPUT_BYTES = 64 << 20;
const NAMES_AT_ONCE = 500;

export async function commitStages(
  core: SessionCore,
  mount: ResolvedMount,
  branch: string,
  before: ReadonlyMap<WorkspacePath, FolderFile | undefined>,
  stages: readonly GitStage[],
): Promise<GitBranch> {
  const index = mkdtempSync(join(tmpdir(), "holdfast-index-"));
  try {
    const git = new Git(join(mount.root, ...mount.way), join(index, "index"));
    return await new Committer(core, mount, git).commit(branch, before, stages);
  } finally {
    rmSync(index, { recursive: true, force: true });
  }
}

class Git {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, index: string) {
    this.#folder = folder;
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
    this.#env = { ...Object.fromEntries(own), GIT_INDEX_FILE: index, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  }

  /** What git prints, without the last line break; undefined when it fails. */
  run(
    args: readonly string[],
    how: { readonly input?: string | Uint8Array; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<string | undefined> {
    const all = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args];
    const options = { cwd: this.#folder, env: { ...this.#env, ...how.env }, maxBuffer: OUTPUT_BYTES };
    return new Promise((resolve) => {
      const child = execFile("git", all, options, (error, stdout) => {
        resolve(error === null ? stdout.replace(/\n$/, "") : undefined);
      });
      child.stdin?.on("error", () => {});
      child.stdin?.end(how.input ?? "");
    });
  }

  async must(what: Shown, ...args: Parameters<Git["run"]>): Promise<string> {
    const printed = await this.run(...args);
    if (printed === undefined)
      throw refused(
        "git_failed",
        say`git could not ${what}. No branch was made. Look whether git status works in the folder, then try again.`,
      );
    return printed;
  }
}

class Committer {
  readonly #core: SessionCore;
  readonly #mount: ResolvedMount;
  readonly #git: Git;
  #prefix = "";
  /** Files that HEAD holds byte by byte as the folder does, though a filter would make something else of them. */
  readonly #asIs = new Set<WorkspacePath>();

  constructor(core: SessionCore, mount: ResolvedMount, git: Git) {
    this.#core = core;
    this.#mount = mount;
    this.#git = git;
  }

  async commit(
    branch: string,
    before: ReadonlyMap<WorkspacePath, FolderFile | undefined>,
    stages: readonly GitStage[],
  ): Promise<GitBranch> {
    const head = await this.#begin(branch);
    await this.#git.must(say`read HEAD`, ["read-tree", "HEAD"]);
    await this.#checkHead(before);
    const committer =
      (await this.#git.run(["var", "GIT_COMMITTER_IDENT"])) === undefined
        ? identity("COMMITTER", "holdfast")
        : {};
    const commits: GitCommit[] = [];
    let parent = head;
    let tree = await this.#git.must(say`read HEAD`, ["rev-parse", "HEAD^{tree}"]);
    let held = before;
    for (const { agent, files } of stages) {
      const changed = [...files].filter(([path, file]) => held.get(path) !== file);
      // Names that go make room for those that come.
      changed.sort(([, a], [, b]) => Number(a !== undefined) - Number(b !== undefined));
      const lines: string[] = [];
      for (const [path, file] of changed) lines.push(await this.#indexLine(path, file));
      await this.#git.must(say`write its index`, ["update-index", "-z", "--index-info"], {
        input: lines.join(""),
      });
      const next = await this.#git.must(say`write a tree`, ["write-tree"]);
      held = files;
      if (next === tree) continue;
      const named = await this.#changedBetween(
        tree,
        next,
        changed.map(([path]) => path),
      );
      tree = next;
      const message = `Work of ${agent}\n\nSession ${this.#core.journal.id}\n`;
      const env = { ...identity("AUTHOR", agent), ...committer };
      parent = await this.#git.must(say`write a commit`, ["commit-tree", tree, "-p", parent], {
        input: message,
        env,
      });
      commits.push({ agent, commit: parent, files: named });
    }
    // The empty old value: only if there is no such branch.
    if ((await this.#git.run(["update-ref", `refs/heads/${branch}`, parent, ""])) === undefined)
      throw branchExists(branch);
    return { branch, commits };
  }

  /** Which of the paths two trees differ in. */
  async #changedBetween(
    before: string,
    after: string,
    paths: readonly WorkspacePath[],
  ): Promise<WorkspacePath[]> {
    const compare = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after];
    const names = new Set((await this.#git.must(say`compare trees`, compare)).split("\0"));
    return paths.filter((path) => names.has(this.#prefix + this.#name(path))).toSorted(comparePaths);
  }

  /** Checks repository, branch and HEAD, and returns HEAD. */
  async #begin(branch: string): Promise<string> {
    const prefix = await this.#git.run(["rev-parse", "--show-prefix"]);
    if (prefix === undefined)
      throw refused(
        "no_repository",
        say`The folder does not lie in a git repository, or git is not installed. Land without a branch, or make a repository with a first commit of the folder.`,
      );
    this.#prefix = prefix;
    if ((await this.#git.run(["check-ref-format", "--branch", branch])) !== branch)
      throw new HoldfastError(
        "invalid_argument",
        "bad_branch",
        say`${echo(branch)} cannot be the name of a branch. Choose another name.`,
      );
    const head = await this.#git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
    if (head === undefined)
      throw refused("no_commits", say`The repository has no commit yet. Make a first one.`);
    if ((await this.#git.run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== undefined)
      throw branchExists(branch);
    return head;
  }

  /** The plan begins with what the folder holds: a commit of it on HEAD must not bring anything else along. */
  async #checkHead(before: ReadonlyMap<WorkspacePath, FolderFile | undefined>): Promise<void> {
    const dirty = await this.#dirty([...before.keys()].map((path) => this.#name(path)));
    const other: WorkspacePath[] = [];
    for (const [path, file] of before)
      if (dirty.has(this.#name(path)) || !(await this.#isInHead(path, file))) other.push(path);
    if (other.length === 0) return;
    throw new HoldfastError(
      "conflict",
      "differs_from_head",
      say`The folder holds changes that are not committed in ${sayAll(other)}. No branch was made; commit them first.`,
      { data: { paths: other } },
    );
  }

  /** Which of these files of the work tree git takes for changed or untracked. */
  async #dirty(names: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    const diff = [
      "diff",
      "--name-only",
      "--no-ext-diff",
      "--no-textconv",
      "--no-renames",
      "--relative",
      "-z",
    ];
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const literal = names.slice(at, at + NAMES_AT_ONCE).map((name) => `:(literal)${name}`);
      for (const list of [diff, ["ls-files", "--others", "-z"]]) {
        const printed = await this.#git.must(say`compare the folder with HEAD`, [...list, "--", ...literal]);
        for (const name of printed.split("\0")) found.add(name);
      }
    }
    return found;
  }

  async #isInHead(path: WorkspacePath, file: FolderFile | undefined): Promise<boolean> {
    const listed = await this.#git.run(["ls-tree", "-z", "HEAD", "--", `:(literal)${this.#name(path)}`]);
    const [there = ""] = (listed ?? "").split("\t");
    if (file === undefined) return there === "" || there.includes(" tree ");
    const is = async (): Promise<boolean> => there === `${modeOf(file)} blob ${await this.#blob(path, file)}`;
    if (await is()) return true;
    // As git does: a file that was committed with its line endings keeps them, whatever core.autocrlf says.
    this.#asIs.add(path);
    return is();
  }

  #name(path: WorkspacePath): string {
    const { to, file } = this.#mount;
    if (file !== undefined) return file;
    return relativePath(path).split("/").slice(segmentsOf(to).length).join("/");
  }

  async #blob(path: WorkspacePath, file: FolderFile): Promise<string> {
    const input = await wholeBytes(this.#core, file.content);
    // By the name, so that line endings and filters are those of `git add`.
    const how = this.#asIs.has(path) ? ["--no-filters"] : ["--path", this.#name(path)];
    return this.#git.must(say`store a file`, ["hash-object", "-w", "--stdin", ...how], { input });
  }

  async #indexLine(path: WorkspacePath, file: FolderFile | undefined): Promise<string> {
    const name = this.#prefix + this.#name(path);
    if (file === undefined) return `0 ${"0".repeat(40)}\t${name}\0`;
    return `${modeOf(file)} ${await this.#blob(path, file)}\t${name}\0`;
  }
}

function modeOf({ executable }: FolderFile): string {
  return executable ? "100755" : "100644";
}

function identity(who: "AUTHOR" | "COMMITTER", name: string): Record<string, string> {
  const plain = name.replace(/[^\w.-]/g, "-");
  return { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: `${plain}@holdfast.invalid` };
}

function refused(reason: Reason, message: Shown): HoldfastError {
  return new HoldfastError("conflict", reason, message);
}

function branchExists(branch: string): HoldfastError {
  return refused("branch_exists", say`The branch ${echo(branch)} exists already. Choose another name.`);
}
