// Owns: the direction of the arrows between rooms.
// Run by `npm run boundaries`; test/scripts/boundaries.test.ts proves that each rule fires.

// Lowest first. A room may use every room of an earlier line, and none of its own or a later line.
const LAYERS = [
  ["text"],
  ["path"],
  ["json"],
  ["patch", "tree", "gates"],
  ["store"],
  ["session"],
  ["host"],
  ["tools"],
  ["bridges", "mcp", "http", "cli"],
];
const ROOMS = LAYERS.flat();
const PURE = ["path", "text", "json", "patch", "tree", "gates"];
const SURFACES = LAYERS.at(-1);
const ROOT_FILES = "^src/(errors|limits|value)\\.ts$";

const inRooms = (rooms) => `^src/(${rooms.join("|")})/`;
const packages = (names) => `(^|/)node_modules/(${names.join("|")})(/|$)`;
const error = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const arrows = LAYERS.flatMap((layer, at) =>
  layer.flatMap((room) => {
    const below = LAYERS.slice(0, at).flat();
    // The outermost rooms may use each other's index.ts; rule surfaces-by-index looks at the rest.
    const own = SURFACES.includes(room) ? SURFACES : [room];
    const refused = ROOMS.filter((other) => !below.includes(other) && !own.includes(other));
    return refused.length === 0
      ? []
      : [
          error(
            `arrows-${room}`,
            `${room} may use ${["errors, limits, value", ...below].join(", ")}; nothing else.`,
            { path: inRooms([room]) },
            { path: [inRooms(refused), "^src/index\\.ts$"] },
          ),
        ];
  }),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...arrows,
    error(
      "arrows-root-files",
      "errors, limits and value are below every room.",
      { path: ROOT_FILES },
      { path: "^src/", pathNot: ROOT_FILES },
    ),
    error(
      "known-rooms",
      "A new room needs its place in the layers of .dependency-cruiser.cjs.",
      { path: "^src/[^/]+/", pathNot: inRooms(ROOMS) },
      {},
    ),
    error(
      "pure-no-node",
      "Pure rooms run in a browser: no Node built-in.",
      { path: [inRooms(PURE), ROOT_FILES] },
      { dependencyTypes: ["core"] },
    ),
    error(
      "pure-no-packages",
      "Pure rooms use no package, except re2js in json, tree and gates.",
      { path: [inRooms(PURE), ROOT_FILES] },
      { path: "(^|/)node_modules/", pathNot: [packages(["re2js"]), packages(["@types"])] },
    ),
    error(
      "re2js-for-patterns",
      "Patterns of agents and schemas are compiled in json, tree, gates and tools only.",
      { path: "^src/", pathNot: inRooms(["json", "tree", "gates", "tools"]) },
      { path: packages(["re2js"]) },
    ),
    error(
      "zod-from-tools-upward",
      "Input is parsed at the call path; below it, values have types.",
      { path: "^src/", pathNot: [inRooms(["tools", ...SURFACES]), "^src/index\\.ts$"] },
      { path: packages(["zod"]) },
    ),
    error(
      "libsql-in-its-driver",
      "libsql aborts the process on careless binds: only its driver may import it.",
      { path: "^src/", pathNot: "^src/store/sqlite/_driver-libsql\\.ts$" },
      { path: packages(["libsql", "@libsql/[^/]+"]) },
    ),
    error(
      "files-by-their-door",
      "Tools reach files through ctx.files (session/files/workspace.ts); only the call path knows the slice and its keys.",
      {
        path: inRooms(["tools", ...SURFACES]),
        pathNot:
          "^src/tools/(tool|open-session|index|context|call-versions|rebased-files|stale-version|versions)\\.ts$",
      },
      { path: "^src/session/(files/|content\\.ts$)", pathNot: "^src/session/files/workspace\\.ts$" },
    ),
    error(
      "protocols-in-their-room",
      "Talking a protocol is mcp, http and cli.",
      { path: "^src/", pathNot: inRooms(["mcp", "http", "cli"]) },
      { path: packages(["@modelcontextprotocol/[^/]+", "hono", "@hono/[^/]+", "commander"]) },
    ),
    error(
      "private-files",
      "A file that starts with _ belongs to its room.",
      { path: "^src/([^/]+)/" },
      { path: "^src/.+/_[^/]+$", pathNot: "^src/$1/" },
    ),
    error(
      "json-by-index",
      "json is used through its index.ts; only host/json, its other half, looks inside.",
      { path: "^src/", pathNot: ["^src/json/", "^src/host/json/"] },
      { path: "^src/json/", pathNot: "^src/json/index\\.ts$" },
    ),
    error(
      "private-files-root",
      "A file that starts with _ belongs to its room.",
      { path: "^src/[^/]+\\.ts$" },
      { path: "^src/.+/_[^/]+$" },
    ),
    error(
      "surfaces-by-index",
      "mcp, http, cli and bridges meet at their index.ts.",
      { path: `^src/(${SURFACES.join("|")})/` },
      { path: inRooms(SURFACES), pathNot: ["^src/$1/", "^src/[^/]+/index\\.ts$"] },
    ),
    error(
      "no-dev-packages",
      "What is published may use only published dependencies.",
      { path: "^src/" },
      { dependencyTypes: ["npm-dev"] },
    ),
    error(
      "no-cycles",
      "Files that need each other to run are one file. Types may look back.",
      { path: "^src/" },
      { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    ),
    error(
      "resolvable",
      "Every import leads somewhere.",
      { path: "^src/" },
      // `/// <reference types="node" />` names a package of types, which the compiler finds.
      { couldNotResolve: true, pathNot: "^node$" },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/json/kernel/" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
