import type { Command } from '../commands/command.js';
import { optionsOf } from '../arguments/parse.js';
import type { Option } from '../arguments/option.js';

/** What a shell completes: a command, its options and the words that it takes. */
export interface Completed {
  words: string[];
  summary: string;
  options: { name: string; option: Option }[];
  /** Words of its first positional, where they are known. */
  choices: readonly string[];
}

export function completedOf(command: Command): Completed {
  const { name, summary, positionals = [] } = command;
  const options = Object.entries(optionsOf(command)).map(([name, option]) => ({ name, option }));
  return { words: name.split(' '), summary, options, choices: positionals[0]?.oneOf ?? [] };
}

/** The first words of the commands, each once. */
export function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
}

/** The second words of the commands that begin with this one. */
export function secondWords(commands: readonly Command[], first: string): string[] {
  return commands.flatMap(({ name }) => {
    const [word, second] = name.split(' ');
    return word === first && second !== undefined ? [second] : [];
  });
}
