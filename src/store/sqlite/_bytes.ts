// Owns: hashes as 32 raw bytes in columns and as hexadecimal digits everywhere else.

import type { SqlCell } from "./_driver.ts";

export function hex(cell: SqlCell | undefined): string {
  if (!(cell instanceof Uint8Array)) throw new TypeError("a hash column without bytes");
  return Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString("hex");
}

export function unhex(digits: string): Uint8Array {
  return Buffer.from(digits, "hex");
}
