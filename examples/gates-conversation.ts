// A conversation from the first question to PASS. The model is a script, so that the example runs anywhere: its answers
// are what models really send: fenced, half broken, boastful, cut off. Run it with `npx tsx examples/gates-conversation.ts`.

import assert from "node:assert/strict";
import {
  defineGates,
  emptyGates,
  gatePrompt,
  parseGates,
  repairMessage,
  type GateState,
} from "holdfast/gates";

const gates = defineGates({
  role: "You help a scientist to plan a survey.",
  gate_order: ["1_data", "2_use_case", "3_deadline"],
  gates: {
    "1_data": {
      question: "Do you have data already?",
      required: true,
      expected_categories: ["Yes", "Partly", "No"],
    },
    "2_use_case": {
      question: "What will the result be used for?",
      required: true,
      expected_categories: ["Research", "Product"],
    },
    "3_deadline": { question: "When is it due?", required: true },
  },
});

/** What the model answers, turn by turn. A real one gets the prompt and the messages so far. */
const answers = [
  // Claims to have passed although nothing was asked yet.
  `<think>Let me fill {this} in.</think>
Sure! Here is the state:
\`\`\`json
{"summary": "", "gates": {"1_data": {"raw": null, "classified": null}, "2_use_case": {"raw": null, "classified": null},
 "3_deadline": {"raw": null, "classified": null}}, "status": {"pass": true, "next_gate": null, "next_query": null}}
\`\`\``,
  // Python quotes, a trailing comma, a category that does not exist and a gate with a wrong name.
  `{'summary': 'has some data', 'gates': {'1_data': {'raw': 'some, from last year', 'classified': 'Some'},
  '2_usecase': {'raw': None, 'classified': None}, '3_deadline': {'raw': None, 'classified': None},}, 'status': {'pass': False}}`,
  // Corrected after the repair message.
  `{"summary": "has some data", "gates": {"1_data": {"raw": "some, from last year", "classified": "Partly"},
  "2_use_case": {"raw": null, "classified": null}, "3_deadline": {"raw": null, "classified": null}},
  "status": {"pass": false, "next_gate": "2_use_case", "next_query": "What for?"}}`,
  // Ran out of tokens.
  `{"summary": "data partly there, for a paper", "gates": {"1_data": {"raw": "some, from last year", "classified": "Par`,
  `{"summary": "data partly there, for a paper", "gates": {"1_data": {"raw": "some, from last year", "classified": "Partly"},
  "2_use_case": {"raw": "for a paper", "classified": "Research"}, "3_deadline": {"raw": null, "classified": null}},
  "status": {"pass": false, "next_gate": "3_deadline", "next_query": null}}`,
  `{"summary": "data partly there, for a paper, due in May", "gates": {"1_data": {"raw": "some, from last year", "classified": "Partly"},
  "2_use_case": {"raw": "for a paper", "classified": "Research"}, "3_deadline": {"raw": "end of May", "classified": null}},
  "status": {"pass": false, "next_gate": "3_deadline", "next_query": null}}`,
];

const transcript: string[] = [];
let state: GateState<typeof gates> = emptyGates(gates);
let passed = false;

const prompt = gatePrompt(gates);
assert.match(prompt, /1\. "1_data" \(required\): Do you have data already\?/);

for (const answer of answers) {
  const result = parseGates(answer, gates, { previous: state });
  if (!result.ok) {
    const message = repairMessage(result);
    transcript.push(`to the model: ${message.split("\n")[1] ?? ""}`);
    continue;
  }
  state = result.state;
  passed = result.decision.pass;
  if (!passed) transcript.push(`to the user: ${result.decision.next_question ?? ""}`);
}

assert.deepEqual(transcript, [
  "to the user: Do you have data already?",
  'to the model: - gates.2_usecase: Gate key "2_usecase" is not in the configuration. Did you mean "2_use_case"? Expected one of "1_data", "2_use_case", "3_deadline". You sent "2_usecase".',
  "to the user: What will the result be used for?",
  "to the model: - The JSON broke off before it was complete: send the whole object again. Expected a complete JSON object.",
  "to the user: When is it due?",
]);
assert.equal(passed, true);
assert.deepEqual({ ...state.status }, { pass: true, next_gate: null, next_query: null });

// A person edits the state in a form: only what changed is sent, and clearing a required answer closes the gate again.
const edited = parseGates({ gates: { "2_use_case": { raw: null, classified: null } } }, gates, {
  actor: "user",
  previous: state,
});
assert.ok(edited.ok);
assert.deepEqual(edited.diff.gates_classified_changed, ["2_use_case"]);
assert.equal(edited.decision.next_question, "What will the result be used for?");

console.log([...transcript, "PASS"].join("\n"));
