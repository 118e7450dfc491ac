// Owns: what extraction must answer, case by case: text in, value and flags out. The expected values were written down
// before the first answer was looked at. Also the corpus of the quality table in bench/gates.bench.ts.

import type { Json } from "../../src/value.ts";

/** No JSON is there: an extractor that answers anything is wrong. */
export const NONE: unique symbol = Symbol("no json");

export interface ExtractionCase {
  /** The failure class, for the quality table. */
  readonly kind: string;
  /** The rule of docs/spec/gates.md, as it stands in a test's title. */
  readonly rule: string;
  readonly text: string;
  readonly value: Json | typeof NONE;
  /** r: repaired, t: truncated, u: unclosed thinking. */
  readonly flags: string;
  readonly want: "object" | "any";
  readonly requireKeys: readonly string[];
}

export const EXTRACTION_CASES: ExtractionCase[] = [];

const GATE_KEYS = ["summary", "gates", "status"];

function add(
  kind: string,
  rule: string,
  text: string,
  value: Json | typeof NONE,
  flags = "",
  options: { want?: "object" | "any"; requireKeys?: readonly string[] } = {},
): void {
  EXTRACTION_CASES.push({
    kind,
    rule,
    text,
    value,
    flags,
    want: options.want ?? "object",
    requireKeys: options.requireKeys ?? [],
  });
}

const F = "```";
const fence = (body: string, info = "json"): string => `${F}${info}\n${body}\n${F}`;

// ---- plain objects
add("plain", "[EXTRACT-1]", `{"a":1}`, { a: 1 });
add("plain", "[EXTRACT-1]", ` \n\t{"a": 1, "b": [true, false, null], "c": {"d": "e"}}\r\n`, {
  a: 1,
  b: [true, false, null],
  c: { d: "e" },
});
add("plain", "[EXTRACT-1]", `{"a":"\\u00e9\\n\\"\\\\\\/"}`, { a: 'é\n"\\/' });
add("plain", "[EXTRACT-1]", `{"n":[-0.5e-3,1E5,0,10]}`, { n: [-0.5e-3, 1e5, 0, 10] });
add("plain", "[EXTRACT-1]", `{"":""}`, { "": "" });
add("plain", "[EXTRACT-1]", `{"emoji":"🙂 ok","cjk":"門"}`, { emoji: "🙂 ok", cjk: "門" });
add("plain", "[EXTRACT-44]", `{"a":1,"a":2}`, { a: 2 });
add("plain", "[EXTRACT-1]", `{"a":{"a":{"a":{}}}}`, { a: { a: { a: {} } } });
add("plain", "[EXTRACT-1]", `{"a":{}}`, { a: {} });

// ---- fences
add("fence", "[EXTRACT-2]", fence(`{"a":1}`), { a: 1 });
add("fence", "[EXTRACT-2]", fence(`{"a":1}`, ""), { a: 1 });
add("fence", "[EXTRACT-2]", fence(`{"a":1}`, "JSON"), { a: 1 });
add("fence", "[EXTRACT-2]", `Here you go:\n${fence(`{"a": 1}`)}\nAnything else?`, { a: 1 });
add("fence", "[EXTRACT-2]", `${F}json {"a":1} ${F}`, { a: 1 });
add("fence", "[EXTRACT-2]", `${F}{"a":1}${F}`, { a: 1 });
add("fence", "[EXTRACT-2]", `Answer: ${F}json\n{"a":1}\n${F} done`, { a: 1 });
add("fence", "[EXTRACT-2]", `~~~json\n{"a":1}\n~~~`, { a: 1 });
add("fence", "[EXTRACT-2]", '````json\n{"a":1}\n````', { a: 1 });
add("fence", "[EXTRACT-2]", '````markdown\n```json\n{"a":1}\n```\n````', { a: 1 });
add("fence", "[EXTRACT-2]", `${F}json\n{"a":1}`, { a: 1 });
add("fence", "[EXTRACT-2]", `  ${F}json\n  {"a":\n  1}\n  ${F}`, { a: 1 });
add("fence", "[EXTRACT-2]", `- item\n\n    ${F}json\n    {"a":1}\n    ${F}\n`, { a: 1 });
add("fence", "[EXTRACT-2]", `${F}json\r\n{"a":1}\r\n${F}\r\n`, { a: 1 });
add("fence", "[EXTRACT-2]", `\`{"a":1}\``, { a: 1 });
add("fence", "[EXTRACT-5]", `Draft {"a":1}. Final:\n${fence(`{"a":2}`)}`, { a: 2 });
add("fence", "[EXTRACT-5]", `${fence(`{"a":1}`)}\nor rather {"a":2}`, { a: 1 });
add("fence", "[EXTRACT-4]", `${fence(`{"a":1}`)}\nand\n${fence(`{"a":2}`)}`, { a: 1 });
add("fence", "[EXTRACT-12]", `${fence(`{ color: red; }`, "css")}\n${fence(`{"a":1}`)}`, { a: 1 });
add("fence", "[EXTRACT-12]", `${fence(`{ color: red; }`, "")}\n${fence(`{"a":1}`)}`, { a: 1 });
add(
  "fence",
  "[EXTRACT-5]",
  `${fence(`x = {"a": 1}`, "python")}\nThe answer is {"a": 2}, and\n${fence(`{"a": 3}`)}`,
  {
    a: 3,
  },
);
add("fence", "[EXTRACT-5]", `The answer is {"a": 2}, and not\n${fence(`{"a": 3}`, "python")}`, { a: 2 });
add("fence", "[EXTRACT-7]", `${fence(`{"a": }`)}\nSorry: {"a": 5}`, { a: 5 });
add("fence", "[EXTRACT-11]", fence(`{"tpl":"close with }${F} exactly","n":1}`), {
  tpl: `close with }${F} exactly`,
  n: 1,
});
add("fence", "[EXTRACT-11]", fence(`{"md":"${F}js\\nf()\\n${F}","n":1}`), { md: `${F}js\nf()\n${F}`, n: 1 });
add("fence", "[EXTRACT-11]", `{"md":"${F}json\\n{\\"x\\":1}\\n${F}"}`, { md: `${F}json\n{"x":1}\n${F}` });
add("fence", "[EXTRACT-2]", `A lone \` backtick, then\n${fence(`{"a":1}`)}`, { a: 1 });
add("fence", "[EXTRACT-2]", `A lone ${F} here. {"a":1}`, { a: 1 });
add("fence", "[EXTRACT-2]", fence(`Note first.\n{"a":1}\nNote after.`, ""), { a: 1 });
add("fence", "[EXTRACT-2]", fence(`{"a":1}`, "json title=x"), { a: 1 });

// ---- prose around
add("prose", "[EXTRACT-3]", `Sure! Here is the JSON: {"a": 1}. Hope it helps.`, { a: 1 });
add("prose", "[EXTRACT-3]", `{"a": 1}\nLet me know.`, { a: 1 });
add("prose", "[EXTRACT-12]", `Fill in {name} first. {"name":"Ines"}`, { name: "Ines" });
add("prose", "[EXTRACT-12]", `The set {1, 2, 3} is closed: {"closed": true}`, { closed: true });
add("prose", "[EXTRACT-3]", `Smile :-} then {"smile": 1} }`, { smile: 1 });
add("prose", "[EXTRACT-12]", `Use {{name}} and {0}: {"ok": true}`, { ok: true });
add("prose", "[EXTRACT-12]", `\\frac{1}{2} = {"half": 0.5}`, { half: 0.5 });
add("prose", "[EXTRACT-12]", `function f() { return {"a": 1}; }`, { a: 1 });
add("prose", "[EXTRACT-12]", `if (x) { y(); } else { z(); }\nResult: {"a":1}`, { a: 1 });
add("prose", "[EXTRACT-12]", `type T = { name: string; age: number };\n{"name":"A","age":3}`, {
  name: "A",
  age: 3,
});
add("prose", "[EXTRACT-12]", `f"{x:.2f} and {y!r}" gives {"x": 1}`, { x: 1 });
add("prose", "[EXTRACT-3]", `He said "use {"a":1}" and left`, { a: 1 });
add("prose", "[EXTRACT-3]", `It's "quoted" and 'that' too: {"a":"it's"}`, { a: "it's" });
add("prose", "[EXTRACT-3]", `[see note] (1) {"a":1} [2]`, { a: 1 });
add("prose", "[EXTRACT-3]", `callback({"a":1});`, { a: 1 });
add("prose", "[EXTRACT-3]", `const answer = {"a":1};`, { a: 1 });
add("prose", "[EXTRACT-3]", `**Result:** {"a":1}`, { a: 1 });
add("prose", "[EXTRACT-3]", `<answer>{"a":1}</answer>`, { a: 1 });
add("prose", "[EXTRACT-3]", `\uFEFF{"a":1}`, { a: 1 });
add("prose", "[EXTRACT-12]", `The placeholder {"a"} is not filled: {"a": 1}`, { a: 1 });
add("prose", "[EXTRACT-12]", `{ "a", "b" } is a set; {"a":1} is not`, { a: 1 });
add("prose", "[EXTRACT-3]", `{ { { {"a":1} } } }`, { a: 1 });
add("prose", "[EXTRACT-12]", `{key: value} stands for {"key": "v"}`, { key: "v" });
add("prose", "[EXTRACT-3]", `\\{"a":1}`, { a: 1 });

// ---- several objects
add("several", "[EXTRACT-4]", `{"first":1}\n{"second":2}`, { first: 1 });
add("several", "[EXTRACT-4]", `{"first":1}{"second":2}`, { first: 1 });
add("several", "[EXTRACT-4]", `A {"x":1} B {"x":2} C {"x":3}`, { x: 1 });
add("several", "[EXTRACT-7]", `broken: {"a": } good: {"a": 5}`, { a: 5 });
add("several", "[EXTRACT-7]", `{'a': 1} and {"a": 2}`, { a: 2 });
add("several", "[EXTRACT-7]", `{"a": 1,} and {"a": 2}`, { a: 2 });
add("several", "[EXTRACT-7]", `Example {"a":1}. Answer: {"b": 2, "c": [1`, { a: 1 });
add(
  "several",
  "[EXTRACT-6]",
  `Example: {"summary":"..."} Real: {"summary":"reef","gates":{},"status":{"pass":true}}`,
  { summary: "reef", gates: {}, status: { pass: true } },
  "",
  { requireKeys: GATE_KEYS },
);
add(
  "several",
  "[EXTRACT-6]",
  `${fence(`{"example":true}`)}\n{"summary":"s","gates":{},"status":{}}`,
  { summary: "s", gates: {}, status: {} },
  "",
  { requireKeys: GATE_KEYS },
);
add(
  "several",
  "[EXTRACT-6]",
  `{"x":1} {"summary":"s","gates":{}} {"summary":"t"}`,
  { summary: "s", gates: {} },
  "",
  {
    requireKeys: GATE_KEYS,
  },
);
add("several", "[EXTRACT-6]", `{"x":1} {"y":2}`, { x: 1 }, "", { requireKeys: GATE_KEYS });
add(
  "several",
  "[EXTRACT-6]",
  `Like {"x":1}. {"summary":"s","gates":{},"status":{"pass":false,}}`,
  { summary: "s", gates: {}, status: { pass: false } },
  "r",
  { requireKeys: GATE_KEYS },
);
add("several", "[EXTRACT-6]", `{"a":1} {"b":2}`, { b: 2 }, "", { requireKeys: ["b"] });
add(
  "several",
  "[EXTRACT-1]",
  `{"data":{"status":"draft"},"summary":"s","gates":{"g":1},"status":{"pass":false}}`,
  {
    data: { status: "draft" },
    summary: "s",
    gates: { g: 1 },
    status: { pass: false },
  },
);
add(
  "several",
  "[EXTRACT-6]",
  `{"gates":{"summary":"x","gates":1,"status":2}}`,
  { gates: { summary: "x", gates: 1, status: 2 } },
  "",
  { requireKeys: GATE_KEYS },
);

// ---- thinking
add("thinking", "[EXTRACT-8]", `<thinking>{"guess":0}</thinking> {"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>{"guess":0}</think> {"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<THINKING>{"guess":0}</Thinking>{"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<reasoning>{"guess":0}</reasoning>\n{"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>a <think>{"x":0}</think> {"y":0}</think> {"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think type="deep">{"x":0}</think >{"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `{"final":1}<think>{"late":0}</think>`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>\n${fence(`{"draft":1}`)}\n</think>\n{"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>one brace { and "a quote</think>{"final":1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>maybe {"a": "unclosed </think> {"final": 1}`, { final: 1 });
add("thinking", "[EXTRACT-8]", `<think>no json here</think> None here either.`, NONE);
add("thinking", "[EXTRACT-8]", `<think>{"only":"a draft"}</think>`, NONE);
add("thinking", "[EXTRACT-9]", `guess {"guess":0} </think> {"final":3}`, { final: 3 });
add("thinking", "[EXTRACT-9]", `${fence(`{"guess":0}`)}\n</thinking>\n{"final":3}`, { final: 3 });
add("thinking", "[EXTRACT-9]", `{"a":0}</think>{"b":0}</think>{"c":1}`, { c: 1 });
add("thinking", "[EXTRACT-9]", `{"a":0} </think> That is all.`, { a: 0 });
add("thinking", "[EXTRACT-10]", `<thinking>idea {"draft":1} better: {"final":5}`, { final: 5 }, "u");
add("thinking", "[EXTRACT-10]", `{"before":1} <think>idea {"draft":1}`, { before: 1 }, "u");
add("thinking", "[EXTRACT-10]", `<think>a</think><think>{"x":1}{"y":2}`, { y: 2 }, "u");
add("thinking", "[EXTRACT-10]", `<think>a <think>{"hidden":0}</think> {"last":1}`, { last: 1 }, "u");
add("thinking", "[EXTRACT-10]", `<think>nothing at all`, NONE, "u");
add("thinking", "[EXTRACT-11]", `Result {"html":"<thinking>not a tag</thinking>","v":1}`, {
  html: "<thinking>not a tag</thinking>",
  v: 1,
});
add("thinking", "[EXTRACT-11]", `{"html":"</think>"} tail`, { html: "</think>" });
add("thinking", "[EXTRACT-11]", `<think>I write {"html":"</think>"} now</think>{"a":1}`, { a: 1 });
add("thinking", "[EXTRACT-8]", `<thinker>{"a":1}</thinker>`, { a: 1 });
add("thinking", "[EXTRACT-8]", `2 <think 3 {"a":1}`, { a: 1 });

// ---- nothing there
add("nothing", "[EXTRACT-18]", ``, NONE);
add("nothing", "[EXTRACT-18]", `This is not JSON`, NONE);
add("nothing", "[EXTRACT-13]", `Braces: { } are used in C.`, NONE);
add("nothing", "[EXTRACT-13]", `An empty {} is fine.`, NONE);
add("nothing", "[EXTRACT-12]", `{name}`, NONE);
add("nothing", "[EXTRACT-12]", `{ color: red; }`, NONE);
add("nothing", "[EXTRACT-12]", `{1, 2, 3}`, NONE);
add("nothing", "[EXTRACT-18]", `[1, 2, 3]`, NONE);
add("nothing", "[EXTRACT-18]", `"just a string"`, NONE);
add("nothing", "[EXTRACT-18]", `42`, NONE);
add("nothing", "[EXTRACT-18]", `{`, NONE);
add("nothing", "[EXTRACT-18]", `}`, NONE);
add("nothing", "[EXTRACT-18]", `{"`, NONE);
add("nothing", "[EXTRACT-18]", `{"a`, NONE);
add("nothing", "[EXTRACT-18]", `I'd say {"name": then go on.`, NONE);
add("nothing", "[EXTRACT-12]", `while (true) { i++; }`, NONE);
add("nothing", "[EXTRACT-12]", `{{{{{{}}}}}}`, NONE);
add("nothing", "[EXTRACT-12]", `body { margin: 0; }`, NONE);
add("empty", "[EXTRACT-13]", `{}`, {});
add("empty", "[EXTRACT-13]", ` { } `, {});
add("empty", "[EXTRACT-13]", fence(`{}`), {});
add("empty", "[EXTRACT-13]", `Nothing to report:\n${fence(`{}`)}`, {});
add("empty", "[EXTRACT-13]", `<think>hm</think>\n{}`, {});

// ---- arrays and any
add("array", "[EXTRACT-14]", `[{"a":1},{"b":2}]`, { a: 1 });
add("array", "[EXTRACT-14]", `[[{"a":1}]]`, { a: 1 });
add("array", "[EXTRACT-14]", fence(`[{"a":1}]`), { a: 1 });
add("array", "[EXTRACT-14]", `["{x: 1}", {"b":2}]`, { b: 2 });
add("array", "[EXTRACT-14]", `[{"a":1}, "</think>"]`, { a: 1 });
add("array", "[EXTRACT-14]", `[{"a":1},{"b":`, { a: 1 });
add("array", "[EXTRACT-14]", `[1, two, {"a":1}]`, { a: 1 });
add("any", "[EXTRACT-14]", `[{"a":1},{"b":2}]`, [{ a: 1 }, { b: 2 }], "", { want: "any" });
add("any", "[EXTRACT-14]", `The list: [1, 2, 3].`, [1, 2, 3], "", { want: "any" });
add("any", "[EXTRACT-14]", ` "text" `, "text", "", { want: "any" });
add("any", "[EXTRACT-14]", fence(`42`), 42, "", { want: "any" });
add("any", "[EXTRACT-14]", `true`, true, "", { want: "any" });
add("any", "[EXTRACT-14]", `null`, null, "", { want: "any" });
add("any", "[EXTRACT-14]", `It is true.`, NONE, "", { want: "any" });
add("any", "[EXTRACT-14]", `{"a":1}`, { a: 1 }, "", { want: "any" });
add("any", "[EXTRACT-14]", `[1, 2,]`, [1, 2], "r", { want: "any" });
add("any", "[EXTRACT-14]", `["a", "b`, ["a", "b"], "rt", { want: "any" });
add("any", "[EXTRACT-14]", `[{"a":1},{"b":2`, [{ a: 1 }, { b: 2 }], "rt", { want: "any" });

// ---- commas and colons
add("comma", "[EXTRACT-21]", `{"a":1,}`, { a: 1 }, "r");
add("comma", "[EXTRACT-21]", `{"a":[1,2,],}`, { a: [1, 2] }, "r");
add("comma", "[EXTRACT-21]", `{"a":1,,"b":2}`, { a: 1, b: 2 }, "r");
add("comma", "[EXTRACT-21]", `{,"a":1}`, { a: 1 }, "r");
add("comma", "[EXTRACT-21]", `{"a":[1,,2]}`, { a: [1, 2] }, "r");
add("comma", "[EXTRACT-21]", `{"a":{"b":1},}`, { a: { b: 1 } }, "r");
add("comma", "[EXTRACT-22]", `{"a":1 "b":2}`, { a: 1, b: 2 }, "r");
add("comma", "[EXTRACT-22]", `{"a":"x"\n"b":"y"}`, { a: "x", b: "y" }, "r");
add("comma", "[EXTRACT-22]", `{"a":[1 2 3]}`, { a: [1, 2, 3] }, "r");
add("comma", "[EXTRACT-22]", `{"a":[{"b":1} {"c":2}]}`, { a: [{ b: 1 }, { c: 2 }] }, "r");
add("comma", "[EXTRACT-22]", `{"a":{"b":1} "c":2}`, { a: { b: 1 }, c: 2 }, "r");
add("comma", "[EXTRACT-22]", `{a: 1\nb: 2}`, { a: 1, b: 2 }, "r");
add("comma", "[EXTRACT-22]", `{"a":true "b":null}`, { a: true, b: null }, "r");
add("colon", "[EXTRACT-23]", `{"a" 1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-23]", `{"a": 1, "b" 2}`, { a: 1, b: 2 }, "r");
add("colon", "[EXTRACT-23]", `{"a":: 1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-23]", `{"a": 1, "b" = 2, "c" => 3}`, { a: 1, b: 2, c: 3 }, "r");
add("colon", "[EXTRACT-23]", `{"a"：1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-47]", `{"a": , "b": 1}`, { a: null, b: 1 }, "r");
add("colon", "[EXTRACT-47]", `{"b": 1, "a": }`, { b: 1, a: null }, "r");
add("colon", "[EXTRACT-47]", `{"a": 1, "stray", "b": 2}`, { a: 1, b: 2 }, "r");

// ---- quotes
add("quotes", "[EXTRACT-24]", `{'a': 'b'}`, { a: "b" }, "r");
add("quotes", "[EXTRACT-24]", `{'a': 'it\\'s'}`, { a: "it's" }, "r");
add("quotes", "[EXTRACT-24]", `{'a': 'it's fine', 'b': 1}`, { a: "it's fine", b: 1 }, "r");
add("quotes", "[EXTRACT-24]", `{'say': 'he said "hi"'}`, { say: 'he said "hi"' }, "r");
add("quotes", "[EXTRACT-24]", `{“a”: “b”}`, { a: "b" }, "r");
add("quotes", "[EXTRACT-24]", `{‘a’: ‘b’}`, { a: "b" }, "r");
add("quotes", "[EXTRACT-24]", `{„a“: „b“}`, { a: "b" }, "r");
add("quotes", "[EXTRACT-24]", "{`a`: `b`}", { a: "b" }, "r");
add("quotes", "[EXTRACT-24]", `{"a": 'b', 'c': "d"}`, { a: "b", c: "d" }, "r");
add("quotes", "[EXTRACT-1]", `{"a": "“b” and ‘c’"}`, { a: "“b” and ‘c’" });
add("quotes", "[EXTRACT-30]", `{"a": "he said "no" twice", "b": 1}`, { a: 'he said "no" twice', b: 1 }, "r");
add(
  "quotes",
  "[EXTRACT-30]",
  `{"a": "he said "no", then left", "b": 1}`,
  { a: 'he said "no", then left', b: 1 },
  "r",
);
add("quotes", "[EXTRACT-30]", `{"a": "the "best""}`, { a: 'the "best"' }, "r");
add("quotes", "[EXTRACT-30]", `{"a": ["one "two" three", "four"]}`, { a: ['one "two" three', "four"] }, "r");
add("quotes", "[EXTRACT-30]", `{"a": "use {"x"} now", "b": 1}`, { a: 'use {"x"} now', b: 1 }, "r");
add(
  "quotes",
  "[EXTRACT-30]",
  `{"h": "<a href="x.html">y</a>", "n": 1}`,
  { h: '<a href="x.html">y</a>', n: 1 },
  "r",
);
add("quotes", "[EXTRACT-30]", `{"a": "5" tall", "b": "x"}`, { a: '5" tall', b: "x" }, "r");
add("quotes", "[EXTRACT-41]", `{"a": "b, "c": 1}`, { a: "b", c: 1 }, "r");
add("quotes", "[EXTRACT-41]", `{"a": "b\n"c": 1}`, { a: "b", c: 1 }, "r");
add("quotes", "[EXTRACT-41]", `{"a": "one, two,\n "c": "d"}`, { a: "one, two", c: "d" }, "r");
add("quotes", "[EXTRACT-34]", `{"a": "one " "two"}`, { a: "one two" }, "r");
add("quotes", "[EXTRACT-34]", `{"a": "one " + "two", "b": 1}`, { a: "one two", b: 1 }, "r");
add("quotes", "[EXTRACT-34]", `{"a": "one "\n      "two",\n"b": 1}`, { a: "one two", b: 1 }, "r");
add("quotes", "[EXTRACT-36]", `{"a": """one "two"\nthree""", "b": 1}`, { a: 'one "two"\nthree', b: 1 }, "r");
add("quotes", "[EXTRACT-36]", `{'a': '''x'y'''}`, { a: "x'y" }, "r");

// ---- strings
add("strings", "[EXTRACT-31]", `{"a": "one\ntwo"}`, { a: "one\ntwo" }, "r");
add("strings", "[EXTRACT-31]", `{"a": "one\ttwo", "b": "x\r\ny"}`, { a: "one\ttwo", b: "x\r\ny" }, "r");
add("strings", "[EXTRACT-32]", `{"a": "C:\\dir\\x"}`, { a: "C:\\dir\\x" }, "r");
add("strings", "[EXTRACT-32]", `{"a": "\\d+\\.\\w"}`, { a: "\\d+\\.\\w" }, "r");
add("strings", "[EXTRACT-32]", `{"a": "it\\'s"}`, { a: "it\\'s" }, "r");
add("strings", "[EXTRACT-32]", `{"a": "\\u12 and \\uZZZZ"}`, { a: "\\u12 and \\uZZZZ" }, "r");
add("strings", "[EXTRACT-32]", `{"a": "\\x41\\n"}`, { a: "\\x41\n" }, "r");
add("strings", "[EXTRACT-11]", `{"a": "} ] , : {", }`, { a: "} ] , : {" }, "r");

// ---- keys, comments, literals, numbers
add(
  "keys",
  "[EXTRACT-25]",
  `{a: 1, b_c: "x", $d: null, e-f: []}`,
  { a: 1, b_c: "x", $d: null, "e-f": [] },
  "r",
);
add("keys", "[EXTRACT-25]", `{1: "a", 2: "b"}`, { 1: "a", 2: "b" }, "r");
add("keys", "[EXTRACT-25]", `{"a": 1, b: 2}`, { a: 1, b: 2 }, "r");
add(
  "keys",
  "[EXTRACT-25]",
  `{summary: "s", gates: {g1: {raw: "x", classified: null}}, status: {pass: false}}`,
  { summary: "s", gates: { g1: { raw: "x", classified: null } }, status: { pass: false } },
  "r",
);
add("comment", "[EXTRACT-26]", `{"a": 1, // one\n"b": 2}`, { a: 1, b: 2 }, "r");
add("comment", "[EXTRACT-26]", `{/* x */ "a": /* y */ 1 /* z */}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"a": 1, # one\n"b": 2}`, { a: 1, b: 2 }, "r");
add("comment", "[EXTRACT-26]", `{\n// first\n"a": 1\n}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"url": "http://x.y/z"}`, { url: "http://x.y/z" });
add("comment", "[EXTRACT-26]", `{"url": "http://x.y/z", // the address\n}`, { url: "http://x.y/z" }, "r");
add("comment", "[EXTRACT-26]", `{"a": [1, /* two */ 2, // three\n 3]}`, { a: [1, 2, 3] }, "r");
add("literal", "[EXTRACT-27]", `{'a': True, 'b': False, 'c': None}`, { a: true, b: false, c: null }, "r");
add("literal", "[EXTRACT-27]", `{"a": TRUE, "b": Null}`, { a: true, b: null }, "r");
add(
  "literal",
  "[EXTRACT-28]",
  `{"a": NaN, "b": Infinity, "c": -Infinity, "d": undefined}`,
  { a: null, b: null, c: null, d: null },
  "r",
);
add("literal", "[EXTRACT-27]", `{a: true, b: False}`, { a: true, b: false }, "r");
add(
  "number",
  "[EXTRACT-29]",
  `{"a": 007, "b": .5, "c": +3, "d": 5., "e": -.5}`,
  { a: 7, b: 0.5, c: 3, d: 5, e: -0.5 },
  "r",
);
add("number", "[EXTRACT-29]", `{"a": 0xff}`, { a: "0xff" }, "r");
add("number", "[EXTRACT-38]", `{"a": 1.2.3, "b": 2024-01-05}`, { a: "1.2.3", b: "2024-01-05" }, "r");
add("number", "[EXTRACT-38]", `{"a": 5 apples, "b": 2}`, { a: "5 apples", b: 2 }, "r");
add("bare", "[EXTRACT-38]", `{"a": yes, "b": hello world}`, { a: "yes", b: "hello world" }, "r");
add("bare", "[EXTRACT-38]", `{"a": yes\n"b": 2}`, { a: "yes", b: 2 }, "r");
add("bare", "[EXTRACT-38]", `{"a": [red, green]}`, { a: ["red", "green"] }, "r");
add("bare", "[EXTRACT-38]", `{"url": https://x.y/z?q=1, "b": 1}`, { url: "https://x.y/z?q=1", b: 1 }, "r");
add("bare", "[EXTRACT-38]", `{a: yes}`, NONE);
add("bare", "[EXTRACT-33]", `{"a": 1, ...}`, { a: 1 }, "r");
add("bare", "[EXTRACT-33]", `{"a": [1, 2, ...]}`, { a: [1, 2] }, "r");
add("bare", "[EXTRACT-33]", `{"a": [1, 2, …], "b": ...}`, { a: [1, 2], b: null }, "r");
add("bare", "[EXTRACT-35]", `{"a": (1, 2), 'b': ('x',)}`, { a: [1, 2], b: ["x"] }, "r");
add("bare", "[EXTRACT-45]", `{\u00a0"a":\u00a01,\u200b"b": 2}`, { a: 1, b: 2 }, "r");
add("bare", "[EXTRACT-42]", `{"a": "x" (approximately), "b": 2}`, { a: "x", b: 2 }, "r");

// ---- closers and truncation
add("closer", "[EXTRACT-39]", `{"a": [1, 2}`, { a: [1, 2] }, "r");
add("closer", "[EXTRACT-39]", `{"a": {"b": [1, 2}}`, { a: { b: [1, 2] } }, "r");
add("closer", "[EXTRACT-39]", `{"a": [{"b": 1], "c": 2}`, { a: [{ b: 1 }], c: 2 }, "r");
add("closer", "[EXTRACT-39]", `{"a": 1], "b": 2}`, { a: 1, b: 2 }, "r");
add("closer", "[EXTRACT-46]", fence(`{"a": {"b": 1}`), { a: { b: 1 } }, "r");
add("closer", "[EXTRACT-46]", `${fence(`{"a": [1, 2`)}\nThat is it.`, { a: [1, 2] }, "r");
add("closer", "[EXTRACT-40]", fence(`{"a": "half`), { a: "half" }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1,`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b"`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b":`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b": "ha`, { a: 1, b: "ha" }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b": "ha\\`, { a: 1, b: "ha" }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b": "ha\\u00`, { a: 1, b: "ha" }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": tr`, { a: true }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": [fal`, { a: [false] }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": nul`, { a: null }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 12.`, { a: 12 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 3e`, { a: 3 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, "b": -`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": [1, [2, {"b": 3`, { a: [1, [2, { b: 3 }]] }, "rt");
add("truncated", "[EXTRACT-15]", `{"a": {"b": 1}, "c": [1, 2`, { a: { b: 1 }, c: [1, 2] }, "rt");
add("truncated", "[EXTRACT-15]", `{"a": {"b": 1}`, { a: { b: 1 } }, "rt");
add(
  "truncated",
  "[EXTRACT-15]",
  `Here: {"a": {"b": {"c": 1}}, "d": {"e": 2}`,
  { a: { b: { c: 1 } }, d: { e: 2 } },
  "rt",
);
add("truncated", "[EXTRACT-42]", `{"a": {"b": 1}\n\nHope this helps!`, { a: { b: 1 } }, "rt");
add("truncated", "[EXTRACT-42]", `{"a": 1\n\nHope this helps, bye. {"z": 1}`, { a: 1 }, "rt");
add(
  "truncated",
  "[EXTRACT-40]",
  `${F}json\n{"summary": "s", "gates": {"g": {"raw": "x`,
  { summary: "s", gates: { g: { raw: "x" } } },
  "rt",
);
add("truncated", "[EXTRACT-40]", `{"a": 1, // note`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": 1, ...`, { a: 1 }, "rt");
add("truncated", "[EXTRACT-40]", `{"a": "x", "b": {`, { a: "x", b: {} }, "rt");

// ---- broken outside, complete inside
add("inner", "[EXTRACT-7]", `{"a": {"b": 1}, 'c': 2}`, { a: { b: 1 }, c: 2 }, "r");
add(
  "inner",
  "[EXTRACT-7]",
  `{"summary": "s", "gates": {"g": {"raw": "x"}}, status: {"pass": false}}`,
  { summary: "s", gates: { g: { raw: "x" } }, status: { pass: false } },
  "r",
);
add("inner", "[EXTRACT-12]", `{1, 2, {"closed": true}}`, { closed: true });
add(
  "inner",
  "[EXTRACT-15]",
  `{"a": 1 and so on {"summary":"s","gates":{},"status":{}}`,
  { summary: "s", gates: {}, status: {} },
  "",
  { requireKeys: GATE_KEYS },
);

// ---- encoded twice
add("encoded", "[EXTRACT-37]", `"{\\"a\\": 1}"`, { a: 1 }, "r");
add("encoded", "[EXTRACT-37]", `{\\"a\\": \\"b\\", \\"n\\": [1]}`, { a: "b", n: [1] }, "r");
add("encoded", "[EXTRACT-37]", fence(`"{\\"a\\":\\"x\\\\ny\\"}"`), { a: "x\ny" }, "r");
add("encoded", "[EXTRACT-37]", `"\\"{\\\\\\"a\\\\\\":1}\\""`, { a: 1 }, "r");
add("encoded", "[EXTRACT-37]", `Output: {\\n  \\"a\\": 1\\n}`, { a: 1 }, "r");
add("encoded", "[EXTRACT-1]", `{"inner": "{\\"a\\": 1}"}`, { inner: '{"a": 1}' });

// ---- hostile names
add(
  "names",
  "[EXTRACT-44]",
  `{"__proto__": {"x": 1}, "constructor": 2}`,
  JSON.parse(`{"__proto__":{"x":1},"constructor":2}`) as Json,
);
add(
  "names",
  "[EXTRACT-44]",
  `{'__proto__': {'x': 1}, 'toString': 2}`,
  JSON.parse(`{"__proto__":{"x":1},"toString":2}`) as Json,
  "r",
);
add("names", "[EXTRACT-44]", `{'a': 1, 'a': 2}`, { a: 2 }, "r");

// ---- more of what models send
add("quotes", "[EXTRACT-41]", `{\n"a": "first",\n"b": "second\n}`, { a: "first", b: "second" }, "r");
add("quotes", "[EXTRACT-41]", fence(`{"a": {\n"b": "second\n}\n}`), { a: { b: "second" } }, "r");
add("truncated", "[EXTRACT-40]", `{"a": "f(x) { y }`, { a: "f(x) { y }" }, "rt");
add(
  "quotes",
  "[EXTRACT-30]",
  `{"raw": "yes, "definitely"", "quote": "She said, "Hello, world", and left."}`,
  { raw: 'yes, "definitely"', quote: 'She said, "Hello, world", and left.' },
  "r",
);
add("quotes", "[EXTRACT-24]", `{'a': "it's", "b": \`multi\nline\`}`, { a: "it's", b: "multi\nline" }, "r");
add("strings", "[EXTRACT-32]", `{"regex": "^\\d{3}$", "x": 1}`, { regex: "^\\d{3}$", x: 1 }, "r");
add("closer", "[EXTRACT-39]", `{"b": {"c": [4, 5}, "d": 6}`, { b: { c: [4, 5] }, d: 6 }, "r");
add("number", "[EXTRACT-38]", `{"score": 8/10, "cost": $5}`, { score: "8/10", cost: "$5" }, "r");

// ---- two values in a row
add("comma", "[EXTRACT-49]", `{"b":["Add water"\n"Bake it"]}`, { b: ["Add water", "Bake it"] }, "r");
add(
  "comma",
  "[EXTRACT-49]",
  `{"b":["Add water" "Bake it" "Eat"]}`,
  { b: ["Add water", "Bake it", "Eat"] },
  "r",
);
add("comma", "[EXTRACT-49]", `{"b":["Add water""Bake it"]}`, { b: ["Add water", "Bake it"] }, "r");
add("comma", "[EXTRACT-49]", `{"b":[true false]}`, { b: [true, false] }, "r");
add("comma", "[EXTRACT-49]", `{"b":[1 null 3]}`, { b: [1, null, 3] }, "r");
add("comma", "[EXTRACT-49]", `{"b":[{"x":1} null]}`, { b: [{ x: 1 }, null] }, "r");
add(
  "comma",
  "[EXTRACT-49]",
  `{"b":["a" true 5 {"x":"y"} ["z"] "w"]}`,
  { b: ["a", true, 5, { x: "y" }, ["z"], "w"] },
  "r",
);
add("comma", "[EXTRACT-49]", `{"b":[None True\n"x"]}`, { b: [null, true, "x"] }, "r");
add("comma", "[EXTRACT-49]", `{"b":[5 apples, true story]}`, { b: ["5 apples", "true story"] }, "r");
add("comma", "[EXTRACT-49]", `{"a":{"b":"x"} "c":1}`, { a: { b: "x" }, c: 1 }, "r");
add("comma", "[EXTRACT-22]", `{"a":"x""b":1}`, { a: "x", b: 1 }, "r");
add("quotes", "[EXTRACT-34]", `{"a": ["one " + "two", "b"]}`, { a: ["one two", "b"] }, "r");

// ---- punctuation of other kinds
add("punctuation", "[EXTRACT-50]", `{"a": 1; "b": "x"; "c": [1; 2]}`, { a: 1, b: "x", c: [1, 2] }, "r");
add("punctuation", "[EXTRACT-50]", `{"a": 1，"b": "x"，"c": true}`, { a: 1, b: "x", c: true }, "r");
add("punctuation", "[EXTRACT-50]", `｛＂a＂：1，＂b＂：［1，2］｝`, { a: 1, b: [1, 2] }, "r");
add("punctuation", "[EXTRACT-50]", `{"a": see x; y, "b": 2}`, { a: "see x; y", b: 2 }, "r");
add("nothing", "[EXTRACT-50]", `type A = { x: 1; y: 2 }`, NONE);
add("number", "[EXTRACT-51]", `{"k": 1,234, "z": 2}`, { k: 1234, z: 2 }, "r");
add("number", "[EXTRACT-51]", `{"k": -12,345,678.5}`, { k: -12345678.5 }, "r");
add("number", "[EXTRACT-51]", `{"k": [1,234], "n": 1,234: 5}`, { k: [1, 234], n: 1, 234: 5 }, "r");

// ---- the first member is mended like any other
add("colon", "[EXTRACT-23]", `{"a" 1,"b":2}`, { a: 1, b: 2 }, "r");
add("colon", "[EXTRACT-23]", `{"a" = 1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-23]", `{"a" => "x"}`, { a: "x" }, "r");
add("colon", "[EXTRACT-23]", `{"a" "x", "b": 1}`, { a: "x", b: 1 }, "r");
add("colon", "[EXTRACT-23]", `{"a" {"b": 1}}`, { a: { b: 1 } }, "r");
add("ellipsis", "[EXTRACT-33]", `{..., "b":1}`, { b: 1 }, "r");
add("ellipsis", "[EXTRACT-33]", `{…, "b":1}`, { b: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"a" /*c*/: 1}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"a" // c\n: 1}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"a" # c\n: 1}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{"x": 1, "a" # c\n: 1}`, { x: 1, a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{# c\n"a": 1}`, { a: 1 }, "r");
add("comment", "[EXTRACT-26]", `{a # c\n: 1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-23]", `{a = 1}`, { a: 1 }, "r");
add("colon", "[EXTRACT-23]", `{a => "x", b = 2}`, { a: "x", b: 2 }, "r");
add("prose", "[EXTRACT-12]", `{# note #} {"a": 1}\n"b": 2`, { a: 1 });
add("prose", "[EXTRACT-12]", `{#if x}\n"b": {"a": 1}\n{/if}`, { a: 1 });
add("prose", "[EXTRACT-12]", `Where {x = y} holds: {"a": 1}`, { a: 1 });
add("nothing", "[EXTRACT-12]", `while (i) {x == 1}`, NONE);
add("nothing", "[EXTRACT-12]", `Use {"a" or "b"} here.`, NONE);

// ---- quotes that were forgotten
add("quotes", "[EXTRACT-55]", `{a": 1, b": "x"}`, { a: 1, b: "x" }, "r");
add("quotes", "[EXTRACT-55]", `{"a: 1, "b": 2}`, { a: 1, b: 2 }, "r");
add("quotes", "[EXTRACT-55]", `{"a": hello there", "b": 2}`, { a: "hello there", b: 2 }, "r");
add("quotes", "[EXTRACT-55]", `{"k": true", "b": 2}`, { k: "true", b: 2 }, "r");
add("quotes", "[EXTRACT-41]", `{"a": {"b": "x}}`, { a: { b: "x" } }, "r");
add("truncated", "[EXTRACT-41]", `{"tpl": "use {name}`, { tpl: "use {name}" }, "rt");

// ---- thinking of more models
for (const [open = "", close = ""] of [
  ["<thought>", "</thought>"],
  ["<scratchpad>", "</scratchpad>"],
  ["<analysis>", "</analysis>"],
  ["[THINK]", "[/THINK]"],
  ["<|channel|>analysis<|message|>", "<|end|>"],
  ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
  ["<seed:think>", "</seed:think>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
])
  add("thinking", "[EXTRACT-8]", `${open}maybe {"draft":1}${close}{"final":2}`, { final: 2 });
add(
  "thinking",
  "[EXTRACT-8]",
  `<|channel|>analysis<|message|>{"x":1}<|channel|>commentary<|message|>{"y":2}<|channel|>analysis<|message|>{"z":3}`,
  { y: 2 },
  "u",
);
add("thinking", "[EXTRACT-8]", `see [1] and [/x] {"a":1}`, { a: 1 });
add("thinking", "[EXTRACT-9]", `{"a":1} </think> {"b":2}`, { b: 2 });
add("thinking", "[EXTRACT-9]", `{"a":1} </think> <think> {"b":2}`, { b: 2 }, "u");
add("thinking", "[EXTRACT-9]", `{"a":1} [/THINK]`, { a: 1 });

// ---- what came around the object
add("prefilled", "[EXTRACT-53]", `"name":"Ada","tags":{"x":1}}`, { name: "Ada", tags: { x: 1 } }, "r");
add("prefilled", "[EXTRACT-53]", `\n  "a": 1,\n  "b": [2]\n}\n${F}`, { a: 1, b: [2] }, "r");
add("prefilled", "[EXTRACT-53]", `"a": 1, "b": "half`, { a: 1, b: "half" }, "rt");
add("prefilled", "[EXTRACT-53]", `'name':'Ada','tags':{'x':1}}`, { name: "Ada", tags: { x: 1 } }, "r");
add("prefilled", "[EXTRACT-53]", `“name”:“Ada”,“tags”:{“x”:1}}`, { name: "Ada", tags: { x: 1 } }, "r");
add("prefilled", "[EXTRACT-53]", `"name":"Ada","tags":{"x":1}`, { name: "Ada", tags: { x: 1 } }, "rt");
add("prefilled", "[EXTRACT-53]", `'name':'Ada','tags':[{'x':1}`, { name: "Ada", tags: [{ x: 1 }] }, "rt");
add("prose", "[EXTRACT-53]", `"result": {"a": 1}`, { a: 1 });
add("prose", "[EXTRACT-53]", `'result': {"a": 1}`, { a: 1 });
add("prose", "[EXTRACT-53]", `"result": 1, "object": 2. {"a": 1}`, { a: 1 });
add("prose", "[EXTRACT-53]", `\`result\`: see {"a": 1}`, { a: 1 });
add("prose", "[EXTRACT-53]", `"Sure": here it is. {"a": 1}`, { a: 1 });
add("encoded", "[EXTRACT-54]", `{&quot;a&quot;: &quot;x &amp; y&quot;}`, { a: "x & y" }, "r");
add("encoded", "[EXTRACT-54]", `<p>{&#34;a&#34;: 1}</p>`, { a: 1 }, "r");
add("plain", "[EXTRACT-54]", `{"a": "&quot;"}`, { a: "&quot;" });
