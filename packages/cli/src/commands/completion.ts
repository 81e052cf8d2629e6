import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import type { Command } from './command.js';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** The command that prints a script for a shell, from the table of all commands. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Prints the script that completes commands and options in a shell.',
    positionals: [{ name: 'SHELL', oneOf: Object.keys(scripts), about: 'shell' }],
    effect: 'reads',
    async run(session, input) {
      const shell = input.word('SHELL') as keyof typeof scripts;
      await session.output.write(scripts[shell](commands()));
    },
  };
}
