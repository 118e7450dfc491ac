// Owns: where a host hears of what agents must not see: causes of internal errors, listeners that failed.

/** Hears of what agents must not see. */
export interface Log {
  /** Something went wrong. Must not throw. */
  error(message: string, detail: Readonly<Record<string, unknown>>): void;
}

/** One line on stderr for each message: stdout belongs to protocols. */
export const stderrLog: Log = {
  error(message, detail) {
    const { cause, ...rest } = detail;
    const because = cause instanceof Error ? ` ${cause.stack ?? cause.message}` : "";
    process.stderr.write(`holdfast: ${message} ${JSON.stringify(rest)}${because}\n`);
  },
};
