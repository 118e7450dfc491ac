// Owns: the documents that the JSON benchmarks read: four kinds, any size, the same bytes every time.

import { closeSync, openSync, writeSync } from "node:fs";

export type DocumentKind = "records" | "map" | "numbers" | "logs" | "deep";

/**
 * Writes a document of about `size` bytes. `records` is an object with the members config, records and tail; `map` is
 * the same with the records in an object instead of an array.
 */
export function writeDocument(path: string, kind: DocumentKind, size: number): void {
  const out = new Writer(path);
  try {
    MAKERS[kind](out, size, chance());
  } finally {
    out.close();
  }
}

/** The path at the very end of a `records` document, and what stands there. */
export const END_PATH = "$.tail.a.b.c[2].target";
export const END_VALUE = "end";

class Writer {
  readonly #fd: number;
  #parts: string[] = [];
  #held = 0;
  total = 0;

  constructor(path: string) {
    this.#fd = openSync(path, "w");
  }

  put(text: string): void {
    this.#parts.push(text);
    this.#held += text.length;
    this.total += text.length;
    if (this.#held > 1 << 20) this.#flush();
  }

  #flush(): void {
    writeSync(this.#fd, this.#parts.join(""));
    this.#parts = [];
    this.#held = 0;
  }

  close(): void {
    this.#flush();
    closeSync(this.#fd);
  }
}

type Chance = (below: number) => number;

function chance(): Chance {
  let state = 0x2545f491;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const WORDS = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor".split(" ");
const CITIES = [
  "Zürich",
  "東京都渋谷区",
  "Привет",
  "New York",
  "emoji 😀 tail",
  "São Paulo",
  'the "quoted" one',
];

function word(roll: Chance): string {
  return WORDS[roll(WORDS.length)] ?? "";
}

function sentence(roll: Chance, words: number): string {
  return Array.from({ length: words }, () => WORDS[roll(WORDS.length)] ?? "").join(" ");
}

function record(roll: Chance, id: number): unknown {
  return {
    id,
    guid: `${roll(1e9).toString(16)}-${roll(1e9).toString(16)}-${roll(1e9).toString(16)}`,
    active: roll(2) === 0,
    balance: roll(1e7) / 100,
    score: roll(100),
    name: `${word(roll)} ${word(roll)}`,
    email: `${word(roll)}${roll(1e4)}@example.org`,
    created: new Date(1.6e12 + roll(2e9)).toISOString(),
    tags: Array.from({ length: roll(6) }, () => WORDS[roll(WORDS.length)]),
    address: {
      street: `${roll(999)} ${word(roll)} St`,
      city: CITIES[roll(CITIES.length)],
      geo: { lat: roll(180_000_000) / 1e6 - 90, lon: roll(360_000_000) / 1e6 - 180 },
    },
    about: sentence(roll, 8 + roll(40)),
    friends: Array.from({ length: roll(4) }, (_, i) => ({ id: i, name: WORDS[roll(WORDS.length)] })),
    parent: roll(3) === 0 ? null : roll(id + 1),
  };
}

function writeRecords(out: Writer, size: number, roll: Chance, keyed: boolean): void {
  const [open, close] = keyed ? ["{", "}"] : ["[", "]"];
  out.put(
    `{\n  "config": {"features": {"rollout": {"enabled": true, "percent": 50}}},\n  "records": ${open}`,
  );
  for (let id = 0; out.total < size - 400; id++) {
    const text = JSON.stringify(record(roll, id), null, 2).replaceAll("\n", "\n    ");
    out.put(`${id === 0 ? "" : ","}\n    ${keyed ? `"record-${id}": ` : ""}${text}`);
  }
  out.put(`\n  ${close},\n  "tail": {"a": {"b": {"c": [1.0, 1e400, {"target": "${END_VALUE}"}]}}}\n}\n`);
}

const MAKERS: Record<DocumentKind, (out: Writer, size: number, roll: Chance) => void> = {
  records: (out, size, roll) => writeRecords(out, size, roll, false),
  map: (out, size, roll) => writeRecords(out, size, roll, true),
  numbers(out, size, roll) {
    out.put('{"type":"FeatureCollection","coordinates":[[0,0]');
    while (out.total < size)
      out.put(`,[${(roll(360e6) / 1e6 - 180).toFixed(7)},${(roll(180e6) / 1e6 - 90).toFixed(7)}]`);
    out.put("]}");
  },
  logs(out, size, roll) {
    out.put("[\n");
    for (let i = 0; out.total < size; i++) {
      const message = `GET "/api/v1/items?id=${i}"\n\tat C:\\srv\\app\\index.js:${i}\n\t"${sentence(roll, 8)}" goes on`;
      const entry = {
        ts: new Date(1.6e12 + i * 1000).toISOString(),
        level: "info",
        msg: message.repeat(1 + roll(4)),
      };
      out.put(`${i === 0 ? "" : ",\n"}${JSON.stringify(entry)}`);
    }
    out.put("\n]\n");
  },
  deep(out, size) {
    const levels = 50;
    const unit = `${'{"level":1,"flag":true,"list":[1,2],"next":'.repeat(levels)}null${"}".repeat(levels)}`;
    out.put(`[${unit}`);
    while (out.total < size) out.put(`,${unit}`);
    out.put("]");
  },
};
