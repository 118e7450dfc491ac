// Owns: paths of a session on the command line. What a user types is meant from the current folder, as with git, and what is
// printed can be typed back there.
// Must never: take a name that the session does not know for one in which nothing changed.

import { basename, isAbsolute, posix, relative, resolve, sep } from "node:path";
import { HoldfastError, type ShownData } from "../errors.ts";
import {
  isUnder,
  parsePath,
  pathFromSegments,
  relativePath,
  ROOT,
  type WorkspacePath,
} from "../path/index.ts";
import type { Session } from "../tools/index.ts";
import { FOLDER_NAMES } from "./host-names.ts";
import { RefusedError, UsageError } from "./usage-error.ts";

/** A path as it is printed. */
export type ShowPath = (path: WorkspacePath) => string;

/** The paths of a session as the user types and reads them in the current folder. */
export class GivenPaths {
  readonly #session: Session;
  readonly #folders: readonly string[];
  readonly #from: string;
  readonly #typed = new Set<WorkspacePath>();
  /** The current folder as a directory of the workspace; undefined outside the session's folders. */
  readonly here: WorkspacePath | undefined;

  constructor(session: Session, folders: readonly string[], from = ".") {
    this.#session = session;
    this.#folders = folders;
    this.#from = from;
    this.here = this.#current();
  }

  /** The path that is meant. Outside the session's folders, one that leads into none of them is meant from the workspace's root. */
  read(text: string): WorkspacePath {
    const path = this.#meant(text);
    this.#typed.add(path);
    return path;
  }

  /** A refusal in which paths are those that can be typed here. */
  retold(error: HoldfastError): RefusedError {
    const { code, reason, message, data } = error;
    const named = [...this.#typed, ...pathsIn(data), ...this.#session.files().map(({ path }) => path)];
    const longestFirst = [...new Set(named)].toSorted((a, b) => b.length - a.length);
    const told = longestFirst
      .filter((path) => path !== ROOT && message.includes(path))
      .reduce((text, path) => text.replaceAll(path, () => this.show(path)), message as string);
    return new RefusedError(code, reason, told, (data ?? {}) as object, { cause: error });
  }

  #meant(text: string): WorkspacePath {
    if (text === "")
      throw new UsageError("A path is empty. Name a file or a directory; . is the one you are in.");
    if (text === ROOT || text.startsWith(`${ROOT}/`)) return parsePath(text, ANY);
    const found = this.#inFolders(text);
    if (found !== undefined) return found;
    if (!isAbsolute(text) && this.here === undefined)
      return parsePath(posix.normalize(text.split(sep).join("/")), ANY);
    throw new UsageError(`${text} lies outside the folder of the session. Name a file or a directory in it.`);
  }

  /** The same, of something that the session holds or has held. */
  async known(text: string): Promise<WorkspacePath> {
    const path = this.read(text);
    if (path === ROOT || this.#session.files().some((file) => isUnder(file.path, path))) return path;
    if ((await this.#session.log({ path, limit: 1 })).length > 0) return path;
    throw new RefusedError(
      "not_found",
      "no_such_file",
      `${text}: the session has no such file or directory, and never had. Names are meant from the directory you are in; ` +
        "new files of the folder come in with holdfast refresh, ignored ones never.",
      { path },
    );
  }

  /** Several of them; undefined stays undefined. */
  async allKnown(texts: readonly string[] | undefined): Promise<WorkspacePath[] | undefined> {
    return texts && (await Promise.all(texts.map((text) => this.known(text))));
  }

  readonly show: ShowPath = (path) => {
    if (this.here === undefined) return relativePath(path) || ".";
    // Of several folders, the others do not lie beside this one as they do in the workspace.
    if (this.#folders.length > 1 && mountOf(path) !== mountOf(this.here)) return path;
    return posix.relative(this.here, path) || ".";
  };

  #current(): WorkspacePath | undefined {
    try {
      return this.#inFolders(".");
    } catch (error) {
      // A directory whose name no workspace can have: nothing of it is in the session.
      if (HoldfastError.is(error)) return undefined;
      throw error;
    }
  }

  #inFolders(text: string): WorkspacePath | undefined {
    const place = resolve(this.#from, text);
    for (const folder of this.#folders) {
      const way = relative(folder, place);
      if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) continue;
      const mount = this.#folders.length === 1 ? [] : [basename(folder)];
      const names = way.split(sep).filter((name) => name !== "");
      return pathFromSegments([...mount, ...names], NAMES);
    }
    return undefined;
  }
}

/** The paths that the data of a refusal names. */
function pathsIn(data: ShownData | undefined): WorkspacePath[] {
  const { path, paths = [] } = (data ?? {}) as { path?: string; paths?: readonly string[] };
  return [...(path === undefined ? [] : [path]), ...paths] as WorkspacePath[];
}

const NAMES = { ...FOLDER_NAMES, allowRoot: true } as const;
const ANY = { ...NAMES, kind: "any" } as const;

function mountOf(path: WorkspacePath): string | undefined {
  return relativePath(path).split("/", 1)[0];
}
