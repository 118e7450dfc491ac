// Owns: the hash by which two requests are the same: the tool and its input, whatever the order of keys.

import { createHash, hash, type Hash } from "node:crypto";

/** A text up to here is hashed in one go. */
const AT_ONCE = 1024 * 1024;

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
    } else add(JSON.stringify(next.value) ?? "null");
  }
  return started === undefined ? hash("sha256", text, "hex") : started.update(text).digest("hex");
}
