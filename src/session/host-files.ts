// Owns: the files of a session in the host's own hands: reading, writing and removing without an agent, as commits by the host.

import { HoldfastError, say } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Content, Position } from "../store/journal.ts";
import { isBlobLost } from "../store/lost-bytes.ts";
import {
  Pacer,
  readBytes,
  readBytesSteps,
  runPaced,
  type ByteSource,
  type FileContent,
} from "../text/index.ts";
import { badOptions, checkOptions } from "../text/options.ts";
import type { Json } from "../value.ts";
import { commitAs, type Actor } from "./actor.ts";
import { blobContent } from "./content.ts";
import { Draft } from "./draft.ts";
import { bytesOf, contentIn, PIECE_KINDS, WRITE_OPTIONS } from "./files/file-bytes.ts";
import { fileKey } from "./files/file-keys.ts";
import { fileAt, type FilesState } from "./files/file-state.ts";
import { fileInfo, Workspace, type FileInfo, type WriteOptions } from "./files/workspace.ts";
import type { SessionCore } from "./transact.ts";

/** Text, which becomes UTF-8, or bytes: those of any view or buffer, as they lie in memory. */
export type HostPiece = string | ArrayBufferView | ArrayBuffer;

/** What a file is to hold, whole or piece by piece; a stream may have any size up to the limit of a file. */
export type HostContent = HostPiece | AsyncIterable<HostPiece> | Iterable<HostPiece>;

/**
 * The files of a session for the host, whom no rule, gate or role binds. Paths are those of tools: a text that is none is refused with
 * `invalid_argument`. Writes are checked against the limits `fileBytes` (`file_too_large`), `sessionBytes` and `sessionFiles`
 * (`over_quota`); one that is refused has written nothing.
 */
export interface HostFiles {
  /**
   * The file at a path, as this process last knew it; undefined where there is none, or a directory. Reads nothing.
   *
   * @example session.workspace.stat("notes.md")?.size_bytes // 8
   */
  stat(path: string): FileInfo | undefined;
  /**
   * A whole file in memory. Throws `not_found` / `no_such_file`, `invalid_argument` / `is_directory`, and `internal` / `blob_lost` where
   * stored bytes are damaged.
   *
   * @example const text = new TextDecoder().decode(await session.workspace.read("notes.md"));
   */
  read(path: string): Promise<Uint8Array>;
  /**
   * A file piece by piece, as it is when the first piece is asked for; holds 256 KB of it in memory. Throws as {@link read} does, then.
   *
   * @example for await (const piece of session.workspace.stream("big.csv")) response.write(piece);
   */
  stream(path: string): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * Creates a file or gives it other content: one commit by `host`. A stream is read once, piece by piece. Throws `conflict` /
   * `is_directory`, `file_above` or `case_clash` for a path that cannot be a file, and `invalid_argument` / `bad_options` for content of
   * another kind.
   *
   * @example await session.workspace.write("data/big.csv", createReadStream("big.csv"));
   */
  write(path: string, content: HostContent, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Writes several files in one commit, all or none; returns its position. Throws as {@link write} does.
   *
   * @example await session.workspace.writeAll(Object.entries({ "a.txt": "1\n", "b.txt": "2\n" }));
   */
  writeAll(files: Iterable<readonly [path: string, content: HostContent]>): Promise<Position>;
  /**
   * Removes a file, or all files below a directory: one commit by `host`, which can be undone. Throws `not_found` / `no_such_file`, and
   * `invalid_argument` / `path_root` for the workspace itself.
   *
   * @example await session.workspace.remove("dist");
   */
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
    return this.#open(path, (source) => runPaced(readBytesSteps(source, 0, source.size)));
  }

  async *stream(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const opened: Closable[] = [];
    try {
      const source = await this.#source(path, opened);
      for (let at = 0; at < source.size; at += PIECE) yield readBytes(source, at, PIECE);
    } finally {
      for (const source of opened) source.close();
    }
  }

  async write(path: string, content: HostContent, options: WriteOptions = {}): Promise<FileInfo> {
    checkOptions(say`write`, options, WRITE_OPTIONS);
    const where = this.#path(path);
    const staged = await this.#stage(where, content);
    await this.#commit(["write", where], (files) => put(files, where, staged, options));
    return this.stat(where) as FileInfo;
  }

  async writeAll(all: Iterable<readonly [path: string, content: HostContent]>): Promise<Position> {
    const staged: (readonly [WorkspacePath, Staged])[] = [];
    for (const [path, content] of pairsOf(all)) {
      const where = this.#path(path);
      staged.push([where, await this.#stage(where, content)]);
    }
    return this.#commit(["write", staged.length], async (files) => {
      const pace = new Pacer();
      for (const [path, content] of staged) {
        await put(files, path, content, {});
        await pace.step();
      }
    });
  }

  async remove(path: string): Promise<Position> {
    const { limits, names } = this.#core;
    const where = parsePath(path, { kind: "any", allowRoot: false, limits, names });
    return this.#commit(["remove", where], async (files) => {
      if ((await files.stat(where)) !== undefined) return files.remove(where);
      const pace = new Pacer();
      const below = await pace.map(await files.under(where), ({ path }) => path);
      for (const path of below) {
        await files.remove(path);
        await pace.step();
      }
      if (below.length === 0)
        throw new HoldfastError("not_found", "no_such_file", say`${where} does not exist.`);
    });
  }

  #path(text: string): WorkspacePath {
    const { limits, names } = this.#core;
    return parsePath(text, { kind: "file", limits, names });
  }

  /** Opens a file; what was changed of it in a live folder is imported before. */
  async #source(path: string, opened: Closable[]): Promise<ByteSource> {
    const { slices, timeline, outside, limits } = this.#core;
    const where = this.#path(path);
    let state = await timeline.catchUp();
    for (let tries = 1; ; tries++) {
      const draft = new Draft(slices, state, this.#actor.now(), this.#actor.agent);
      draft.depend([fileKey(where)]);
      const isLast = tries >= limits.contentionTries;
      if (!isLast && (await outside.refresh(draft))) {
        state = timeline.state;
        continue;
      }
      try {
        return await this.#files(draft, opened).open(where);
      } catch (error) {
        // Another process has written the file and pruned what it was.
        const newest = !isLast && isBlobLost(error) ? await timeline.catchUp() : state;
        if (newest === state) throw error;
        state = newest;
      }
    }
  }

  #files(draft: Draft, opened: Closable[]): Workspace {
    const { journal, limits } = this.#core;
    return new Workspace({ draft, journal, limits, time: draft.stamp.time, opened });
  }

  async #open<T>(path: string, use: (source: ByteSource) => Promise<T>): Promise<T> {
    const opened: Closable[] = [];
    try {
      return await use(await this.#source(path, opened));
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
  async #stage(path: WorkspacePath, content: unknown): Promise<Staged> {
    const whole = contentIn(content);
    if (whole !== undefined) return whole;
    if (!isIterable(content))
      throw badOptions(say`${path}: the content must be ${PIECE_KINDS}, or a stream of these`);
    const look = new Looker(path, content);
    const blob = await this.#core.journal.stage(look.pieces());
    return { content: blobContent(blob, look.size), encoding: look.isUtf8 ? "utf-8" : "binary" };
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

function* pairsOf(all: unknown): Generator<readonly [path: string, content: unknown], void, undefined> {
  const problem = say`writeAll: send a list of [path, content] pairs, a Map, or Object.entries of an object`;
  try {
    if (typeof all !== "object" || all === null || !(Symbol.iterator in all)) throw badOptions(problem);
    for (const pair of all as Iterable<unknown>) {
      if (!Array.isArray(pair) || pair.length !== 2) throw badOptions(problem);
      yield pair as unknown as readonly [string, unknown];
    }
  } catch (error) {
    throw HoldfastError.is(error) ? error : badOptions(problem, error);
  }
}

interface Closable extends ByteSource {
  close(): void;
}

/** Small content as it is; that of a stream where it was put. */
type Staged = FileContent | { readonly content: Content; readonly encoding: string };

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

/** Passes a stream on as bytes and notes its size, and whether it is UTF-8. */
class Looker {
  size = 0;
  isUtf8 = true;
  readonly #path: WorkspacePath;
  readonly #from: AsyncIterable<unknown> | Iterable<unknown>;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** Half of a surrogate pair, whose other half may be the beginning of the next text. */
  #half = "";

  constructor(path: WorkspacePath, from: AsyncIterable<unknown> | Iterable<unknown>) {
    this.#path = path;
    this.#from = from;
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    let count = 0;
    for await (const given of this.#from) {
      count++;
      const piece = contentIn(given);
      if (typeof piece === "string") {
        yield this.#pass(this.#encode(piece));
        continue;
      }
      if (piece === undefined)
        throw badOptions(
          say`${this.#path}: every piece of a stream must be ${PIECE_KINDS}; piece ${count} is none`,
        );
      this.#endText();
      yield this.#pass(piece);
    }
    this.#endText();
    this.#look(new Uint8Array(), false);
  }

  #encode(text: string): Uint8Array {
    const whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? whole.slice(-1) : "";
    return bytesOf(this.#half === "" ? whole : whole.slice(0, -1));
  }

  /** Throws `not_unicode` where half of a pair has no other half: what comes next is no text. */
  #endText(): void {
    bytesOf(this.#half);
  }

  #pass(bytes: Uint8Array): Uint8Array {
    this.size += bytes.length;
    this.#look(bytes, true);
    return bytes;
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
