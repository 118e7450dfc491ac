import { describe, expect, test } from "vitest";

import { HoldfastError } from "../../src/errors.ts";
import {
  comparePaths,
  depthOf,
  displayPath,
  foldKey,
  isUnder,
  joinPath,
  nameOf,
  parentOf,
  type WorkspacePath,
  parsePath,
  pathFromSegments,
  relativePath,
  ROOT,
  segmentsOf,
  type ParseOptions,
} from "../../src/path/index.ts";

const unicode: ParseOptions = { names: "unicode" };

function refusalOf(make: () => unknown): HoldfastError {
  try {
    make();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("accepted");
}

const reasonOf = (text: unknown, options: ParseOptions = {}): string =>
  refusalOf(() => parsePath(text as string, options)).reason;

describe("the form of a path", () => {
  test.each([
    ["/workspace/a/b.json", "/workspace/a/b.json"],
    ["a/b.json", "/workspace/a/b.json"],
    ["workspace/a", "/workspace/workspace/a"],
    ["/workspace/workspace/a", "/workspace/workspace/a"],
    ["a b/c-d_e+f@g,h;i=j'k(l)[m]{n}#!.txt", "/workspace/a b/c-d_e+f@g,h;i=j'k(l)[m]{n}#!.txt"],
    [".env", "/workspace/.env"],
    ["a/.holdfast/b", "/workspace/a/.holdfast/b"],
  ])("[PATH-1] %j is %j", (text, path) => {
    expect(parsePath(text)).toBe(path);
  });

  test.each([
    "/etc/passwd",
    "/workspaces/a",
    "/workspace.bak/a",
    "/Workspace/a",
    "/",
    "///",
    "//server/share/file",
    "/root/workspace/a",
    "/a",
  ])("[PATH-2] %j is refused as absolute", (text) => {
    expect(reasonOf(text)).toBe("path_absolute");
    expect(refusalOf(() => parsePath(text)).message).toContain("/workspace");
  });

  test.each([
    ["a//b", "/workspace/a/b"],
    ["//workspace//a///b", "/workspace/a/b"],
    ["/workspace////a", "/workspace/a"],
  ])("[PATH-3] duplicate slashes of %j collapse", (text, path) => {
    expect(parsePath(text)).toBe(path);
  });

  test("[PATH-4] a trailing slash is fine for a directory and refused for a file", () => {
    expect(parsePath("a/b/")).toBe("/workspace/a/b");
    expect(parsePath("a/b//", { kind: "directory" })).toBe("/workspace/a/b");
    expect(reasonOf("a/b/", { kind: "file" })).toBe("path_trailing_slash");
    expect(parsePath("a/b", { kind: "file" })).toBe("/workspace/a/b");
  });

  test("[PATH-5] the root is refused unless it is a sensible target", () => {
    for (const text of ["/workspace", "/workspace/", "//workspace//"]) {
      expect(reasonOf(text)).toBe("path_root");
      expect(parsePath(text, { allowRoot: true })).toBe(ROOT);
    }
    expect(reasonOf("")).toBe("path_empty");
    expect(parsePath("", { allowRoot: true })).toBe(ROOT);
    expect(reasonOf(".", { allowRoot: true })).toBe("path_dot_segment");
    expect(reasonOf("/", { allowRoot: true })).toBe("path_absolute");
    expect(refusalOf(() => pathFromSegments([])).reason).toBe("path_root");
    expect(pathFromSegments([], { allowRoot: true })).toBe(ROOT);
  });

  test.each(["~/x", "$HOME/x", "%2e%2e/x", "..%2fx", "a/%00", "*", "a/{b}", "...a", "..a", "a..b"])(
    "[PATH-6] %j is kept as it is",
    (text) => {
      expect(parsePath(text)).toBe(`/workspace/${text}`);
    },
  );

  test("[PATH-7] what is not text is refused", () => {
    for (const value of [undefined, null, 7, {}, ["a"]]) expect(reasonOf(value)).toBe("path_wrong_type");
    expect(refusalOf(() => pathFromSegments("ab" as unknown as string[])).reason).toBe("path_wrong_type");
    const mixed = refusalOf(() => pathFromSegments(["a", 7 as unknown as string]));
    expect(mixed.reason).toBe("path_wrong_type");
    expect(mixed.message).toContain("segment 2");
  });
});

describe("a segment", () => {
  test.each([
    ["path_dot_segment", [".", "..", "./a", "a/..", "a/../b", "/workspace/../etc", "a/./b"]],
    ["path_backslash", ["a\\b", "\\\\server\\share", "a/b\\", "..\\..\\x", "\\workspace"]],
    ["path_colon", ["ab:c", "a/C:/b", "file.txt:stream", "a/b:", ":a", "ab:"]],
    ["path_nul", ["a\0", "\0", "a/b\0.txt"]],
    ["path_control", ["a\nb", "\t", "a/\u007f", "a\u0085b", "\u001b[0m"]],
    ["path_drive", ["C:\\x", "c:/x", "C:", "/C:/x", "z:x"]],
    ["path_url", ["file:///workspace/a", "https://x.y/z"]],
    ["path_edge_blank", [" a", "a ", "a/ b", "a /b", " ", "a/ /b"]],
    ["path_trailing_dot", ["a.", "...", "a./b", "a/b..", ". ."]],
  ])("[PATH-8] is refused with %s", (reason, texts) => {
    for (const text of texts) expect(reasonOf(text), JSON.stringify(text)).toBe(reason);
  });

  test("[PATH-9] is refused when Windows would open a device", () => {
    for (const text of [
      "NUL",
      "nul",
      "aux.txt",
      "a/Con",
      "com1",
      "COM9.tar.gz",
      "lpt5.x",
      "CONIN$",
      "conout$.log",
      "prn .txt",
    ])
      expect(reasonOf(text), text).toBe("path_device_name");
    for (const text of ["COM\u00b9", "lpt\u00b3.txt", "com\u00b2"])
      expect(reasonOf(text, unicode), text).toBe("path_device_name");
    for (const text of ["COM10", "console", "nul1", "auxiliary", "com", "COM0", "a.nul", "con-fig", "conin"])
      expect(parsePath(text)).toBe(`/workspace/${text}`);
  });

  test("[PATH-10] holds printable ASCII only unless the host allows more", () => {
    for (const text of ["\u00e9", "a/\u4e2d", "\u{1f600}", "a\u200bb", "\ud800"])
      expect(reasonOf(text), text).toBe("path_non_ascii");
    for (let code = 0x20; code < 0x7f; code++) {
      const char = String.fromCharCode(code);
      if (!"/\\:".includes(char)) expect(parsePath(`a${char}b`)).toBe(`/workspace/a${char}b`);
    }
  });

  test("[PATH-11] holds printable Unicode in normal form C where the host allows it", () => {
    for (const text of [
      "\u00e9t\u00e9.txt",
      "\u4e2d\u6587",
      "\u{1f600}",
      "\u2764\ufe0f",
      "a\u00a0b",
      "\u0437",
    ])
      expect(parsePath(text, unicode)).toBe(`/workspace/${text}`);
    const decomposed = refusalOf(() => parsePath("e\u0301", unicode));
    expect(decomposed.reason).toBe("path_not_nfc");
    expect(decomposed.message).toContain("\u00e9");
    for (const text of ["\ud800", "a\udc00", "\udc00\ud800"])
      expect(reasonOf(text, unicode), escape(text)).toBe("path_lone_surrogate");
    for (const text of [
      "a\u200bb",
      "a\u202eb",
      "\ufeffa",
      "a\u2028",
      "\u00ad",
      "a\u{e0001}",
      "\ue000",
      "\uffff",
      "\u200d",
    ])
      expect(reasonOf(text, unicode), escape(text)).toBe("path_invisible");
    for (const text of ["\u00a0a", "a\u3000"]) expect(reasonOf(text, unicode)).toBe("path_edge_blank");
    expect(reasonOf("a\u0085b", unicode)).toBe("path_control");
    expect(reasonOf("a\\b", unicode)).toBe("path_backslash");
  });

  test("[PATH-12] is reserved as .holdfast at the top, in any spelling a file system takes for it", () => {
    for (const text of [".holdfast", ".HoldFast/x", "/workspace/.holdfast/y", "HOLDFA~1", "holdfa~9/x"])
      expect(reasonOf(text), text).toBe("path_reserved");
    expect(reasonOf(".holdfa\u017ft", unicode)).toBe("path_reserved");
    for (const text of ["a/.holdfast", ".holdfast2", "holdfast", ".holdfas", "HOLDFA~10"])
      expect(parsePath(text)).toBe(`/workspace/${text}`);
  });

  test("[PATH-13] is bounded in length, and a path in depth", () => {
    expect(nameOf(parsePath("x".repeat(80)))).toHaveLength(80);
    expect(reasonOf("x".repeat(81))).toBe("path_segment_too_long");
    expect(parsePath("\u{1f600}".repeat(60), unicode)).toBeTypeOf("string");
    expect(reasonOf("\u{1f600}".repeat(64), unicode)).toBe("path_segment_too_long");
    expect(depthOf(parsePath(Array.from({ length: 16 }, () => "d").join("/")))).toBe(16);
    expect(reasonOf(Array.from({ length: 17 }, () => "d").join("/"))).toBe("path_too_deep");
    expect(reasonOf(`/workspace/${Array.from({ length: 17 }, () => "d").join("/")}`)).toBe("path_too_deep");
    const limits = { pathSegmentLength: 3, pathDepth: 2 };
    expect(parsePath("abc/def", { limits })).toBe("/workspace/abc/def");
    expect(reasonOf("abcd", { limits })).toBe("path_segment_too_long");
    expect(reasonOf("a/b/c", { limits })).toBe("path_too_deep");
  });

  test("[PATH-14] is taken whole in the segments form", () => {
    expect(pathFromSegments(["a", "b.json"])).toBe("/workspace/a/b.json");
    expect(pathFromSegments(["workspace", "a"])).toBe("/workspace/workspace/a");
    expect(refusalOf(() => pathFromSegments(["a", "", "b"])).reason).toBe("path_empty_segment");
    expect(refusalOf(() => pathFromSegments(["a/b"])).reason).toBe("path_slash_in_segment");
    expect(refusalOf(() => pathFromSegments(["/workspace", "a"])).reason).toBe("path_slash_in_segment");
    expect(refusalOf(() => pathFromSegments(["C:", "a"])).reason).toBe("path_drive");
    expect(refusalOf(() => pathFromSegments(["a", "C:"])).reason).toBe("path_colon");
  });

  test("[PATH-15] at fault is named by number and text", () => {
    const error = refusalOf(() => parsePath("/workspace/ok/fine/b:d/.."));
    expect(error.code).toBe("invalid_argument");
    expect(error.message).toContain('segment 3, "b:d"');
    expect(error.data).toEqual({ segment: 3, text: '"b:d"' });
    const long = refusalOf(() => parsePath(`${"y".repeat(1_000_000)}/${"/".repeat(1_000_000)}`));
    expect(long.message.length).toBeLessThan(300);
    expect(JSON.stringify(long.data).length).toBeLessThan(200);
    const deep = refusalOf(() => parsePath("d/".repeat(1_000_000)));
    expect(deep.message.length).toBeLessThan(300);
  });
});

describe("paths among each other", () => {
  test("[PATH-17] going up ends, whatever text it begins with", () => {
    for (const text of [
      "",
      "/",
      "//",
      "///a//",
      "rel.txt",
      "rel/a",
      "/etc/passwd",
      "a/",
      "/workspace/../x",
      "\ud800",
    ]) {
      let at: WorkspacePath | undefined = text as WorkspacePath;
      for (let steps = 0; at !== undefined; steps++) {
        expect(steps, text).toBeLessThan(10);
        at = parentOf(at);
      }
    }
  });

  test("[PATH-17] parent, name, depth, join", () => {
    const path = parsePath("a/b.json");
    expect(parentOf(path)).toBe("/workspace/a");
    expect(parentOf(parsePath("a"))).toBe(ROOT);
    expect(parentOf(ROOT)).toBeUndefined();
    expect([nameOf(path), nameOf(ROOT)]).toEqual(["b.json", ""]);
    expect([depthOf(ROOT), depthOf(parsePath("a")), depthOf(path)]).toEqual([0, 1, 2]);
    expect(joinPath(ROOT, "a")).toBe("/workspace/a");
    expect(joinPath(path, ["c", "d"])).toBe("/workspace/a/b.json/c/d");
    expect(joinPath(ROOT, [])).toBe(ROOT);
    expect(refusalOf(() => joinPath(path, "..")).reason).toBe("path_dot_segment");
    expect(refusalOf(() => joinPath(path, "a/b")).reason).toBe("path_slash_in_segment");
    expect(
      refusalOf(() => joinPath(path, "c", { limits: { pathDepth: 2, pathSegmentLength: 9 } })).reason,
    ).toBe("path_too_deep");
    expect([relativePath(path), relativePath(ROOT)]).toEqual(["a/b.json", ""]);
    expect([displayPath(path), displayPath(ROOT)]).toEqual(["a/b.json", "/workspace"]);
    expect(segmentsOf(path)).toEqual(["a", "b.json"]);
    expect(segmentsOf(ROOT)).toEqual([]);
  });

  test("[PATH-18] a directory holds whole segments", () => {
    const [a, ab, inside] = [parsePath("a"), parsePath("ab"), parsePath("a/b")];
    expect([isUnder(a, a), isUnder(inside, a), isUnder(ab, a), isUnder(a, inside)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([isUnder(a, ROOT), isUnder(ROOT, ROOT), isUnder(ROOT, a)]).toEqual([true, true, false]);
  });

  test("[PATH-19] order is by segments and code points", () => {
    const texts = ["a-b", "a/z", "b", "a", "a b", "\uffe6", "\u{1f600}", "a/z/y", "B"];
    const sorted = texts.map((text) => parsePath(text, unicode)).sort(comparePaths);
    expect(sorted.map(displayPath)).toEqual([
      "B",
      "a",
      "a/z",
      "a/z/y",
      "a b",
      "a-b",
      "b",
      "\uffe6",
      "\u{1f600}",
    ]);
  });

  test("[PATH-26] share a fold key when a file system takes them for one", () => {
    const key = (text: string): string => foldKey(parsePath(text, unicode));
    expect(key("Docs/README.md")).toBe("docs/readme.md");
    for (const [one, other] of [
      ["stra\u00dfe", "STRASSE"],
      ["\u1e9e", "\u00df"],
      ["\u0130", "i\u0307"],
      ["\u03a3\u03a3", "\u03c3\u03c2"],
      ["\u00c9", "\u00e9"],
      ["\u2764\ufe0f", "\u2764"],
      ["\u017f", "S"],
      ["\ufb01x", "FIX"],
    ] as const)
      expect(key(one), `${one} and ${other}`).toBe(key(other));
    expect(key("a/b")).not.toBe(key("a/c"));
  });
});
