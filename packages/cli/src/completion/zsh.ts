import type { CommandSyntax } from '../arguments/options.js';
import { completedOf, firstWords, secondWords, type CommandCompletions } from './words.js';

/** Returns the completion script for zsh. */
export function zshCompletion(commands: readonly CommandSyntax[]): string {
  return `#compdef tributary
# Completion of tributary for zsh: tributary completion zsh > "\${fpath[1]}/_tributary"
_tributary() {
  local -a choices
  local command=$words[2] skip=1
  if (( CURRENT == 2 )); then
    choices=(${firstWords(commands).map(quoted).join(' ')})
    _describe command choices; return
  fi
  case $command in
${groups(commands).join('\n')}
  esac
  words=("\${(@)words[skip + 1, -1]}"); (( CURRENT -= skip ))
  case $command in
${commands.map(completedOf).map(argumentsCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = _tributary ]; then _tributary "$@"; else compdef _tributary tributary; fi
`;
}

function groups(commands: readonly CommandSyntax[]): string[] {
  return firstWords(commands).flatMap((first) => {
    const second = secondWords(commands, first);
    if (second.length === 0) return [];
    const describe = `choices=(${second.map(quoted).join(' ')}); _describe command choices; return`;
    return [
      `    ${first}) if (( CURRENT == 3 )); then ${describe}; fi; command="$command $words[3]"; skip=2;;`,
    ];
  });
}

function argumentsCase({ words, options, choices }: CommandCompletions): string {
  const specs = options.flatMap(({ name, option }) => {
    const { about, value, multiple, oneOf, short, completes } = option;
    const values = oneOf ? `(${oneOf.join(' ')})` : completes === 'file' ? '_files' : '';
    const text = `[${about.replaceAll(/[[\]:]/g, '\\$&')}]${value ? `:${value}:${values}` : ''}`;
    const names = [`--${name}`, ...(short ? [`-${short}`] : [])];
    return names.map((flag) => quoted(`${multiple ? '*' : ''}${flag}${text}`));
  });
  const first = choices.length > 0 ? [quoted(`1:kind:(${choices.join(' ')})`)] : [];
  return `    ${quoted(words.join(' '))}) _arguments ${[...specs, ...first, quoted('*:word:_files')].join(' ')};;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
