import { globalOptions, type Option, type Positional, type CommandSyntax } from './options.js';
import { optionsOf } from './parse.js';

/** Returns the synopsis: `tributary query [STREAM...] [options]`. */
function synopsis({ name, positionals = [] }: Pick<CommandSyntax, 'name' | 'positionals'>): string {
  return ['tributary', name, ...positionals.map(placeholder), '[options]'].join(' ');
}

/** Returns the output of `tributary COMMAND --help`. */
export function usageOf(command: CommandSyntax): string {
  const own = Object.fromEntries(
    Object.entries(optionsOf(command)).filter(([name]) => !(name in globalOptions)),
  );
  const words = (command.positionals ?? []).map(
    ({ name, about, oneOf }) => [name, about + (oneOf ? `: ${oneOf.join(', ')}` : '')] as const,
  );
  return [
    `${command.summary}\n`,
    `Usage: ${synopsis(command)}\n`,
    ...section('Words', words),
    ...section('Options', Object.entries(own).map(described)),
    ...section('Options of every command', Object.entries(globalOptions).map(described)),
    ...(command.details ? [`${command.details}\n`] : []),
  ].join('\n');
}

/** Returns the output of `tributary --help`. */
export function usage(commands: readonly CommandSyntax[]): string {
  const table = commands.map(({ name, summary }) => [name, summary] as const);
  const help = '`tributary COMMAND --help` shows the options of a command.';
  return ['Usage: tributary COMMAND\n', ...section('Commands', table), `${help}\n`].join('\n');
}

/** Returns the option in its usage: `-o, --output FORM`. */
function optionText(name: string, { short, value }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
}

/** Returns the commands and their options as Markdown. */
export function reference(commands: readonly CommandSyntax[]): string {
  const lines = commands.map((command) => {
    const { options = {} } = command;
    const named = Object.entries(options).map(
      ([name, { value }]) => `\`--${name}${value ? ` ${value}` : ''}\``,
    );
    const words = [command.name, ...(command.positionals ?? []).map(placeholder)].join(' ');
    return `- \`${words}\`: ${lowerFirst(command.summary)}${named.length > 0 ? ` Options: ${named.join(', ')}.` : ''}`;
  });
  return `${lines.join('\n')}\n`;
}

function placeholder({ name, optional, many }: Positional): string {
  const text = many ? `${name}...` : name;
  return optional ? `[${text}]` : text;
}

function described([name, option]: [string, Option]): readonly [string, string] {
  const { about, oneOf, multiple } = option;
  const values = oneOf ? ` (${oneOf.join(', ')})` : '';
  return [optionText(name, option), `${about}${values}${multiple ? '; repeatable' : ''}`];
}

function section(title: string, lines: readonly (readonly [string, string])[]): string[] {
  if (lines.length === 0) return [];
  const width = Math.max(...lines.map(([left]) => left.length));
  return [`${title}:`, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`), ''];
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
