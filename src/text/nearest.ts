// Owns: the guess in "did you mean".

const LONGEST = 64;

/**
 * The candidate that `name` was most likely meant to be, or undefined when none is near: at most a third of its letters
 * (and at most 3) inserted, dropped, changed or swapped with their neighbour; case and `-`, `_`, blanks count little.
 * The first of equals wins. Names above 64 characters have no neighbours, so the cost is bounded for each candidate.
 *
 * @example nearest("pth", ["path", "content"])  // "path"
 */
export function nearest<T extends string>(name: string, candidates: Iterable<T>): T | undefined {
  if (name.length > LONGEST || name === "") return undefined;
  const wanted = plain(name);
  let best: T | undefined;
  let bestCost = Infinity;
  for (const candidate of candidates) {
    if (candidate.length > LONGEST) continue;
    const other = plain(candidate);
    const most = Math.min(3, Math.floor(Math.max(wanted.length, other.length) / 3));
    const distance = editDistance(wanted, other, most);
    // Equal but for case and joints: the smallest cost there is, after equality itself.
    const cost = candidate === name ? -1 : distance;
    if (distance <= most && cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

/**
 * How many letters must be inserted, dropped, changed or swapped with their neighbour to get from one to the other;
 * `most + 1` as soon as it must exceed `most`.
 *
 * @example editDistance("pth", "path", 3)  // 1
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (older[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    // A swap can reach back two rows, so both must be beyond the bound.
    if (least > most && Math.min(...previous) > most) return most + 1;
    older = previous;
    previous = row;
  }
  return Math.min(previous[b.length] ?? 0, most + 1);
}
