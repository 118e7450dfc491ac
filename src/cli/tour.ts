// Owns: `holdfast tour`: two agents at work on a small project, from the first question to the landing. Every call is a real one.
// Must never: write anywhere but into a temporary copy of the project.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSession, type Agent, type CallResult, type Session } from "../tools/index.ts";
import { relativePath } from "../path/index.ts";
import { plural } from "../text/plural.ts";
import { Stage } from "./_stage.ts";
import { INTERRUPTED_CODE } from "./ask.ts";
import { clientConfig } from "./config.ts";
import { planText } from "./plan-text.ts";

const PROJECT = fileURLToPath(new URL("../../examples/workspace", import.meta.url));

export async function tourCommand(flags: { readonly yes?: boolean }): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "holdfast-tour-"));
  const folder = join(parent, "kiosk");
  try {
    cpSync(PROJECT, folder, { recursive: true });
    await using session = await openSession({
      name: "tour",
      toolsets: ["all"],
      mounts: [{ from: folder, to: "/workspace" }],
      gates: {
        change: {
          gate_order: ["goal", "risk"],
          gates: {
            goal: { question: "What shall be better afterwards?", required: true },
            risk: { question: "How risky is it?", required: true, expected_categories: ["low", "high"] },
          },
        },
      },
      requireGates: ["change"],
    });
    const isAsking = flags.yes !== true && process.stdin.isTTY && process.stdout.isTTY;
    const stage = new Stage(STEPS.length, isAsking);
    const ana = session.as({ id: "ana", role: "editor" });
    const ben = session.as({ id: "ben", role: "editor" });
    for (const { title, about, run } of STEPS) {
      if (!(await stage.step(title, about))) break;
      await run({ session, stage, ana, ben });
    }
    if (process.exitCode === INTERRUPTED_CODE) return;
    stage.say(
      "\nNow your own folder. In a project, this is the configuration of Claude Code, for .mcp.json; holdfast config prints it for other clients:\n",
    );
    stage.show(JSON.stringify(clientConfig("claude-code", undefined, { local: isLocal() }), null, 2));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** What a step can use. */
interface Scene {
  readonly session: Session;
  readonly stage: Stage;
  readonly ana: Agent;
  readonly ben: Agent;
}

interface Step {
  readonly title: string;
  readonly about: string;
  readonly run: (scene: Scene) => Promise<void>;
}

const PRICE = "src/price.js";
const CONFIG = "config/app.jsonc";

const STEPS: readonly Step[] = [
  {
    title: "A session",
    about:
      "A small project was copied into a session. Two agents, ana and ben, work on it there; the folder on disk stays as it is. " +
      "What follows are real calls: first what the agent sends, then what it reads.",
    run: async ({ stage, ana }) => {
      await stage.call(ana, "list_directory", { depth: 2 });
    },
  },
  {
    title: "gates: think first",
    about:
      "This session asks two questions before anybody may write. The answer is JSON as models write it: it is repaired, and " +
      "the session judges it by itself.",
    run: async ({ stage, ana }) => {
      await stage.call(ana, "write_file", { path: "notes.md", content: "Begin." });
      await stage.call(ana, "submit_gates", { answer: ANSWER });
    },
  },
  {
    title: "files: two agents, one file",
    about:
      "Both read the same version. Ana is faster. Ben's edit names the version it was made for, so it is refused instead of " +
      "overwriting, and Ben is shown what changed. He asks to apply it beside Ana's.",
    run: async ({ stage, ana, ben }) => {
      const read = await stage.call(ben, "read_file", { path: PRICE, limit: 4 });
      await stage.call(ana, "edit_file", {
        path: PRICE,
        edits: [{ old_text: "(price * rate) / 100", new_text: "Math.round((price * rate) / 100)" }],
      });
      const edit = {
        path: PRICE,
        edits: [{ old_text: "Tax on a price in cents.", new_text: "Tax on a price, both in cents." }],
        expectedVersion: tokenOf(read),
      };
      await stage.call(ben, "edit_file", edit);
      await stage.call(ben, "edit_file", { ...edit, onConflict: "rebase" });
    },
  },
  {
    title: "json: one value, and no other byte",
    about:
      "The configuration has comments and a trailing comma. Both survive. Ana mistypes the number on purpose.",
    run: async ({ stage, ana, ben }) => {
      await stage.call(ana, "set_json_value", { path: CONFIG, json_path: "$.rollout.percent", value: "95" });
      await stage.call(ben, "append_json_array", {
        path: CONFIG,
        json_path: "$.rollout.regions",
        value: '"south"',
      });
    },
  },
  {
    title: "history: undo beneath the work of others",
    about:
      "Ana takes her last change back. Ben's, made later on the same line, stays. Then Ana does it right.",
    run: async ({ stage, ana }) => {
      await stage.call(ana, "undo_changes");
      await stage.call(ana, "set_json_value", { path: CONFIG, json_path: "$.rollout.percent", value: "25" });
    },
  },
  {
    title: "patch: all or nothing",
    about:
      "Models write diffs in many formats; this is a unified one, over two files. rates.csv has CRLF line endings, and keeps them.",
    run: async ({ stage, ben }) => {
      await stage.call(ben, "apply_patch", { patch: PATCH });
      await stage.call(ben, "stat_file", { path: "data/rates.csv" });
    },
  },
  {
    title: "tree: an outline to ask",
    about: "The plan in Markdown becomes a tree, and a selector finds what is still open.",
    run: async ({ stage, ana }) => {
      await stage.call(ana, "create_tree", { name: "plan", from: "plan.md" });
      await stage.call(ana, "select_nodes", {
        queryDsl: '[name="Prices"] > Task[done=false]',
        format: "outline",
      });
    },
  },
  {
    title: "history: who wrote what",
    about: "Every byte knows the call that brought it in, and every call is on record.",
    run: async ({ stage, ben }) => {
      await stage.call(ben, "blame", { path: PRICE, limit: 4 });
      await stage.call(ben, "list_changes", { limit: 5 });
    },
  },
  {
    title: "landing: a person decides",
    about:
      "Ana asks. You see the plan as a diff, take all of it or some hunks, and say yes. Only now is the folder written; here it is " +
      "a temporary copy of the project.",
    run: async ({ session, stage, ana }) => {
      await stage.call(ana, "request_landing", { reason: "Tax is rounded; rollout at 25." });
      const plan = await session.plan();
      stage.say("\nyou> holdfast land");
      stage.show(await planText(plan, relativePath));
      const { landing, files } = await plan.land();
      stage.show(`Landed ${plural(files.length, "file")} (landing ${landing})`);
    },
  },
];

const ANSWER = `Sure! {"summary": "rounded tax", "gates": {"goal": {"raw": "whole cents", "classified": None},
"risk": {"raw": "one function", "classified": "low"},}, "status": {"pass": true}}`;

const PATCH = `--- a/data/rates.csv
+++ b/data/rates.csv
@@ -2,2 +2,2 @@
 north,19
-south,7
+south,8
--- a/src/receipt.js
+++ b/src/receipt.js
@@ -3,3 +3,4 @@
 export function receipt(shop, prices, rate) {
-  return [shop, \`Total \${total(prices, rate)}\`].join("\\n");
+  const tax = \`Tax \${rate} %\`;
+  return [shop, tax, \`Total \${total(prices, rate)}\`].join("\\n");
 }
`;

/** A checkout is not what npx would fetch. */
function isLocal(): boolean {
  return !fileURLToPath(import.meta.url)
    .split(/[\\/]/)
    .includes("node_modules");
}

function tokenOf(result: CallResult): string {
  if (result.ok && result.token !== undefined) return result.token;
  throw new Error(`The tour cannot go on: ${result.text}`);
}
