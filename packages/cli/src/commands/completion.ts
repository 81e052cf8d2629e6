import { bashCompletion, fishCompletion, zshCompletion } from '../completion/completion.js';
import type { Command } from './command.js';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Returns the command that prints the completion script of a shell, derived from the table of commands. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Prints the completion script of a shell.',
    positionals: [{ name: 'SHELL', oneOf: Object.keys(scripts), about: 'shell' }],
    effect: 'reads',
    async run(session, input) {
      const shell = input.word('SHELL') as keyof typeof scripts;
      await session.output.write(scripts[shell](commands()));
    },
  };
}
