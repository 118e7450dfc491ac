// Owns: the input of a tool that takes commands, read: every problem at once, in our words.
// Must never: throw for what a model sent.

import { echo, say, sayAll, type Shown } from "../errors.ts";

/** What the file tools of the model makers can be told to do. */
export type FileCommand =
  | {
      readonly command: "view";
      readonly path: string;
      readonly view_range?: readonly [from: number, to: number];
    }
  | { readonly command: "create"; readonly path: string; readonly file_text: string }
  | {
      readonly command: "str_replace";
      readonly path: string;
      readonly old_str: string;
      readonly new_str: string;
    }
  | {
      readonly command: "insert";
      readonly path: string;
      readonly insert_line: number;
      readonly insert_text: string;
    }
  | { readonly command: "delete"; readonly path: string }
  | { readonly command: "rename"; readonly old_path: string; readonly new_path: string };

export type CommandName = FileCommand["command"];

interface Field {
  readonly is: (value: unknown) => boolean;
  readonly must: Shown;
  /** What is read when nothing was sent; without it the field is required. */
  readonly absent?: unknown;
  /** Another name for it, from an older version of the tool. */
  readonly also?: string;
}

const TEXT: Field = { is: (value) => typeof value === "string", must: say`must be a string` };
const PATH = TEXT;

const FIELDS: Readonly<Record<CommandName, Readonly<Record<string, Field>>>> = {
  view: {
    path: PATH,
    view_range: {
      is: isRange,
      must: say`must be two line numbers from 1, the second not below the first, or -1 for the end`,
      absent: undefined,
    },
  },
  create: { path: PATH, file_text: TEXT },
  // Without new text the old one is taken out.
  str_replace: { path: PATH, old_str: TEXT, new_str: { ...TEXT, absent: "" } },
  insert: {
    path: PATH,
    insert_line: {
      is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
      must: say`must be the number of the line to insert after, 0 for the start`,
    },
    insert_text: { ...TEXT, also: "new_str" },
  },
  delete: { path: PATH },
  rename: { old_path: PATH, new_path: PATH },
};

/** The command, or what is wrong with it. `null` counts as absent. Fields of other commands are passed over. */
export function readCommand(sent: unknown, known: readonly CommandName[]): FileCommand | Shown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent))
    return say`The input must be an object such as {"command": "view", "path": "..."}.`;
  const input = new Map(Object.entries(sent).filter(([, value]) => value !== null && value !== undefined));
  const name = known.find((one) => one === input.get("command"));
  if (name === undefined) return say`command: must be one of ${sayAll(known.map((one) => echo(one)))}.`;
  const read: Record<string, unknown> = { command: name };
  const problems: Shown[] = [];
  for (const [field, { is, must, also = field, ...rest }] of Object.entries(FIELDS[name])) {
    const value = input.get(field) ?? input.get(also);
    if (value !== undefined && is(value)) read[field] = value;
    else if (value !== undefined) problems.push(say`${field as Shown}: ${must}`);
    else if ("absent" in rest) read[field] = rest.absent;
    else problems.push(say`${field as Shown}: is missing: ${must}`);
  }
  return problems.length === 0 ? (read as FileCommand) : say`${sayAll(problems, "; ")}.`;
}

function isRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isSafeInteger)) return false;
  const [from, to] = value as [number, number];
  return from >= 1 && (to === -1 || to >= from);
}
