// Random documents in every style that people write, with comments whose owners are known.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** 0 to n - 1. */
  below(n: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % n;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}

/** A comment and the unique text of the member it belongs to. */
export interface OwnedComment {
  readonly text: string;
  readonly where: "above" | "after" | "before" | "loose";
  /** Path of the member it belongs to; of the container it lies in for a loose one. */
  readonly path: string;
  /** How that member starts in the text, where that is known. */
  readonly token: string | undefined;
}

export interface Place {
  readonly steps: readonly (string | number)[];
  readonly kind: "object" | "array" | "scalar";
  readonly size: number;
}

export interface StyledDocument {
  readonly text: string;
  readonly jsonc: boolean;
  readonly comments: readonly OwnedComment[];
  /** Every value that a reader sees, the root first. */
  readonly places: readonly Place[];
}

const KEYS = [
  "__proto__",
  "constructor",
  "0",
  "10",
  "-1",
  "",
  "a.b",
  "*",
  "..",
  "é",
  "\ud83d\ude00",
  'q"t',
  "b\\s",
  "x y",
];

export function styledDocument(seed: number): StyledDocument {
  const random = new Random(seed);
  const jsonc = random.chance(50);
  const eol = random.pick(["\n", "\n", "\r\n"]);
  const unit = random.pick(["  ", "  ", "    ", "\t", " ", ""]);
  const colon = random.pick([": ", ": ", ":", " : ", ":  "]);
  const comma = random.pick([" ", " ", "", "  "]);
  const pad = random.pick(["", "", " "]);
  const trailing = jsonc && random.chance(40);
  const commented = jsonc && random.chance(75);
  const commaFirst = !trailing && random.chance(15);
  const ownBracket = random.chance(15);
  const comments: OwnedComment[] = [];
  const places: Place[] = [];
  let counter = 0;

  const note = (
    where: OwnedComment["where"],
    path: string,
    form: "line" | "block",
    token?: string,
  ): string => {
    const text = `c${++counter} ${random.pick(["note", '"quoted"', "a, b", "{", "]"])}`;
    const written = form === "line" ? `// ${text}` : `/* ${text} */`;
    comments.push({ text: written, where, path, token });
    return written;
  };
  const scalar = (): string => {
    const n = ++counter;
    return random.pick([
      `${n}`,
      `${n}.0`,
      `${n}e400`,
      `-${n}.50E+2`,
      `1234567890123456789${n}`,
      `"s${n}"`,
      `"s${n} \\u00e9 \\/ \\n \\" , ] } // no"`,
      `"s${n} é 😀"`,
    ]);
  };
  const keyText = (name: string): string => {
    const plain = JSON.stringify(name);
    return random.chance(10) && name !== "" && name.charCodeAt(0) < 0x80 && !'"\\'.includes(name[0] ?? "")
      ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${plain.slice(2)}`
      : plain;
  };
  const container = (steps: readonly (string | number)[], depth: number, lines: boolean): string => {
    const object = depth === 0 ? random.chance(70) : random.chance(55);
    const size = random.pick([0, 1, 1, 2, 3, 3, 4, 5]);
    const path = JSON.stringify(steps);
    const open = object ? "{" : "[";
    const close = object ? "}" : "]";
    const indent = unit.repeat(depth + 1);
    const outer = unit.repeat(depth);
    const own = places.length;
    places.push({ steps, kind: object ? "object" : "array", size });
    if (size === 0)
      return `${open}${random.pick(["", "", pad, lines && random.chance(20) ? `${eol}${outer}` : ""])}${close}`;
    // The names first, so that a duplicate can be told from the last of its name.
    const names: string[] = [];
    for (let i = 0; i < size; i++) {
      if (i > 0 && random.chance(12)) names.push(random.pick(names));
      else names.push(random.chance(30) ? random.pick(KEYS) : `k${++counter}`);
    }
    const distinct = object ? new Set(names).size : size;
    places[own] = { ...(places[own] as Place), size: distinct };
    let out = open;
    if (commented && lines && random.chance(15)) out += ` ${note("loose", path, "line")}`;
    for (let i = 0; i < size; i++) {
      const name = names[i] ?? "";
      const winner = !object || names.lastIndexOf(name) === i;
      const inner = [...steps, object ? name : i];
      // What belongs to a duplicate goes with the key all the same.
      const innerPath = JSON.stringify(inner);
      const key = object ? keyText(name) : undefined;
      const raw = depth < 4 && random.chance(depth === 0 ? 55 : 30) ? undefined : scalar();
      const token = key ?? raw;
      if (lines) {
        if (commented && random.chance(12)) out += `${eol}${indent}${note("loose", path, "line")}${eol}`;
        else if (random.chance(10) && i > 0) out += eol;
        if (commented && random.chance(25))
          for (let n = random.below(2); n >= 0; n--)
            out += `${eol}${indent}${note("above", innerPath, random.pick(["line", "block"]), token)}`;
        out += commaFirst && i > 0 ? `${eol}${indent}, ` : `${eol}${indent}`;
      } else if (i === 0) out += object ? pad : "";
      else out += comma;
      if (commented && !lines && random.chance(15)) out += `${note("before", innerPath, "block", token)} `;
      const keepPlaces = places.length;
      const keepComments = comments.length;
      const innerLines = lines && random.chance(65);
      const below = raw === undefined && innerLines && ownBracket;
      if (key !== undefined) out += below ? `${key}${colon.trimEnd()}${eol}${indent}` : `${key}${colon}`;
      if (raw === undefined) out += container(inner, depth + 1, innerLines);
      else {
        places.push({ steps: inner, kind: "scalar", size: 0 });
        out += raw;
      }
      if (!winner) {
        // No path leads into a value that a later twin hides.
        places.length = keepPlaces;
        for (const [n, comment] of comments.entries())
          if (n >= keepComments)
            comments[n] = { ...comment, where: "loose", path: innerPath, token: undefined };
      }
      const last = i === size - 1;
      const comesFirst = lines && commaFirst;
      if ((!last && !comesFirst) || (trailing && (lines || random.chance(50)))) out += ",";
      if (commented && lines && random.chance(25))
        out += ` ${note("after", innerPath, random.pick(["line", "line", "block"]), raw === undefined ? undefined : token)}`;
    }
    if (commented && lines && random.chance(15)) out += `${eol}${eol}${indent}${note("loose", path, "line")}`;
    out += lines ? `${eol}${outer}` : object ? pad : "";
    return out + close;
  };
  const head = random.chance(10) ? "\ufeff" : "";
  const lead = commented && random.chance(20) ? `${note("loose", "", "block")}${eol}` : "";
  const body = container([], 0, random.chance(75));
  const tail = random.chance(70) ? eol : "";
  return { text: `${head}${lead}${body}${tail}`, jsonc, comments, places };
}
