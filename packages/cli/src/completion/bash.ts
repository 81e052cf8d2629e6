import type { CommandSyntax } from '../arguments/options.js';
import { completedOf, firstWords, secondWords, type CommandCompletions } from './words.js';

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
${groups(commands).join('\n')}
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
${commands.map(completedOf).flatMap(choiceCase).join('\n')}
  esac
}
complete -o default -F _tributary tributary
`;
}

/** Returns the shell code that completes the second word of commands with two words. */
function groups(commands: readonly CommandSyntax[]): string[] {
  return firstWords(commands).flatMap((first) => {
    const second = secondWords(commands, first);
    if (second.length === 0) return [];
    const reply = `COMPREPLY=($(compgen -W '${second.join(' ')}' -- "$current")); return`;
    return [
      `    ${first}) if (( COMP_CWORD == 2 )); then ${reply}; fi; command="$command \${COMP_WORDS[2]}";;`,
    ];
  });
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

function choiceCase({ words, choices }: CommandCompletions): string[] {
  if (choices.length === 0) return [];
  const at = words.length + 1;
  const reply = `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current"))`;
  return [`    '${words.join(' ')}') (( COMP_CWORD == ${at} )) && ${reply};;`];
}
