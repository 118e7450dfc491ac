// Owns: what a benchmark is: cases, the subjects they compare, and the values they measure.
// Must never: know a room, or decide what is fast enough. Goals live in goals.json and are judged in _judge.ts.

/**
 * Numbers a subject reports beside its time: bytes on disk, fsyncs, a percentile of its own. Times are in
 * milliseconds, sizes in bytes, everything else is a plain count or factor, so that a goal's unit can be applied. The
 * names `time`, `cpu` and `memory` are taken: those the harness measures itself.
 */
export type Values = Readonly<Record<string, number>>;

/** What a case can use while it is set up. */
export interface BenchContext {
  /** An empty directory for this case. It is removed after the run. */
  readonly dir: string;
  /**
   * The path of a large input that is made once and kept between runs in a git-ignored directory. `make` writes the
   * file at the path it is given. Change `name` when the content changes.
   */
  cached(name: string, make: (path: string) => void | Promise<void>): Promise<string>;
  /** Says what is going on. Goes to stderr, so that a table on stdout stays a table. */
  log(line: string): void;
}

/** One contestant after its preparation. Only `run` is timed. */
export interface Started {
  /** Before every round, not timed: put the file back, empty the directory. */
  before?(round: number): void | Promise<void>;
  /**
   * Before every single run, not timed: makes the change that `run` is about.
   */
  prepare?(): void | Promise<void>;
  /** The work. What it returns is the answer that {@link Case.agree} compares; it is not timed. */
  run(): unknown;
  /** After every round, not timed. */
  after?(round: number): void | Promise<void>;
  /** Once, after the last round: what else was measured. */
  values?(): Values | Promise<Values>;
  /** Once, at the end, also after a failure. */
  stop?(): void | Promise<void>;
}

/** One contestant: Holdfast, or a program or library that people use today for the same job. */
export interface Subject<Env> {
  readonly name: string;
  /** Says why this subject cannot run here (`jq is not installed`). A missing peer fails the run. */
  missing?(): string | undefined | Promise<string | undefined>;
  /** Loads libraries and opens files. A failure here counts as missing, and is shown. */
  start(env: Env): Started | Promise<Started>;
}

/**
 * One job at one size, done by every subject on the same input. Subjects take turns in every round and the one that
 * begins changes, so that a busy moment of the machine hits all of them.
 */
export interface Case<Env> {
  /** Short; goals name it. Say the size in it: `end of 100 MB`. */
  readonly name: string;
  /** Makes the input. In an isolated case it runs in the parent, so `Env` must be plain JSON (paths, sizes). */
  setup(context: BenchContext): Env | Promise<Env>;
  teardown?(env: Env): void | Promise<void>;
  readonly ours: Subject<Env>;
  readonly peers?: readonly Subject<Env>[];
  /** Timed rounds; 11 unless told. `--rounds` wins. */
  readonly rounds?: number;
  /** Rounds that are run first and forgotten; 2 unless told. */
  readonly warmups?: number;
  /**
   * How often `run` is called in one timed round; the time is divided by it. `auto` (for work in microseconds) picks
   * per subject so that a round takes about 20 ms. 1 unless told, and needed for anything that `before` must undo; what `prepare` undoes can be run often.
   */
  readonly repeat?: number | "auto";
  /**
   * Every subject gets a process of its own: `memory` (peak resident bytes above the process as it was before
   * `start`; programs it starts are not counted) is measured, and one subject's garbage cannot slow another. `run` must
   * then answer with plain JSON.
   */
  readonly isolate?: boolean;
  /** Bytes of input, to show MB/s. */
  bytes?(env: Env): number;
  /** True when a peer's answer means the same as ours. Checked once, before timing; a disagreement fails the run. */
  agree?(ours: unknown, theirs: unknown, peer: string): boolean;
}

export interface Bench {
  /** The word after `npm run bench --`; the file is `bench/<name>.bench.ts`. */
  readonly name: string;
  /** One sentence for `--list`. */
  readonly title: string;
  readonly cases: readonly AnyCase[];
  /** Ids of the rows of goals.json that this benchmark answers: all rows that name it, no fewer. */
  readonly goals: readonly string[];
}

/** A case whose input type has been forgotten. Made by {@link defineCase}. */
export type AnyCase = Case<unknown> & { readonly [erased]: true };

declare const erased: unique symbol;

/** Checks a case against its own input type and forgets the type, so that cases of many types fit in one list. */
export function defineCase<Env>(given: Case<Env>): AnyCase {
  return given as unknown as AnyCase;
}

/**
 * Declares a benchmark. Fails at once on a name used twice, because goals find their case and peer by name.
 *
 * @example
 * export default defineBench({
 *   name: "json-get",
 *   title: "one value out of a large document",
 *   goals: ["json-get-end-parse"],
 *   cases: [
 *     defineCase({
 *       name: "end of 100 MB",
 *       setup: async (context) => ({ file: await context.cached("records-100mb.json", writeRecords) }),
 *       ours: {
 *         name: "holdfast",
 *         start: ({ file }) => {
 *           const source = openFile(file);
 *           return { run: () => get(source, "$[-1].id"), stop: () => source.close() };
 *         },
 *       },
 *       peers: [
 *         { name: "JSON.parse", start: ({ file }) => ({ run: () => JSON.parse(readFileSync(file, "utf8")).at(-1).id }) },
 *       ],
 *       agree: (ours, theirs) => ours === theirs,
 *     }),
 *   ],
 * });
 */
export function defineBench(bench: Bench): Bench {
  refuseTwice(
    bench.cases.map((c) => c.name),
    `case of ${bench.name}`,
  );
  for (const c of bench.cases) {
    refuseTwice([c.ours.name, ...(c.peers ?? []).map((p) => p.name)], `subject of ${bench.name} / ${c.name}`);
  }
  refuseTwice(bench.goals, `goal of ${bench.name}`);
  return bench;
}

function refuseTwice(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name))
      throw new RangeError(`Two entries are called "${name}": every ${what} needs its own name.`);
    seen.add(name);
  }
}
