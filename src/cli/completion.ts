// Owns: `holdfast completion`: scripts that complete commands and options, made from the declarations themselves.

import { Argument, type Command } from "commander";
import { withExamples } from "./declare.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function declareCompletion(root: Command): void {
  const completion = root
    .command("completion")
    .summary("print a script that completes commands in your shell");
  completion.addArgument(new Argument("<shell>", "which shell").choices(SHELLS));
  completion.action((shell: Shell) => {
    process.stdout.write(shell === "fish" ? fish(root) : bash(root, shell));
  });
  withExamples(completion, [
    "holdfast completion bash >> ~/.bashrc",
    "holdfast completion zsh >> ~/.zshrc",
    "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
  ]);
}

/** A command with the words that lead to it. */
interface Place {
  readonly path: string;
  readonly command: Command;
}

function* places(command: Command, path = ""): Generator<Place, void, undefined> {
  yield { path, command };
  for (const below of command.commands)
    yield* places(below, path === "" ? below.name() : `${path} ${below.name()}`);
}

function wordsOf({ commands, options, registeredArguments }: Command): string[] {
  return [
    ...commands.map((below) => below.name()),
    ...registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long])),
    "--help",
  ];
}

/** Words that an option takes, apart from those that are declared as its choices. A list is typed with commas. */
const LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["--toolsets", ["all", "files", "json", "patch", "tree", "gates", "history"]],
]);

interface Chosen {
  readonly option: string;
  readonly words: readonly string[];
}

/** Options of a command whose values are known. */
function chosenOf({ options }: Command): Chosen[] {
  return options.flatMap(({ long, argChoices }) => {
    const words = argChoices ?? LISTS.get(long ?? "");
    return typeof long === "string" && words !== undefined ? [{ option: long, words }] : [];
  });
}

function bash(root: Command, shell: Shell): string {
  const all = [...places(root)];
  const known = all.map(({ path }) => `"${path}"`).join("|");
  const cases = all.map(({ path, command }) => `    "${path}") words="${wordsOf(command).join(" ")}" ;;`);
  const values = all.flatMap(({ path, command }) =>
    chosenOf(command).map(({ option, words }) => `    "${path} ${option}") words="${words.join(" ")}" ;;`),
  );
  const zsh = shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  return `${zsh}_holdfast() {
  local path="" next word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  local cur="\${COMP_WORDS[COMP_CWORD]}" list=""
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "$cur" in *,*) list="\${cur%,*},"; cur="\${cur##*,}" ;; esac
  COMPREPLY=($(compgen -P "$list" -W "$words" -- "$cur"))
}
complete -o default -F _holdfast holdfast
`;
}

function fish(root: Command): string {
  const groups = root.commands.filter(({ commands }) => commands.length > 0).map((group) => group.name());
  const lines = [...places(root)].flatMap(({ path, command }) => {
    const seen = seenIn(path, groups, command);
    const chosen = chosenOf(command);
    const rule = (rest: string): string => `complete -c holdfast -n '${seen}' ${rest}`;
    return [
      ...command.commands.map((below) =>
        rule(`-f -a ${below.name()} -d '${below.summary().replaceAll("'", "\\'")}'`),
      ),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((choice) => rule(`-f -a ${choice}`)),
      ),
      ...command.options.flatMap(({ long, description }) => {
        if (typeof long !== "string") return [];
        const words = chosen.find(({ option }) => option === long)?.words;
        const values = words === undefined ? "" : ` -x -a '${words.join(" ")}'`;
        return [rule(`-l ${long.slice(2)}${values} -d '${description.replaceAll("'", "\\'")}'`)];
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** When a command is the one that is being typed: `diff` of the top is not `session diff`. */
function seenIn(path: string, groups: readonly string[], command: Command): string {
  if (path === "") return "__fish_use_subcommand";
  const words = path.split(" ");
  const below = command.commands.map((one) => one.name());
  const others = words.length > 1 ? [] : [...groups.filter((group) => group !== path), ...below];
  return [
    ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(others.length === 0 ? [] : [`not __fish_seen_subcommand_from ${others.join(" ")}`]),
  ].join("; and ");
}
