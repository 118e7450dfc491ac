import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, expectTypeOf, test } from "vitest";
import type {
  AddChildInput,
  AddChildOutput,
  Agent,
  CallResult,
  ReadFileOutput,
  ToolInput,
  ToolName,
  ToolOutput,
} from "../../src/tools/index.ts";
import { gateTools } from "../../src/tools/gates/gate-tools.ts";
import { TOOLS } from "../../src/tools/toolsets.ts";
import { toolTypes } from "../../scripts/_tool-types.ts";
import { bench, EDITOR } from "./bench-session.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("types of calls", () => {
  test("[CALL-94] the name of a built-in tool decides what a call takes and returns", async () => {
    const { session } = await bench();
    const agent: Agent = session.as(EDITOR);
    const made = await agent.call("write_file", { path: "a.txt", content: "x", dryRun: false });
    expectTypeOf(made.value?.version).toEqualTypeOf<number | undefined>();
    const read = await agent.call("read_file", { path: "a.txt" });
    expectTypeOf(read).toEqualTypeOf<CallResult<ReadFileOutput>>();
    if (!read.ok) throw new Error(read.text);
    expectTypeOf(read.value.content).toEqualTypeOf<string | undefined>();
    expect(read.value.content).toBe("x");
    // @ts-expect-error there is no such field
    await agent.call("read_file", { path: "a.txt", ofset: 1 });
    // @ts-expect-error lines are counted in numbers
    await agent.call("read_file", { path: "a.txt", offset: "1" });
    // @ts-expect-error the path is missing
    await agent.call("stat_file", {});
    // @ts-expect-error a reading tool takes no version
    await agent.call("read_file", { path: "a.txt", expectedVersion: "1-0" });
    // @ts-expect-error the value has no such field
    expect(read.value.contents).toBeUndefined();
  });

  test("[CALL-94] a host's own tool takes anything; a name known only at run time too", async () => {
    const { session } = await bench();
    const agent: Agent = session.as(EDITOR);
    const own = await agent.call("my_tool", { anything: 1 });
    expectTypeOf(own).toEqualTypeOf<CallResult>();
    const counted = await agent.call<{ count: number }>("my_tool", 5);
    expectTypeOf(counted.value?.count).toEqualTypeOf<number | undefined>();
    const some: string = "read_file";
    expectTypeOf(await agent.call(some, { path: 5 })).toEqualTypeOf<CallResult>();
    expectTypeOf<ToolInput<"add_child">>().toEqualTypeOf<AddChildInput>();
    expectTypeOf<ToolOutput<"add_child">>().toEqualTypeOf<AddChildOutput>();
    expectTypeOf<"add_child" | "submit_gates">().toExtend<ToolName>();
  });

  test("[CALL-94] an editor shows a call in a line, and a host adds its tool to the map", () => {
    const shown = shownCall(`
      import type { Agent } from "./src/index.ts";
      declare module "./src/index.ts" {
        interface ToolTypes { count_up: { input: { by: number }; output: { count: number } } }
      }
      declare const agent: Agent;
      export const added = agent.call("add_child", { parentNodeId: "n0", payloadType: "Task" });
      export const counted = agent.call("count_up", { by: 1 });
    `);
    expect(shown).toEqual([
      '(tool: "add_child", input?: AddChildInput | undefined, options?: CallOptions | undefined): Promise<CallResult<AddChildOutput>>',
      '(tool: "count_up", input?: { by: number; } | undefined, options?: CallOptions | undefined): Promise<CallResult<{ count: number; }>>',
    ]);
  });

  test("[CALL-95] every built-in tool is in the types", () => {
    const text = [...toolTypes().values()].join("\n");
    for (const { name } of [...TOOLS, ...gateTools(new Map(), { error: () => {} })])
      expect(text).toContain(`  readonly ${name}: { readonly input: `);
    expect(text).not.toContain(": any");
  });
});

/** The signatures that a compiler settles on for the calls in a file, as an editor would show them. */
function shownCall(source: string): string[] {
  const file = path.join(ROOT, "consumer.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    types: ["node"],
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === file || disk.fileExists(name),
    readFile: (name) => (name === file ? source : disk.readFile(name)),
    getSourceFile: (name, version, ...rest) =>
      name === file ? ts.createSourceFile(name, source, version) : disk.getSourceFile(name, version, ...rest),
  };
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const parsed = program.getSourceFile(file);
  if (parsed === undefined) throw new Error("not parsed");
  expect(
    program
      .getSemanticDiagnostics(parsed)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  ).toEqual([]);
  const shown: string[] = [];
  const visit = (node: ts.Node): void => {
    const signature = ts.isCallExpression(node) ? checker.getResolvedSignature(node) : undefined;
    if (signature !== undefined) shown.push(checker.signatureToString(signature));
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return shown;
}
