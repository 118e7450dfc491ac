// Owns: the hash by which two requests are the same: the tool and its input, whatever the order of keys.

import { createHash, hash, type Hash } from "node:crypto";

/** A text up to here is hashed in one go. */
const AT_ONCE = 1024 * 1024;
/** A longer string enters as its own hash: quoting the content of a file costs more than all the rest. */
const QUOTED_CHARS = 512;

/** SHA-256 in 64 hexadecimal digits. The input is plain JSON data; no recursion, so depth does not matter. */
export function requestHash(tool: string, input: unknown): string {
  let text = JSON.stringify(tool);
  let started: Hash | undefined;
  const add = (more: string): void => {
    text += more;
    if (text.length < AT_ONCE) return;
    started ??= createHash("sha256");
    started.update(text);
    text = "";
  };
  // What is still to be hashed, last first: raw text, or a value to be taken apart.
  const stack: ({ readonly raw: string } | { readonly value: unknown })[] = [{ value: input }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ("raw" in next) add(next.raw);
    else if (Array.isArray(next.value)) {
      stack.push({ raw: "]" });
      for (let i = next.value.length - 1; i >= 0; i--) stack.push({ raw: "," }, { value: next.value[i] });
      stack.push({ raw: "[" });
    } else if (typeof next.value === "object" && next.value !== null) {
      const entries = Object.entries(next.value).filter(([, value]) => value !== undefined);
      entries.sort(([a], [b]) => (a < b ? 1 : -1));
      stack.push({ raw: "}" });
      for (const [key, value] of entries)
        stack.push({ raw: "," }, { value }, { raw: `${JSON.stringify(key)}:` });
      stack.push({ raw: "{" });
    } else add(scalar(next.value));
  }
  return started === undefined ? hash("sha256", text, "hex") : started.update(text).digest("hex");
}

/** No JSON begins with `#`, so a hash is never taken for a value. Only what has one form in UTF-8 is hashed as it is. */
function scalar(value: unknown): string {
  if (typeof value === "string" && value.length > QUOTED_CHARS && value.isWellFormed())
    return `#${hash("sha256", value, "base64url")}`;
  return JSON.stringify(value) ?? "null";
}
