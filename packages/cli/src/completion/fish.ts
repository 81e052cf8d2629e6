import type { CommandSyntax } from '../arguments/options.js';
import { completedOf, firstWords, secondWords, type CommandCompletions } from './words.js';

/** Returns the completion script for fish. */
export function fishCompletion(commands: readonly CommandSyntax[]): string {
  const first = firstWords(commands);
  const summaries = first.map((word) => commands.find(({ name }) => name === word)?.summary ?? '');
  return [
    '# Completion of tributary for fish: tributary completion fish | source',
    'complete -c tributary -f',
    ...first.map((word, i) => line({ when: '__fish_use_subcommand', choices: word, about: summaries[i]! })),
    ...first.flatMap((word) => secondLine(commands, word)),
    ...commands.map(completedOf).flatMap(commandLines),
    '',
  ].join('\n');
}

function secondLine(commands: readonly CommandSyntax[], first: string): string[] {
  const second = secondWords(commands, first);
  const none = `not __fish_seen_subcommand_from ${second.join(' ')}`;
  return second.length === 0
    ? []
    : [line({ when: `${seen([first])}; and ${none}`, choices: second.join(' ') })];
}

function commandLines({ words, options, choices }: CommandCompletions): string[] {
  const when = seen(words);
  const lines = options.map(({ name, option: { about, value, short, oneOf, completes } }) =>
    [
      `complete -c tributary -n ${quoted(when)} -l ${name}`,
      ...(short ? [`-s ${short}`] : []),
      ...(value ? [completes === 'file' ? '-r -F' : '-x'] : []),
      ...(oneOf ? [`-a ${quoted(oneOf.join(' '))}`] : []),
      `-d ${quoted(about)}`,
    ].join(' '),
  );
  return [...lines, ...(choices.length > 0 ? [line({ when, choices: choices.join(' ') })] : [])];
}

function seen(words: readonly string[]): string {
  return words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
}

function line({ when, choices, about }: { when: string; choices: string; about?: string }): string {
  const described = about ? ` -d ${quoted(about)}` : '';
  return `complete -c tributary -n ${quoted(when)} -a ${quoted(choices)}${described}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
