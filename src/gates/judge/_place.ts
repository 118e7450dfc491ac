// Owns: places in a value, as text that a model can follow.

import { echo } from "../../errors.ts";

/** Keys and indexes from the root on. */
export type Place = readonly (string | number)[];

/** `items[2].name`; a key that is no plain word is quoted. The root is the empty text. */
export function placeText(place: Place): string {
  let text = "";
  for (const step of place) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w-]{1,80}$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${echo(step)}]`;
  }
  return text;
}
