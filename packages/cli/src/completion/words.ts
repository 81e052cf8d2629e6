import { optionsOf } from '../arguments/parse.js';
import type { Option, CommandSyntax } from '../arguments/options.js';

/** The completions of a command: its words, its options and its positional arguments. */
export interface CommandCompletions {
  words: string[];
  options: { name: string; option: Option }[];
  /** The allowed words of the first positional argument, if there is a fixed list. */
  choices: readonly string[];
}

export function completedOf(command: CommandSyntax): CommandCompletions {
  const { name, positionals = [] } = command;
  const options = Object.entries(optionsOf(command)).map(([name, option]) => ({ name, option }));
  return { words: name.split(' '), options, choices: positionals[0]?.oneOf ?? [] };
}

/** Returns the first words of all commands without duplicates. */
export function firstWords(commands: readonly CommandSyntax[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0]!))];
}

/** Returns the second words of all commands with this first word. */
export function secondWords(commands: readonly CommandSyntax[], first: string): string[] {
  return commands.flatMap(({ name }) => {
    const [word, second] = name.split(' ');
    return word === first && second !== undefined ? [second] : [];
  });
}
