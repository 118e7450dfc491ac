// Random JSON documents from a seed, and ways to spoil them. Every choice comes from the seed, so a failure repeats.

export interface Dice {
  /** A whole number from 0 to `n - 1`. */
  (n: number): number;
}

export function dice(seed: number): Dice {
  let state = (seed ^ 0x9e3779b9) | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

const KEYS = [
  "a",
  "b",
  "id",
  "name",
  "key with space",
  "é",
  "__proto__",
  "0",
  "-1",
  "",
  "toString",
  "😀",
  'q"uote',
];
const NUMBERS = [
  "0",
  "-0",
  "1",
  "12",
  "-7",
  "1.0",
  "0.5e-3",
  "1E+9",
  "1e400",
  "12345678901234567890",
  "-12.75",
  "0.10",
];
const TEXTS = [
  "",
  "x",
  "two words",
  "Zürich",
  "日本語",
  "emoji 😀 tail",
  "\u2028",
  "a/b // no comment",
  "[{}],:",
];
const ESCAPES = ["\\n", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "\\/", "\\t", "\\u0000", "\\ud800"];

/** How blanks are put between tokens. */
const BLANKS = ["", "", " ", "\n", "\r\n  ", "\t", "   \n\n "];

export interface DocumentStyle {
  /** Comments and trailing commas too. */
  readonly jsonc?: boolean;
  /** About how many values. */
  readonly size?: number;
}

/** A valid document. */
export function randomDocument(roll: Dice, style: DocumentStyle = {}): string {
  let budget = style.size ?? 40;
  const tight = roll(3) === 0;
  const blank = (): string => {
    if (style.jsonc === true && roll(6) === 0) {
      const inner = ['"', "{", "x, ]", "*", "/"][roll(5)] ?? "";
      return roll(2) === 0 ? `//${inner}\n` : `/*${inner}*/`;
    }
    if (roll(40) === 0) return " ".repeat(roll(200));
    return tight ? "" : (BLANKS[roll(BLANKS.length)] ?? "");
  };
  const string = (text: string): string => {
    let literal = JSON.stringify(text);
    if (roll(4) === 0) literal = `"${ESCAPES[roll(ESCAPES.length)] ?? ""}${literal.slice(1)}`;
    if (roll(12) === 0) literal = `"${"long ".repeat(roll(60))}${"\\\\".repeat(roll(70))}${literal.slice(1)}`;
    return literal;
  };
  // Containers are built without recursion: each open one is a frame of parts.
  interface Frame {
    readonly members: boolean;
    readonly parts: string[];
    left: number;
    key: string;
  }
  const frames: Frame[] = [];
  let done: string | undefined;
  const put = (literal: string): void => {
    const top = frames.at(-1);
    if (top === undefined) done = literal;
    else top.parts.push(top.key + literal);
  };
  const begin = (): void => {
    const kind = frames.length > 30 ? 3 + roll(4) : roll(7);
    if (kind < 3 && budget > 0)
      frames.push({ members: kind < 2, parts: [], left: Math.min(budget, roll(9)), key: "" });
    else if (kind === 3) put(NUMBERS[roll(NUMBERS.length)] ?? "0");
    else if (kind === 4) put(["true", "false", "null"][roll(3)] ?? "null");
    else put(string(TEXTS[roll(TEXTS.length)] ?? ""));
    budget--;
  };
  begin();
  while (done === undefined) {
    const top = frames.at(-1);
    if (top === undefined) break;
    if (top.left-- > 0) {
      top.key = top.members ? `${string(KEYS[roll(KEYS.length)] ?? "")}${blank()}:${blank()}` : "";
      begin();
      continue;
    }
    frames.pop();
    let text = "";
    for (let i = 0; i < top.parts.length; i++)
      text += `${i === 0 ? "" : ","}${blank()}${top.parts[i] ?? ""}${blank()}`;
    if (top.parts.length === 0) text = blank();
    else if (style.jsonc === true && roll(4) === 0) text += `,${blank()}`;
    put(top.members ? `{${text}}` : `[${text}]`);
  }
  return blank() + (done ?? "null") + blank();
}

const SPOILERS: readonly number[] = [
  ...new TextEncoder().encode('{}[]:,"\\/ \n\t0123456789-+.eEtrufalsn*\u0000\u001f\u007f'),
  0x80,
  0xbf,
  0xc0,
  0xc2,
  0xe0,
  0xed,
  0xa0,
  0xef,
  0xbb,
  0xf0,
  0xf4,
  0xf5,
  0xff,
];

/** A copy with up to three bytes changed, put in or taken out, or with its end cut off. */
export function spoil(bytes: Uint8Array, roll: Dice): Uint8Array {
  let spoiled = Uint8Array.from(bytes);
  for (let times = roll(4); times > 0; times--) {
    const at = roll(Math.max(1, spoiled.length));
    const byte = SPOILERS[roll(SPOILERS.length)] ?? 0;
    switch (roll(8)) {
      case 0:
        spoiled = spoiled.slice(0, at);
        break;
      case 1:
        spoiled = Uint8Array.from([...spoiled.subarray(0, at), ...spoiled.subarray(at + 1)]);
        break;
      case 2:
      case 3:
        spoiled = Uint8Array.from([...spoiled.subarray(0, at), byte, ...spoiled.subarray(at)]);
        break;
      default:
        if (at < spoiled.length) spoiled[at] = byte;
    }
  }
  return spoiled;
}
