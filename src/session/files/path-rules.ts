// Owns: the host's rules for paths: what agents may do where. One function decides, and every way to files asks it.
// Must never: bind the host.

import { echo, HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import {
  compileGlob,
  foldText,
  parentOf,
  relativePath,
  ROOT,
  type Glob,
  type WorkspacePath,
} from "../../path/index.ts";
import { isOfKind } from "../../text/options.ts";

/**
 * One rule of the host, with exactly one of `deny`, `require` and `allow`. It holds for every path that one of its globs
 * matches, and for everything below such a path.
 *
 * @example { paths: ["**" + "/.env*"], deny: "all" }
 */
export interface PathRule {
  /** Globs from the workspace on, such as `dist/**`. */
  readonly paths: readonly string[];
  /** `all`: agents neither see nor reach it. `write`: they may only read it. */
  readonly deny?: "all" | "write";
  /** A write to a file that exists must name its version. */
  readonly require?: "version";
  /** An exception from the rules after it, and the only one that opens `.git` and `.holdfast`. */
  readonly allow?: "all" | "read";
}

/** What agents may do at a path. */
export interface PathPermission {
  /** Whether agents may see it. */
  readonly read: boolean;
  /** Whether agents may change it. */
  readonly write: boolean;
  /** Must a write to an existing file name its version? */
  readonly version: boolean;
}

const OPEN: PathPermission = Object.freeze({ read: true, write: true, version: false });
const VERSIONED: PathPermission = Object.freeze({ read: true, write: true, version: true });
const READ_ONLY: PathPermission = Object.freeze({ read: true, write: false, version: false });
const CLOSED: PathPermission = Object.freeze({ read: false, write: false, version: false });

/**
 * Directories of tools that run what they find there, at any depth. `git~1` is the short name that Windows gives to `.git`;
 * names are compared folded, since some file systems take them for the same.
 */
const PRIVATE: ReadonlySet<string> = new Set([".git", "git~1", ".holdfast"]);
/** Cheaper than looking at segments: most paths hold none of the names. */
const MAY_BE_PRIVATE = /\.git|git~1|\.holdfast|[\u0080-\uffff]/i;
const REMEMBERED_DIRECTORIES = 4_096;

interface Compiled {
  readonly globs: readonly Glob[];
  readonly permission: PathPermission;
  readonly opensPrivate: boolean;
}

/** The rules of one session. The first rule that holds for a path decides. */
export class PathRules {
  readonly #rules: readonly Compiled[];
  /** Directory -> index of the first rule that holds for it, or the number of rules. */
  readonly #first: Map<WorkspacePath, number> = new Map();

  /** Throws `invalid_argument` / `bad_rules` naming every problem. */
  constructor(rules: readonly PathRule[], limits: Pick<Limits, "globLength" | "globAlternatives">) {
    this.#rules = compileRules(rules, limits);
  }

  /** Throws what the constructor throws. */
  static check(rules: readonly PathRule[], limits: Pick<Limits, "globLength" | "globAlternatives">): void {
    compileRules(rules, limits);
  }

  /** The one decision. */
  of(path: WorkspacePath): PathPermission {
    const rule = this.#rules.length === 0 ? undefined : this.#rules[this.#firstOf(path)];
    if (isPrivate(path)) return rule?.opensPrivate === true ? rule.permission : CLOSED;
    return rule?.permission ?? OPEN;
  }

  /** False when a directory and what is in it are always hidden, or shown, together. */
  get mayDiffer(): boolean {
    return this.#rules.some(({ permission, opensPrivate }) => !permission.read || opensPrivate);
  }

  #firstOf(path: WorkspacePath): number {
    const above = this.#firstAbove(path);
    return this.#firstMatch(path, above);
  }

  /** The first rule that holds for a directory above the path. */
  #firstAbove(path: WorkspacePath): number {
    const unknown: WorkspacePath[] = [];
    let first = this.#rules.length;
    for (let here = parentOf(path); here !== undefined && here !== ROOT; here = parentOf(here)) {
      const known = this.#first.get(here);
      if (known !== undefined) {
        first = known;
        break;
      }
      unknown.push(here);
    }
    if (this.#first.size > REMEMBERED_DIRECTORIES) this.#first.clear();
    for (const directory of unknown.reverse()) {
      first = this.#firstMatch(directory, first);
      this.#first.set(directory, first);
    }
    return first;
  }

  /** The first rule before `end` whose globs match the path itself, or `end`. */
  #firstMatch(path: WorkspacePath, end: number): number {
    const relative = relativePath(path);
    for (let i = 0; i < end; i++)
      if (this.#rules[i]?.globs.some((glob) => glob.matchesRelative(relative)) === true) return i;
    return end;
  }
}

function isPrivate(path: WorkspacePath): boolean {
  if (!MAY_BE_PRIVATE.test(path)) return false;
  return relativePath(path)
    .split("/")
    .some((segment) => PRIVATE.has(foldText(segment)));
}

function compileRules(
  rules: readonly PathRule[],
  limits: Pick<Limits, "globLength" | "globAlternatives">,
): Compiled[] {
  if (!Array.isArray(rules)) throw badRules([say`rules must be a list of rules`]);
  const problems: Shown[] = [];
  const compiled: Compiled[] = [];
  for (const [i, rule] of (rules as readonly unknown[]).entries()) {
    const problem = problemOf(rule);
    if (problem !== undefined) {
      problems.push(say`rule ${i + 1} ${problem}`);
      continue;
    }
    const { paths, allow, ...held } = rule as PathRule;
    try {
      compiled.push({
        globs: paths.map((text) => compileGlob(text, { limits })),
        permission: permissionOf({ ...held, ...(allow === undefined ? {} : { allow }) }),
        opensPrivate: allow !== undefined,
      });
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      problems.push(say`rule ${i + 1}: ${error.message}`);
    }
  }
  if (problems.length > 0) throw badRules(problems);
  return compiled;
}

function permissionOf({ deny, require, allow }: Omit<PathRule, "paths">): PathPermission {
  if (deny === "all") return CLOSED;
  if (deny === "write" || allow === "read") return READ_ONLY;
  return require === "version" ? VERSIONED : OPEN;
}

const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ["deny", ["all", "write"]],
  ["require", ["version"]],
  ["allow", ["all", "read"]],
]);

function problemOf(rule: unknown): Shown | undefined {
  if (!isOfKind("object", rule)) return say`must be an object`;
  const { paths, ...held } = rule as Readonly<Record<string, unknown>>;
  if (!Array.isArray(paths) || paths.length === 0) return say`must have paths, a list of globs`;
  const names = Object.keys(held).filter((name) => held[name] !== undefined);
  const [name, ...others] = names;
  if (name === undefined || others.length > 0 || !VALUES.has(name))
    return say`must have exactly one of deny, require and allow beside paths`;
  const values = VALUES.get(name) ?? [];
  if (values.includes(held[name] as string)) return undefined;
  return say`has ${name as Shown} that is not ${sayAll(
    values.map((value) => echo(value)),
    " or ",
  )}`;
}

function badRules(problems: readonly Shown[]): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_rules",
    say`Rules for paths refused: ${sayAll(problems, "; ")}.`,
  );
}

/** The refusal of a path that agents may not reach that way. It says the same whether or not a file is there. */
export function pathDenied(path: WorkspacePath, { read }: PathPermission): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "path_denied",
    read
      ? say`${path} is read-only for agents: a rule of the host says so. Write elsewhere, or ask the host.`
      : say`${path} is closed to agents by a rule of the host. Work elsewhere, or ask the host.`,
  );
}
