import { parseArgs } from 'node:util';
import type { Command } from '../commands/command.js';
import { UsageError } from '../errors/cli-error.js';
import { confirmOption, globalOptions } from './global-options.js';
import { ParsedArguments, wordsOf } from './parsed-arguments.js';
import type { Option, Options } from './option.js';
import { mostSimilar } from './similar.js';

/** Returns the command with the longest name that the arguments begin with. */
export function findCommand<T extends Pick<Command, 'name'>>(
  commands: readonly T[],
  args: readonly string[],
): T | undefined {
  const fits = ({ name }: T) => name.split(' ').every((word, i) => args[i] === word);
  return commands.filter(fits).toSorted((a, b) => b.name.length - a.name.length)[0];
}

/**
 * Moves options of every command that precede the command behind its name: `--url X query` becomes `query --url X`. An
 * unknown option remains where it is.
 */
export function withCommandFirst(
  commands: readonly Pick<Command, 'name'>[],
  args: readonly string[],
): string[] {
  let end = 0;
  for (let width = widthOfOption(args[end]); width > 0; width = widthOfOption(args[end])) end += width;
  const [leading, rest] = [args.slice(0, end), args.slice(end)];
  const words = findCommand(commands, rest)?.name.split(' ').length ?? rest.length;
  return [...rest.slice(0, words), ...leading, ...rest.slice(words)];
}

/** Returns the number of words of an option of every command with its value; 0 for any other word. */
function widthOfOption(word = ''): number {
  const [, long, value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
  const [, short, attached] = /^-(\w)(.+)?$/s.exec(word) ?? [];
  const option = Object.entries(globalOptions).find(
    ([name, option]) => name === long || (short !== undefined && option.short === short),
  )?.[1];
  if (!option) return 0;
  return option.value === undefined || value !== undefined || attached !== undefined ? 1 : 2;
}

/** Returns all options of a command: its own and the global ones. */
export function optionsOf({ options, effect }: Pick<Command, 'options' | 'effect'>): Options {
  return { ...options, ...(effect === 'destroys' ? confirmOption : {}), ...globalOptions };
}

/** Parses the arguments after the name of the command. @throws UsageError */
export function parse(command: Command, args: readonly string[]): ParsedArguments {
  const options = optionsOf(command);
  const { values, positionals } = read(args.slice(command.name.split(' ').length), options);
  for (const [name, value] of Object.entries(values)) checkValue(name, options[name]!, value);
  if (values.help === true) return new ParsedArguments(new Map(), values);
  return new ParsedArguments(wordsOf(positionals, command.positionals ?? []), values);
}

function read(args: string[], options: Options) {
  const table = Object.entries(options).map(([name, { short, value, multiple }]) => {
    const type = value ? ('string' as const) : ('boolean' as const);
    return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }] as const;
  });
  try {
    return parseArgs({ args, options: Object.fromEntries(table), allowPositionals: true });
  } catch (error) {
    throw new UsageError(complaintOf(error as Error, options));
  }
}

/** Returns the first sentence of the error of `parseArgs`, and the option that an unknown one may mean. */
function complaintOf({ message }: Error, options: Options): string {
  const complaint = message.split('. ')[0]!.replace(/\.?$/, '.');
  const unknown = /^Unknown option '--([^']+)'/.exec(complaint)?.[1];
  const similar = unknown === undefined ? undefined : mostSimilar(unknown, Object.keys(options));
  return similar === undefined ? complaint : `${complaint} Did you mean --${similar}?`;
}

function checkValue(name: string, { oneOf, least }: Option, value: unknown): void {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (oneOf && !oneOf.includes(one as string))
      throw new UsageError(`--${name} is "${String(one)}", but must be one of: ${oneOf.join(', ')}.`);
    if (least !== undefined && !(/^\d{1,15}$/.test(one as string) && Number(one) >= least))
      throw new UsageError(`--${name} is "${String(one)}", but must be a whole number of at least ${least}.`);
  }
}
