// Owns: the names of files in a unified diff: quoting, prefixes, and the two that share a line of git.

/** The two names of a `diff --git` line. Unquoted names with blanks are told apart by being equal. */
export function gitNames(rest: string): [string, string] {
  if (rest.startsWith('"')) {
    const end = closingQuote(rest);
    return [unquote(rest.slice(0, end + 1)), unquote(rest.slice(end + 2))];
  }
  const middle = (rest.length - 1) / 2;
  if (rest.charAt(middle) === " " && rest.slice(2, middle) === rest.slice(middle + 3))
    return [rest.slice(0, middle), rest.slice(middle + 1)];
  const gap = rest.indexOf(" b/") >= 0 ? rest.indexOf(" b/") : rest.indexOf(" ");
  return gap < 0 ? [rest, rest] : [rest.slice(0, gap), unquote(rest.slice(gap + 1))];
}

function closingQuote(text: string): number {
  for (let i = 1; i < text.length; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === '"') return i;
  }
  return text.length;
}

/** The name in a `---` or `+++` line; undefined for /dev/null. A tab begins the time of the file. */
export function diffName(rest: string): string | undefined {
  const bare = rest.replace(/\r$/, "");
  const name = bare.startsWith('"')
    ? unquote(bare.slice(0, closingQuote(bare) + 1))
    : (bare.split("\t")[0] ?? "");
  return name === "/dev/null" ? undefined : name;
}

export type Prefixes = readonly [old: string, fresh: string];

export const USUAL_PREFIXES: Prefixes = ["a/", "b/"];

/**
 * The first folders of two names, if they are prefixes that a tool put there: the usual ones in either order, or different
 * ones before the same name (`i/x` and `w/x`). A folder that both names have is a folder of the file.
 */
export function prefixesOf(old: string, fresh: string): Prefixes {
  const a = old.slice(0, old.indexOf("/") + 1);
  const b = fresh.slice(0, fresh.indexOf("/") + 1);
  if (a === "" || b === "" || a === b) return ["", ""];
  const isUsual = (a === "a/" && b === "b/") || (a === "b/" && b === "a/");
  return isUsual || old.slice(a.length) === fresh.slice(b.length) ? [a, b] : ["", ""];
}

export function strip(name: string | undefined, prefix: string): string | undefined {
  return name?.startsWith(prefix) === true ? name.slice(prefix.length) : name;
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ['"', 34],
  ["\\", 92],
]);

/** Undoes C quoting; a name without quotes stays as it is. */
export function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  const inner = new TextEncoder().encode(name.slice(1, -1));
  for (let i = 0; i < inner.length; i++) {
    const byte = inner[i] as number;
    if (byte !== 92) {
      bytes.push(byte);
      continue;
    }
    const digits = String.fromCharCode(...inner.subarray(i + 1, i + 4));
    if (/^[0-3][0-7]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 8));
      i += 3;
    } else bytes.push(ESCAPES.get(String.fromCharCode(inner[++i] ?? 92)) ?? 92);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
