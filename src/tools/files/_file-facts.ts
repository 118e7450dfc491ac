// Owns: what the line about a written file says of it.

import { plural } from "../../text/plural.ts";
import { showName } from "../../text/show.ts";

/** `12 bytes, version 3`; the encoding where it is not UTF-8. */
export function fileFacts(file: {
  readonly size_bytes: number;
  readonly version: number;
  readonly encoding?: string | null | undefined;
}): string {
  const { size_bytes: size, version, encoding = "utf-8" } = file;
  const kind = encoding === "utf-8" ? "" : `, ${showName(encoding ?? "binary")}`;
  return `${plural(size, "byte")}${kind}, version ${version}`;
}
