// Owns: the files of a session in the host's own hands: reading, writing and removing without an agent, as commits by the host.

import { HoldfastError, say } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Content, Position } from "../store/journal.ts";
import { readBytes, type ByteSource } from "../text/index.ts";
import type { Json } from "../value.ts";
import { commitAs, type Actor } from "./actor.ts";
import { blobContent } from "./content.ts";
import { Draft } from "./draft.ts";
import { fileAt, type FilesState } from "./files/file-state.ts";
import { fileInfo, Workspace, type FileInfo, type WriteOptions } from "./files/workspace.ts";
import type { SessionCore } from "./transact.ts";

/** What a file is to hold: text becomes UTF-8; a stream may have any size up to the limit of a file. */
export type HostContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** The files of a session for the host, whom no rule, gate or role binds. Paths are those of tools. */
export interface HostFiles {
  /** The file at a path; undefined where there is none. */
  stat(path: string): FileInfo | undefined;
  /** A whole file in memory. Throws `not_found` / `no_such_file`. */
  read(path: string): Promise<Uint8Array>;
  /** A file piece by piece, as it is when the first piece is asked for. */
  stream(path: string): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * Creates a file or gives it other content: one commit by `host`.
   *
   * @example await session.workspace.write("data/big.csv", createReadStream("big.csv"));
   */
  write(path: string, content: HostContent, options?: WriteOptions): Promise<FileInfo>;
  /** Writes several files in one commit, all or none. */
  writeAll(files: Iterable<readonly [path: string, content: HostContent]>): Promise<Position>;
  /** Removes a file, or all files below a directory: one commit by `host`. Throws `not_found` / `no_such_file`. */
  remove(path: string): Promise<Position>;
}

const PIECE = 256 * 1024;

export class SessionFiles implements HostFiles {
  readonly #core: SessionCore;
  readonly #actor: Actor;

  constructor(core: SessionCore, actor: Actor) {
    this.#core = core;
    this.#actor = actor;
  }

  stat(path: string): FileInfo | undefined {
    const entry = fileAt(this.#core.timeline.state.slices.get("files") as FilesState, this.#path(path));
    return entry === undefined ? undefined : fileInfo(entry);
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#open(path, async (source) => readBytes(source, 0, source.size));
  }

  async *stream(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const opened: Closable[] = [];
    try {
      const source = await this.#files(this.#draft(), opened).open(this.#path(path));
      for (let at = 0; at < source.size; at += PIECE) yield readBytes(source, at, PIECE);
    } finally {
      for (const source of opened) source.close();
    }
  }

  async write(path: string, content: HostContent, options: WriteOptions = {}): Promise<FileInfo> {
    const where = this.#path(path);
    const staged = await this.#stage(content);
    await this.#commit(["write", where], (files) => put(files, where, staged, options));
    return this.stat(where) as FileInfo;
  }

  async writeAll(all: Iterable<readonly [path: string, content: HostContent]>): Promise<Position> {
    const staged: (readonly [WorkspacePath, Staged])[] = [];
    for (const [path, content] of all) staged.push([this.#path(path), await this.#stage(content)]);
    return this.#commit(["write", staged.length], async (files) => {
      for (const [path, content] of staged) await put(files, path, content, {});
    });
  }

  async remove(path: string): Promise<Position> {
    const { limits, names } = this.#core;
    const where = parsePath(path, { kind: "any", allowRoot: false, limits, names });
    return this.#commit(["remove", where], async (files) => {
      if ((await files.stat(where)) !== undefined) return files.remove(where);
      const below = [...(await files.under(where))];
      for (const file of below) await files.remove(file.path);
      if (below.length === 0)
        throw new HoldfastError("not_found", "no_such_file", say`${where} does not exist.`);
    });
  }

  #path(text: string): WorkspacePath {
    const { limits, names } = this.#core;
    return parsePath(text, { kind: "file", limits, names });
  }

  #draft(): Draft {
    const { slices, timeline } = this.#core;
    return new Draft(slices, timeline.state, this.#actor.now(), this.#actor.agent);
  }

  #files(draft: Draft, opened: Closable[]): Workspace {
    const { journal, limits } = this.#core;
    return new Workspace({ draft, journal, limits, time: this.#actor.now(), opened });
  }

  async #open<T>(path: string, use: (source: ByteSource) => Promise<T>): Promise<T> {
    const opened: Closable[] = [];
    try {
      return await use(await this.#files(this.#draft(), opened).open(this.#path(path)));
    } finally {
      for (const source of opened) source.close();
    }
  }

  async #commit(request: Json, plan: (files: Workspace) => Promise<unknown>): Promise<Position> {
    const opened: Closable[] = [];
    try {
      const { at } = await commitAs(this.#core, this.#actor, "call", request, (draft) =>
        plan(this.#files(draft, opened)),
      );
      return at;
    } finally {
      for (const source of opened) source.close();
    }
  }

  /** A stream is taken in before the commit, once: the plan may run several times. */
  async #stage(content: HostContent): Promise<Staged> {
    if (typeof content === "string" || content instanceof Uint8Array) return content;
    const look = new Looker(content);
    const blob = await this.#core.journal.stage(look.pieces());
    return { content: blobContent(blob, look.size), encoding: look.isUtf8 ? "utf-8" : "binary" };
  }
}

interface Closable extends ByteSource {
  close(): void;
}

/** Small content as it is; that of a stream where it was put. */
type Staged = string | Uint8Array | { readonly content: Content; readonly encoding: string };

async function put(
  files: Workspace,
  path: WorkspacePath,
  staged: Staged,
  options: WriteOptions,
): Promise<void> {
  if (typeof staged !== "string" && !(staged instanceof Uint8Array)) {
    await files.put(path, staged.content, { ...options, encoding: options.encoding ?? staged.encoding });
    return;
  }
  const isThere = (await files.stat(path)) !== undefined;
  await files[isThere ? "replace" : "create"](path, staged, options);
}

/** Passes a stream on and notes its size, and whether it is UTF-8. */
class Looker {
  size = 0;
  isUtf8 = true;
  readonly #from: AsyncIterable<Uint8Array>;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(from: AsyncIterable<Uint8Array>) {
    this.#from = from;
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of this.#from) {
      this.size += piece.length;
      this.#look(piece, true);
      yield piece;
    }
    this.#look(new Uint8Array(), false);
  }

  #look(piece: Uint8Array, stream: boolean): void {
    if (!this.isUtf8) return;
    try {
      this.#decoder.decode(piece, { stream });
    } catch {
      this.isUtf8 = false;
    }
  }
}
