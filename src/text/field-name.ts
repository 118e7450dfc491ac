// Owns: how a place in a value is named: `filters[0].op`.

import { echo, type Shown } from "../errors.ts";

/** The place that a path of keys and indexes leads to; empty for the value itself. */
export function fieldOf(path: readonly PropertyKey[]): Shown {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(step))) text += text === "" ? String(step) : `.${String(step)}`;
    else text += `[${echo(String(step))}]`;
  }
  return text as Shown;
}
