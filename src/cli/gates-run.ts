// Owns: `holdfast gates check|prompt|extract`.

import {
  checkGateConfig,
  describeRepair,
  extractJson,
  gatePrompt,
  gateSchemaJson,
  gateStateJson,
  parseGates,
  repairMessage,
  type GateConfigInput,
  type GateState,
} from "../gates/index.ts";
import { echo, HoldfastError, say, sayAll } from "../errors.ts";
import type { Json, JsonObject } from "../value.ts";
import { inputJson, inputText, STDIN } from "./input.ts";
import { note, printText, printJson, type JsonFlag } from "./output.ts";
import { FileError, UsageError } from "./usage-error.ts";

export async function checkGatesCommand(
  config: string,
  answer: string,
  flags: JsonFlag & { readonly previous?: string },
): Promise<void> {
  const gates = await readConfig(config);
  const previous =
    flags.previous === undefined ? undefined : ((await inputJson(flags.previous)) as GateState);
  const result = parseGates(await inputText(answer), gates, previous === undefined ? {} : { previous });
  if (!result.ok) {
    process.exitCode = 1;
    if (flags.json === true) printJson({ ...result });
    else note(`[Error] ${repairMessage(result)}`);
    return;
  }
  const { decision, warnings } = result;
  if (!decision.pass) process.exitCode = 1;
  if (flags.json === true) {
    const { ok, state, ...judged } = result;
    const rest = JSON.stringify(judged).slice(1);
    return printText(`{"ok":${ok},"state":${gateStateJson(state, gates)},${rest}`);
  }
  for (const warning of warnings) note(`[Warning] ${warning}`);
  printText(
    decision.pass
      ? "PASS"
      : `NO PASS: gate ${decision.next_gate ?? ""} is open. Ask: ${decision.next_question ?? ""}`,
  );
}

export async function promptCommand(config: string, flags: JsonFlag): Promise<void> {
  const gates = await readConfig(config);
  const prompt = gatePrompt(gates);
  printText(
    flags.json === true
      ? `{"ok":true,"prompt":${JSON.stringify(prompt)},"schema":${gateSchemaJson(gates)}}`
      : prompt,
  );
}

export async function extractCommand(
  file: string,
  flags: JsonFlag & { readonly any?: boolean; readonly require?: readonly string[] },
): Promise<void> {
  const found = extractJson(await inputText(file), {
    want: flags.any === true ? "any" : "object",
    ...(flags.require === undefined ? {} : { requireKeys: flags.require }),
  });
  if (!found.ok) {
    const refused = new HoldfastError("invalid_argument", "invalid_json", found.message);
    throw new FileError(file === STDIN ? "standard input" : file, refused);
  }
  requireKeys(file, found.value, flags.require ?? []);
  const { value, repairs, ...about } = found;
  if (flags.json === true) return printJson({ value, repairs, ...about });
  for (const repair of repairs) note(`[Repaired] ${describeRepair(repair)}`);
  if (found.truncated) note("[Warning] The text was cut off: the end of the JSON is guessed.");
  printText(JSON.stringify(value, null, 2));
}

/** The object with the most of the keys was taken: where it lacks one, no other in the text has them all. */
function requireKeys(file: string, value: Json, keys: readonly string[]): void {
  const lacking = keys.filter((key) => !isObject(value) || !Object.hasOwn(value, key));
  if (lacking.length === 0) return;
  const names = sayAll(lacking.map((key) => echo(key)));
  const message = say`No object in the text has ${names}. Ask the model again, or leave --require out to see what there is.`;
  const refused = new HoldfastError("invalid_argument", "missing_key", message);
  throw new FileError(file === STDIN ? "standard input" : file, refused);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readConfig(file: string): Promise<GateConfigInput> {
  const config = await inputJson(file);
  const problems = checkGateConfig(config);
  if (problems.length > 0)
    throw new UsageError(
      `${file} is no gate configuration: ${problems.map(({ message }) => message).join("; ")}`,
    );
  return config as GateConfigInput;
}
