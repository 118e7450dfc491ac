import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// Text becomes `Shown` by `say` and `echo`, or where a room that owns a safe form says so with a cast. Rooms that know
// paths of the host must not have that way out.

const src = fileURLToPath(new URL("../src/", import.meta.url));
const ROOMS_WITH_HOST_PATHS = ["store", "host", "cli"];
const OWNERS_OF_A_SAFE_FORM = ["store/token.ts"];

test("[ERR-2] rooms that know host paths cannot call a plain string shown", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts") && ROOMS_WITH_HOST_PATHS.includes(name.split("/")[0] ?? ""));
  expect(files.length).toBeGreaterThan(10);
  const casts = files.filter((name) =>
    /\bas (?:unknown as )?Shown\b|<Shown>/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(casts).toEqual(OWNERS_OF_A_SAFE_FORM);
});
