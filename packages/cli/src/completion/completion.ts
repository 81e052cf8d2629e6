import { optionsOf } from '../arguments/parse.js';
import type { CommandSyntax, Option, Positional } from '../arguments/options.js';

/** The completions of a command: its words, its options and its positional arguments. */
interface CommandCompletions {
  words: string[];
  options: { name: string; option: Option }[];
  positionals: readonly Positional[];
}

function completedOf(command: CommandSyntax): CommandCompletions {
  const { name, positionals = [] } = command;
  const options = Object.entries(optionsOf(command)).map(([name, option]) => ({ name, option }));
  return { words: name.split(' '), options, positionals };
}

/**
 * Returns the shell command that lists the names of definitions of a kind, for bash, zsh and fish. Without an answer of the
 * system within two seconds it lists none. Bash expands words that it completes, so the command lists no name with special characters.
 */
function namesOf(kind: string): string {
  return `TRIBUTARY_TIMEOUT_MS=2000 tributary get ${kind} -o csv 2>/dev/null | cut -d, -f1 | tail -n +2 | grep -Ex '[A-Za-z0-9._-]+'`;
}

/** Returns the first words of all commands without duplicates. */
function firstWords(commands: readonly CommandSyntax[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
}

/** Maps each first word that has second words, such as `profile`, with these second words. */
function mapGroups(
  commands: readonly CommandSyntax[],
  map: (first: string, second: string[]) => string,
): string[] {
  return firstWords(commands).flatMap((first) => {
    const group = commands.map(({ name }) => name.split(' ')).filter(([word]) => word === first);
    const second = group.flatMap(([, word]) => word ?? []);
    return second.length === 0 ? [] : [map(first, second)];
  });
}

/** Returns the completion script for bash. */
export function bashCompletion(commands: readonly CommandSyntax[]): string {
  return `# Completion of tributary for bash: source <(tributary completion bash)
_tributary() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '${firstWords(commands).join(' ')}' -- "$current")); return
  fi
  case $command in
${mapGroups(commands, bashGroup).join('\n')}
  esac
  case "$command $previous" in
${commands.map(completedOf).flatMap(valueCases).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $command in
${commands.map(completedOf).map(optionCase).join('\n')}
    esac
    return
  fi
  case $command in
${commands.map(completedOf).flatMap(positionalCases).join('\n')}
  esac
}
complete -o default -F _tributary tributary
`;
}

/** Returns the shell code that completes the second word of commands with two words. */
function bashGroup(first: string, second: readonly string[]): string {
  const reply = `COMPREPLY=($(compgen -W '${second.join(' ')}' -- "$current")); return`;
  return `    ${first}) if (( COMP_CWORD == 2 )); then ${reply}; fi; command="$command \${COMP_WORDS[2]}";;`;
}

function valueCases({ words, options }: CommandCompletions): string[] {
  return options.flatMap(({ name, option: { oneOf, short, completes } }) => {
    const patterns = [`--${name}`, ...(short ? [`-${short}`] : [])].map(
      (flag) => `'${words.join(' ')} ${flag}'`,
    );
    const reply = oneOf ? `compgen -W '${oneOf.join(' ')}'` : completes === 'file' ? 'compgen -f' : undefined;
    const profiles = `compgen -W "$(tributary profile list -o csv 2>/dev/null | tail -n +2 | cut -d, -f1)"`;
    const made = completes === 'profile' ? profiles : reply;
    return made ? [`    ${patterns.join('|')}) COMPREPLY=($(${made} -- "$current")); return;;`] : [];
  });
}

function optionCase({ words, options }: CommandCompletions): string {
  const names = options.map(({ name }) => `--${name}`).join(' ');
  return `      '${words.join(' ')}') COMPREPLY=($(compgen -W '${names}' -- "$current"));;`;
}

function positionalCases({ words, positionals }: CommandCompletions): string[] {
  const cases = positionals.flatMap(({ oneOf, completes, many }, i) => {
    const at = words.length + 1 + i;
    const kind = completes === 'kind' ? `"\${COMP_WORDS[${at - 1}]}"` : completes;
    const list = oneOf ? `'${oneOf.join(' ')}'` : kind && `"$(${namesOf(kind)})"`;
    const reply = `COMPREPLY=($(compgen -W ${list} -- "$current"))`;
    return list ? [`(( COMP_CWORD ${many ? '>=' : '=='} ${at} )) && ${reply}`] : [];
  });
  return cases.length === 0 ? [] : [`    '${words.join(' ')}') ${cases.join('; ')};;`];
}

/** Returns the completion script for zsh. */
export function zshCompletion(commands: readonly CommandSyntax[]): string {
  return `#compdef tributary
# Completion of tributary for zsh: tributary completion zsh > "\${fpath[1]}/_tributary"
_tributary_names() { compadd -- \${(f)"$(${namesOf('$1')})"} }
_tributary() {
  local -a choices
  local command=$words[2] skip=1
  if (( CURRENT == 2 )); then
    choices=(${firstWords(commands).map(quotedForZsh).join(' ')})
    _describe command choices; return
  fi
  case $command in
${mapGroups(commands, zshGroup).join('\n')}
  esac
  words=("\${(@)words[skip + 1, -1]}"); (( CURRENT -= skip ))
  case $command in
${commands.map(completedOf).map(argumentsCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = _tributary ]; then _tributary "$@"; else compdef _tributary tributary; fi
`;
}

function zshGroup(first: string, second: readonly string[]): string {
  const describe = `choices=(${second.map(quotedForZsh).join(' ')}); _describe command choices; return`;
  return `    ${first}) if (( CURRENT == 3 )); then ${describe}; fi; command="$command $words[3]"; skip=2;;`;
}

function argumentsCase({ words, options, positionals }: CommandCompletions): string {
  const specs = options.flatMap(({ name, option }) => {
    const { about, value, multiple, oneOf, short, completes } = option;
    const values = oneOf ? `(${oneOf.join(' ')})` : completes === 'file' ? '_files' : '';
    const text = `[${about.replaceAll(/[[\]:]/g, '\\$&')}]${value ? `:${value}:${values}` : ''}`;
    const names = [`--${name}`, ...(short ? [`-${short}`] : [])];
    return names.map((flag) => quotedForZsh(`${multiple ? '*' : ''}${flag}${text}`));
  });
  const arguments_ = positionals.flatMap(({ name, oneOf, completes, many }, i) => {
    const kind = completes === 'kind' ? '$words[2]' : completes;
    // Without the space, zsh would add arguments of its own to the function.
    const action = oneOf ? `(${oneOf.join(' ')})` : kind && ` _tributary_names ${kind}`;
    return action ? [quotedForZsh(`${many ? '*' : i + 1}:${name}:${action}`)] : [];
  });
  const rest = positionals.some(({ many, completes }) => many && completes)
    ? []
    : [quotedForZsh('*:word:_files')];
  return `    ${quotedForZsh(words.join(' '))}) _arguments ${[...specs, ...arguments_, ...rest].join(' ')};;`;
}

function quotedForZsh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the completion script for fish. */
export function fishCompletion(commands: readonly CommandSyntax[]): string {
  const summaryOf = (word: string) => commands.find(({ name }) => name === word)?.summary ?? '';
  return [
    '# Completion of tributary for fish: tributary completion fish | source',
    'complete -c tributary -f',
    ...firstWords(commands).map((word) =>
      line({ when: '__fish_use_subcommand', choices: word, about: summaryOf(word) }),
    ),
    ...mapGroups(commands, fishGroup),
    ...commands.map(completedOf).flatMap(commandLines),
    '',
  ].join('\n');
}

function fishGroup(first: string, second: readonly string[]): string {
  const none = `not __fish_seen_subcommand_from ${second.join(' ')}`;
  return line({ when: `${seen([first])}; and ${none}`, choices: second.join(' ') });
}

function commandLines({ words, options, positionals }: CommandCompletions): string[] {
  const when = seen(words);
  const lines = options.map(({ name, option: { about, value, short, oneOf, completes } }) =>
    [
      `complete -c tributary -n ${quotedForFish(when)} -l ${name}`,
      ...(short ? [`-s ${short}`] : []),
      ...(value ? [completes === 'file' ? '-r -F' : '-x'] : []),
      ...(oneOf ? [`-a ${quotedForFish(oneOf.join(' '))}`] : []),
      `-d ${quotedForFish(about)}`,
    ].join(' '),
  );
  const arguments_ = positionals.flatMap(({ oneOf, completes, many }, i) => {
    const kind = completes === 'kind' ? `(commandline -opc)[${words.length + 1 + i}]` : completes;
    const choices = oneOf?.join(' ') ?? (kind && `(${namesOf(kind)})`);
    const isNext = `test (count (commandline -opc)) ${many ? '-ge' : '-eq'} ${words.length + 1 + i}`;
    return choices ? [line({ when: `${when}; and ${isNext}`, choices })] : [];
  });
  return [...lines, ...arguments_];
}

function seen(words: readonly string[]): string {
  return words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
}

function line({ when, choices, about }: { when: string; choices: string; about?: string }): string {
  const described = about ? ` -d ${quotedForFish(about)}` : '';
  return `complete -c tributary -n ${quotedForFish(when)} -a ${quotedForFish(choices)}${described}`;
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
