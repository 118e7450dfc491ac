// Owns: what a model reads of a command: numbered lines, and refusals in the words of the tool that it knows.
// Must never: name a tool or field that the model does not have.

import { echo, say, type Shown } from "../errors.ts";
import type { CommandName } from "./read-command.ts";
import type { CallError, CallRefused, CallResult, ReadFileOutput } from "../tools/index.ts";

const NUMBER_WIDTH = 6;

/** As it is, where it cannot spoil a line; else quoted. */
export function plainPath(path: string): Shown {
  return (/^[!-~]{1,400}$/.test(path) ? path : echo(path)) as Shown;
}

/** Lines with their numbers in at most `most` characters, and how to see those up to `to` that did not fit; -1 is the end. */
export function numbered(shown: Shown, page: ReadFileOutput, to: number, most: number = Infinity): string {
  const { content = "", first_line: first = 1, last_line: last = 0, lines } = page;
  const texts = content.replace(/^\ufeff/, "").split("\n");
  if (texts.at(-1) === "") texts.pop();
  let isEscaped = false;
  const body = texts.map((text, i) => {
    const line = text.replace(/\r$/, "");
    const plain = plainLine(line);
    isEscaped ||= plain !== line;
    return `${String(first + i).padStart(NUMBER_WIDTH)}\t${plain}`;
  });
  const isWhole = content.endsWith("\n");
  const isCut = page.cursor !== undefined && !(isWhole && last === to);
  const cut = isCut ? [cutNote(isWhole, last, lines)] : [];
  const title = last === 0 ? `${shown} is empty.` : `Here's the content of ${shown} with line numbers:`;
  const head = isEscaped ? `${title}\n${ESCAPE_NOTE}` : title;
  const text = [head, ...cut, ...body].join("\n");
  if (text.length <= most) return text;
  const above = `${head}\n${cutNote(true, last, lines)}`;
  const fitting = countFitting(body, most - above.length);
  if (fitting > 0)
    return [head, cutNote(true, first + fitting - 1, lines), ...body.slice(0, fitting)].join("\n");
  return beginning([head, cutNote(false, first, lines), body[0] ?? ""].join("\n"), most);
}

const ESCAPE_NOTE =
  "[\\u and four digits here may stand for one character that would break or turn a line. Send it as that character, not as six]";

/** One line of ours, whatever a file holds: what would break, hide or turn it is written as JSON writes it. */
function plainLine(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What a directory holds, in at most `most` characters; `more` entries are not among `lines`. */
export function listed(
  head: string,
  lines: readonly string[],
  more: number,
  most: number = Infinity,
): string {
  const note = (left: number): string => `[${left} more: view a directory in it to see what that holds]`;
  const text = [head, ...lines, ...(more === 0 ? [] : [note(more)])].join("\n");
  if (text.length <= most) return text;
  const fitting = countFitting(lines, most - `${head}\n${note(more + lines.length)}`.length);
  return beginning([head, ...lines.slice(0, fitting), note(more + lines.length - fitting)].join("\n"), most);
}

/** How many of the lines, each after a line break, take no more than `room`. */
function countFitting(lines: readonly string[], room: number): number {
  let left = room;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end < 0 ? lines.length : end;
}

/** Never half a character. */
function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}

function cutNote(isWhole: boolean, last: number, lines: number | undefined): string {
  const end = lines === undefined ? "" : ` of ${lines}`;
  const isLast = lines !== undefined && last >= lines;
  const after = isLast ? "" : `. View what follows it with view_range [${last + 1}, -1]`;
  return isWhole
    ? `[Cut after line ${last}${end}. View the rest with view_range [${last + 1}, -1]]`
    : `[Cut inside line ${last}${end}, which is too long to be shown whole${after}]`;
}

/** A refusal in the words of these tools, where ours name tools and arguments that the model does not have. */
export function reworded(result: CallRefused, shown: Shown, command: CommandName): CallResult {
  const message = messageFor(result.error, shown, command);
  return message === undefined
    ? result
    : { ...result, text: `[Error] ${message}`, error: { ...result.error, message } };
}

/** A refusal with the names that the model knows: what it would tell of the rest of the workspace is left out. */
export function namedWithin(
  { error, ...rest }: CallRefused,
  shown: Shown,
  within: { readonly shown: string; readonly path: string },
): CallRefused {
  const look = say`View ${within.shown as Shown} to see what there is.`;
  const inside = error.message.replaceAll(within.path, within.shown) as Shown;
  const message =
    error.code === "not_found"
      ? say`${shown} does not exist. ${look}`
      : inside.includes("/workspace")
        ? say`${shown} cannot be used so. ${look}`
        : inside;
  return { ...rest, text: `[Error] ${message}`, error: { code: error.code, reason: error.reason, message } };
}

function messageFor({ reason, message }: CallError, shown: Shown, command: CommandName): Shown | undefined {
  switch (reason) {
    case "binary":
      return say`${shown} is not text, so it cannot be changed by its lines. Create another file.`;
    case "file_exists":
      return say`${shown} exists already; it was not changed. View it and change it with str_replace or insert, or create another file.`;
    case "text_not_found":
    case "text_ambiguous":
      return message
        .replace(/^old_text/, "old_str")
        .replace(/, or send replace_all: true\.$/, ".")
        .replace("read the file again", "view the file again") as Shown;
    case "content_too_large":
      if (command === "str_replace")
        return say`old_str and new_str are longer together than one call may send. Replace a part of it, then the next.`;
      return say`The text is longer than one call may send. Send a part of it, then insert the rest after it.`;
    case "empty_old_text":
      return say`old_str is empty. Send the text to replace, or use insert.`;
    case "no_change":
      return say`old_str and new_str are the same, so there is nothing to do.`;
    case "not_utf8":
      return say`${shown} is not UTF-8, so only ASCII can be put into it.`;
    case "offset_past_end":
      return say`view_range begins past the end of ${shown}. View it without view_range to see how long it is.`;
    case "version_required":
      return say`A rule of the host wants a file to be seen before it is changed, and you have not viewed ${shown} as it is now. View it, then send the command again.`;
    case "role":
      return say`The role "reader" may only view, and ${command as Shown} changes files. Ask the host for the role "editor".`;
    case "read_only":
      return say`This session is read-only, and ${command as Shown} changes files. Use view.`;
    case "stale_version":
      return command === "insert"
        ? say`${shown} has changed since you viewed it, so line numbers may be wrong; nothing was inserted. View it again, then insert.`
        : say`${shown} has changed since you viewed it; nothing was changed. View it again, then send the command again.`;
    default:
      return undefined;
  }
}
