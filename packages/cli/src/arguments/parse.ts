import { parseArgs } from 'node:util';
import { UsageError } from '../errors/cli-error.js';
import {
  confirmOption,
  globalOptions,
  type Option,
  type Options,
  type Positional,
  type CommandSyntax,
} from './options.js';
import { mostSimilar } from './similar.js';

/** Returns the command with the longest name that the arguments begin with. */
export function findCommand<T extends Pick<CommandSyntax, 'name'>>(
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
  commands: readonly Pick<CommandSyntax, 'name'>[],
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
export function optionsOf({ options, effect }: Pick<CommandSyntax, 'options' | 'effect'>): Options {
  return { ...options, ...(effect === 'destroys' ? confirmOption : {}), ...globalOptions };
}

/** Parses the arguments after the name of the command. @throws UsageError */
export function parse(command: CommandSyntax, args: readonly string[]): ParsedArguments {
  const options = optionsOf(command);
  const { values, positionals } = read(args.slice(command.name.split(' ').length), options);
  for (const [name, value] of Object.entries(values)) checkValue(name, options[name]!, value);
  for (const name of Object.keys(values).filter((name) => options[name]!.instant))
    values[name] = String(values[name]).replace(/^(?=\d+[a-z]$)/, '-');
  if (values.help === true) return new ParsedArguments(new Map(), values);
  return new ParsedArguments(wordsOf(positionals, command.positionals ?? []), values);
}

function read(args: string[], options: Options) {
  const table = Object.entries(options).map(([name, { short, value, multiple }]) => {
    const type = value ? ('string' as const) : ('boolean' as const);
    return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }] as const;
  });
  try {
    const joined = withNegativeValues(args, options);
    return parseArgs({ args: joined, options: Object.fromEntries(table), allowPositionals: true });
  } catch (error) {
    throw new UsageError(complaintOf(error as Error, options));
  }
}

/** Joins `--since -15m` to `--since=-15m`, because `parseArgs` refuses a value that begins with a dash. */
function withNegativeValues(args: readonly string[], options: Options): string[] {
  return args.flatMap((word, i) => {
    const takes = (at: number) => options[/^--(.*)/.exec(args[at] ?? '')?.[1] ?? '']?.value !== undefined;
    const isNegative = (text = '') => /^-\d/.test(text);
    if (takes(i) && isNegative(args[i + 1])) return [`${word}=${args[i + 1]}`];
    return isNegative(word) && takes(i - 1) ? [] : [word];
  });
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

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** The positional arguments and options of a command line, validated against the table of commands. */
export class ParsedArguments {
  constructor(
    private readonly words: ReadonlyMap<string, readonly string[]>,
    private readonly values: Values,
  ) {}

  /** Returns a required positional argument. */
  word(name: string): string {
    return this.optionalWord(name)!;
  }

  optionalWord(name: string): string | undefined {
    return this.allWords(name)[0];
  }

  allWords(name: string): readonly string[] {
    return this.words.get(name) ?? [];
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    return this.values[name] as string | undefined;
  }

  /** Returns the values of a repeatable option; undefined if it is not given. */
  texts(name: string): string[] | undefined {
    return this.values[name] as string[] | undefined;
  }

  whole(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }
}

/** Assigns the words to the command's positional arguments. @throws UsageError */
function wordsOf(
  words: readonly string[],
  positionals: readonly Positional[],
): ReadonlyMap<string, readonly string[]> {
  let rest = words;
  const named = new Map<string, readonly string[]>();
  for (const positional of positionals) {
    const own = positional.many ? rest : rest.slice(0, 1);
    rest = rest.slice(own.length);
    check(positional, own);
    named.set(positional.name, own);
  }
  if (rest.length > 0) throw new UsageError(`"${rest[0]}" is an unexpected argument.`);
  return named;
}

function check({ name, optional, oneOf, also = [] }: Positional, words: readonly string[]): void {
  if (words.length === 0 && !optional) throw new UsageError(`${name} is missing.`);
  for (const word of words)
    if (oneOf && ![...oneOf, ...also].includes(word))
      throw new UsageError(`${name} is "${word}", but must be one of: ${oneOf.join(', ')}.`);
}
