// Owns: what makes package-lock.json good on every platform, not only on the one that wrote it.

export interface Lockfile {
  readonly packages: Readonly<
    Record<
      string,
      { readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }
    >
  >;
}

/** Tools and drivers that ship one binary package per platform, as they are installed in node_modules. */
const NATIVE_TOOLS = [
  "@typescript/native",
  "esbuild",
  "libsql",
  "oxfmt",
  "oxlint",
  "oxlint-tsgolint",
  "rolldown",
] as const;

const PLATFORMS = ["linux", "darwin", "win32"] as const;

/** Each problem as a sentence. */
export function lockfileProblems(lockfile: Lockfile, tools: readonly string[] = NATIVE_TOOLS): string[] {
  const problems: string[] = [];
  for (const [where, entry] of Object.entries(lockfile.packages)) {
    if (entry.resolved !== undefined && /^[a-z+]+:\/\//u.test(entry.resolved))
      problems.push(`${where} names the address it came from; entries must carry none`);
    // npm leaves out a binary package it could not find, and then refuses its own lockfile.
    for (const name of Object.keys(entry.optionalDependencies ?? {}))
      if (!isLocked(lockfile, where, name)) problems.push(`${name}, optional in ${where}, is not locked`);
  }
  for (const tool of tools) {
    const entry = lockfile.packages[`node_modules/${tool}`];
    if (entry === undefined) {
      problems.push(`${tool} is not locked`);
      continue;
    }
    const binaries = Object.keys(entry.optionalDependencies ?? {});
    for (const platform of PLATFORMS)
      if (!binaries.some((name) => name.includes(platform)))
        problems.push(`${tool} has no binary package for ${platform}`);
  }
  return problems;
}

function isLocked({ packages }: Lockfile, where: string, name: string): boolean {
  return (
    packages[`node_modules/${name}`] !== undefined || packages[`${where}/node_modules/${name}`] !== undefined
  );
}
