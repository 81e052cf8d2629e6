import { UsageError } from '../errors/cli-error.js';
import type { Positional } from './option.js';

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
export function wordsOf(
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

function check({ name, optional, oneOf }: Positional, words: readonly string[]): void {
  if (words.length === 0 && !optional) throw new UsageError(`${name} is missing.`);
  for (const word of words)
    if (oneOf && !oneOf.includes(word))
      throw new UsageError(`${name} is "${word}", but must be one of: ${oneOf.join(', ')}.`);
}
