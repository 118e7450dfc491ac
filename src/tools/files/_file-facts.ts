// Owns: what the line about a written file says of it.

import { plural } from "../../text/plural.ts";

/** `12 bytes, version 3, token 7-3f9c2a71`; the encoding where it is not UTF-8, and no token before the commit. */
export function fileFacts(file: {
  readonly size_bytes: number;
  readonly version: number;
  readonly encoding?: string | null | undefined;
  readonly token?: string | undefined;
}): string {
  const { size_bytes: size, version, encoding = "utf-8", token } = file;
  const kind = encoding === "utf-8" ? "" : `, ${encoding ?? "binary"}`;
  return `${plural(size, "byte")}${kind}, version ${version}${tokenPart(token)}`;
}

export function tokenPart(token: string | undefined): string {
  return token === undefined ? "" : `, token ${token}`;
}
