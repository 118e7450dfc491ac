// Owns: how fast JSON is found in a model's text, and how often it is the right JSON, against what people use today.

import { isDeepStrictEqual } from "node:util";
import vm from "node:vm";
import { jsonrepair } from "jsonrepair";
import { parse as parsePartial } from "partial-json";
import { extractJson } from "../src/gates/index.ts";
import { EXTRACTION_CASES, NONE, type ExtractionCase } from "../test/gates/extraction-cases.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject, type Values } from "./harness.ts";

const KB = 1_000;
const FENCE = "```";

// ---- texts

/** What a model answers: thinking, prose with braces, one fenced object that fills the size, prose. */
function llmText(size: number): string {
  const gate = (i: number): string =>
    `"gate_${i}": {"raw": "The user said: \\"about ${i} of them\\", and more {later}", "classified": "Partly"}`;
  const gates: string[] = [];
  let length = 0;
  for (let i = 0; length < size - 600; i++) {
    const one = gate(i);
    gates.push(one);
    length += one.length + 6;
  }
  return [
    `<thinking>First {name}, then a draft {"summary": "draft"}.</thinking>`,
    `Here is what I have so far (see {placeholder} and [1]):`,
    `${FENCE}json\n{\n  "summary": "A survey",\n  "gates": {\n    ${gates.join(",\n    ")}\n  },`,
    `  "status": {"pass": false, "next_gate": "gate_1", "next_query": null}\n}\n${FENCE}`,
    `Let me know if {anything} is missing.`,
  ].join("\n");
}

const SOUPS: Readonly<Record<string, string>> = {
  prose: "It is {fine}, he said, as in [1]. ",
  "open braces": "{",
  "nested objects": '{"a":',
  "unclosed strings": '{"a":"x ',
  "quotes and braces": '{"',
  fences: `${FENCE}json\n{`,
  "thinking tags": "<thinking>",
  "half keys": '{"summary"',
  "objects and braces": '{"a":1} {',
  "prose behind values": '{"a": "x" b ',
  comments: "{/*",
  "curly quotes": "{“a”: “b” c ",
  "small objects": '{"summary":1} ',
  "broken objects": "{'a': 1} ",
};

function soup(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

function numbered(count: number, make: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => make(i)).join("");
}

const soups = (size: number): string[] => Object.values(SOUPS).map((unit) => soup(unit, size));

// ---- contestants: text in, value out, or an exception where there is nothing

type Extractor = (text: string, one?: ExtractionCase) => unknown;

const ours: Extractor = (text, one) => {
  const options = one === undefined ? {} : { want: one.want, requireKeys: one.requireKeys };
  const answer = extractJson(text, { ...options, maxLength: 2_000_000 });
  if (!answer.ok) throw new Error(answer.reason);
  return answer.value;
};

/** The algorithm of the written specification, regular expression for regular expression. */
const specification: Extractor = (text) => {
  const visible = text.replace(/<thinking>.*?<\/thinking>/gs, "").trim();
  const json =
    /```(?:json)?\s*(\{.*?\})\s*```/s.exec(visible)?.[1]?.trim() ??
    /\{[^{}]*(?:"summary"|"gates"|"status")[^{}]*\}/s.exec(visible)?.[0] ??
    /\{.*\}/s.exec(visible)?.[0];
  if (json === undefined) throw new Error("no JSON");
  return JSON.parse(json);
};

const PEERS: Readonly<Record<string, Extractor>> = {
  jsonrepair: (text) => JSON.parse(jsonrepair(text)),
  "partial-json": (text) => parsePartial(text) as unknown,
  "the specification's regexes": specification,
};

/** What many write themselves: from the first brace to the last, then repair. */
const sliceAndRepair: Extractor = (text) =>
  JSON.parse(jsonrepair(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1 || text.length)));

/** Runs `extract` on each text and counts what came out; a text that takes longer than `limit` ms is stopped. */
function over(extract: Extractor, texts: readonly string[], limit?: number): Started {
  let gaveUp = 0;
  let found = 0;
  return {
    run: () => {
      gaveUp = 0;
      found = 0;
      for (const text of texts) {
        try {
          if (limit === undefined) extract(text);
          else vm.runInNewContext("extract(text)", { extract, text }, { timeout: limit });
          found++;
        } catch (error) {
          if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") gaveUp++;
        }
      }
      return null;
    },
    values: (): Values => ({ found, stopped: gaveUp }),
  };
}

function peers(make: (extract: Extractor) => Started): Subject<null>[] {
  return Object.entries(PEERS).map(([name, extract]) => ({ name, start: () => make(extract) }));
}

// ---- cases

function normal(name: string, size: number): AnyCase {
  const text = llmText(size);
  const wanted = JSON.parse(text.slice(text.indexOf("\n{\n") + 1, text.lastIndexOf("\n}") + 2)) as unknown;
  const timed = (extract: Extractor): Started => {
    let answer: unknown;
    return {
      run: () => {
        try {
          answer = extract(text);
        } catch {
          answer = undefined;
        }
        return null;
      },
      values: () => ({ right: isDeepStrictEqual(answer, wanted) ? 1 : 0 }),
    };
  };
  return defineCase<null>({
    name,
    setup: () => null,
    ours: { name: "holdfast", start: () => timed(ours) },
    peers: peers(timed),
    bytes: () => size,
    rounds: 7,
    repeat: size < 50 * KB ? "auto" : 1,
  });
}

function adversarial(name: string, size: number, limit: number): AnyCase {
  return defineCase<null>({
    name,
    setup: () => null,
    ours: { name: "holdfast", start: () => over(ours, soups(size)) },
    peers: peers((extract) => over(extract, soups(size), limit)),
    bytes: () => size * Object.keys(SOUPS).length,
    rounds: 3,
    warmups: 1,
  });
}

/** The slowest of all inputs, found by trying each; then measured alone. */
const worst: AnyCase = defineCase<{ text: string }>({
  name: "1 MB of any input",
  setup: (context) => {
    let slowest = { name: "", text: "", time: -1 };
    const inputs: [string, string][] = [
      ...Object.entries(SOUPS).map(([name, unit]): [string, string] => [name, soup(unit, 1_000 * KB)]),
      ["normal", llmText(1_000 * KB)],
      ["one long string", `{"a": "${"x".repeat(1_000 * KB)}`],
      ["inner quotes", `{"a": "${'say "x" '.repeat(125 * KB)}", "b": 1,}`],
      ["repairs everywhere", `{${"'k': 'v' 'w', // c\n".repeat(50 * KB)}}`],
      ["broken members", `{${numbered(40 * KB, (i) => `'key ${i}': "v" 'w',\n`)}}`],
      ["Python", `{${numbered(40 * KB, (i) => `'key ${i}': (True, None),\n`)}}`],
      ["broken items", `{"a": [${"{'x': 1,}, ".repeat(90 * KB)}]}`],
    ];
    for (const [name, text] of inputs) {
      let time = Infinity;
      for (let round = 0; round < 3; round++) {
        const start = performance.now();
        extractJson(text, { maxLength: 2_000_000, requireKeys: ["summary", "gates", "status"] });
        time = Math.min(time, performance.now() - start);
      }
      context.log(`${name}: ${time.toFixed(1)} ms`);
      if (time > slowest.time) slowest = { name, text, time };
    }
    context.log(`slowest: ${slowest.name}`);
    return { text: slowest.text };
  },
  ours: {
    name: "holdfast",
    start: ({ text }) => ({
      run: () => {
        extractJson(text, { maxLength: 2_000_000, requireKeys: ["summary", "gates", "status"] });
        return null;
      },
    }),
  },
  bytes: ({ text }) => text.length,
});

/** Not a race: how many of the written cases each gets right, wrong (an answer that is not the one), or misses. */
function judged(extract: Extractor): Started {
  let right = 0;
  let wrong = 0;
  let missed = 0;
  return {
    run: () => {
      right = wrong = missed = 0;
      for (const one of EXTRACTION_CASES) {
        let answer: unknown = NONE;
        try {
          answer = extract(one.text, one);
        } catch {
          // No answer.
        }
        if (one.want === "object" && (typeof answer !== "object" || answer === null || Array.isArray(answer)))
          answer = NONE;
        if (isDeepStrictEqual(answer, one.value)) right++;
        else if (answer === NONE) missed++;
        else wrong++;
      }
      return null;
    },
    values: () => ({ right, wrong, missed }),
  };
}

const quality: AnyCase = defineCase<null>({
  name: `${EXTRACTION_CASES.length} written cases`,
  setup: () => null,
  ours: { name: "holdfast", start: () => judged(ours) },
  peers: [
    ...peers(judged),
    { name: "first brace to last + jsonrepair", start: () => judged(sliceAndRepair) },
  ],
  rounds: 3,
});

export default defineBench({
  name: "gates",
  title: "JSON out of a model's text: time and quality",
  goals: ["gates-linear", "gates-time"],
  cases: [
    normal("10 KB of LLM text", 10 * KB),
    normal("100 KB of LLM text", 100 * KB),
    normal("1 MB of LLM text", 1_000 * KB),
    adversarial("hostile texts of 10 KB", 10 * KB, 1_000),
    adversarial("hostile texts of 100 KB, stopped after 250 ms each", 100 * KB, 250),
    adversarial("hostile texts of 1 MB, stopped after 250 ms each", 1_000 * KB, 250),
    worst,
    quality,
  ],
});
