import { expect, test } from "vitest";
import { unsaid } from "../../scripts/_api-comments.ts";
import type { ApiItem } from "../../scripts/_api-reference.ts";

const SAID = "/**\n * Says it.\n *\n * @example it()\n */";

function door(...members: ApiItem[]): ApiItem {
  return { kind: "Package", members: [{ kind: "EntryPoint", members }] };
}

function type(name: string, ...members: ApiItem[]): ApiItem {
  return { kind: "Interface", name, docComment: SAID, members };
}

const TYPES =
  "Agent Budget Files GateDesk Glob HostFiles Journal Limits LineIndex ReadCtx ReadonlyFiles Session Slice Store WriteCtx".split(
    " ",
  );

/** A surface that says all it must, but for what takes the place of a type of the same name. */
function surface(...items: ApiItem[]): readonly ApiItem[] {
  const own = new Set(items.map(({ name }) => name));
  return [door(...items), door(...TYPES.filter((name) => !own.has(name)).map((name) => type(name)))];
}

function limit(docComment: string): readonly ApiItem[] {
  return surface(type("Limits", { kind: "PropertySignature", name: "depth", docComment }));
}

test("a function without an example is named once, whatever doors export it", () => {
  const cut: ApiItem = { kind: "Function", name: "cut", docComment: "/** Cuts. */" };
  expect(unsaid([...surface(cut), door(cut)])).toEqual(["cut: its comment has no @example"]);
  expect(unsaid(surface(cut, { ...cut, docComment: SAID }))).toEqual([]);
  expect(unsaid(surface({ ...cut, docComment: "/** @example cut() */" }))).toEqual([]);
  expect(unsaid(surface({ ...cut, docComment: "/**\n * Cuts.\n *\n * @example\n */" }))).toHaveLength(1);
});

test("every method of a type that hosts call needs an example, a property none", () => {
  const methods = ["open", "shut"].map((name) => ({
    kind: "MethodSignature",
    name,
    docComment: "/** It. */",
  }));
  const property: ApiItem = { kind: "PropertySignature", name: "id", docComment: "/** Its id. */" };
  expect(unsaid(surface(type("Session", ...methods, property)))).toEqual([
    "Session.open: its comment has no @example",
    "Session.shut: its comment has no @example",
  ]);
});

test("a type that hosts implement needs one example, its methods none", () => {
  const method: ApiItem = { kind: "MethodSignature", name: "open", docComment: "/** Opens. */" };
  expect(unsaid(surface(type("Store", method)))).toEqual([]);
  expect(unsaid(surface({ ...type("Store", method), docComment: "/** A store. */" }))).toEqual([
    "Store: its comment has no @example",
  ]);
});

test("a type that no door exports is missed", () => {
  expect(unsaid([])).toHaveLength(TYPES.length);
});

test("a limit says its default, and with which reason it refuses or that it refuses nothing", () => {
  expect(
    unsaid(limit("/** Levels, 16 by default. Deeper ones are refused with `path_too_deep`. */")),
  ).toEqual([]);
  expect(
    unsaid(
      limit("/**\n * Levels, 16 by default.\n * Deeper ones are refused\n * with `conflict` / `deep`. */"),
    ),
  ).toEqual([]);
  expect(unsaid(limit("/** Levels, 16 by default. Nothing is refused: others are left out. */"))).toEqual([]);
  for (const text of [
    "Levels. Refused with `deep`.",
    "Levels, 16 by default.",
    "Levels, 16 by default: see `read_file`.",
  ])
    expect(unsaid(limit(`/** ${text} */`))).toHaveLength(1);
});
