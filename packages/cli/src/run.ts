import { findCommand, parse, withCommandFirst } from './arguments/parse.js';
import { mostSimilar } from './arguments/similar.js';
import { usage, usageOf } from './arguments/usage.js';
import type { Command } from './commands/command.js';
import { commands } from './commands/index.js';
import { UsageError } from './errors/cli-error.js';
import { exitCodeOf, exitCodes, type ExitCode } from './errors/exit-code.js';
import { messageOf } from './errors/message-of.js';
import { CommandSession } from './session/session.js';
import type { CliProcess } from './session/terminal.js';
import { version } from './version.js';

const quiet: readonly ExitCode[] = [exitCodes.done, exitCodes.interrupted];

/** Runs the command of the arguments and resolves with the exit code. Errors are written to standard error. */
export async function run(called: CliProcess): Promise<ExitCode> {
  const given = { ...called, args: withCommandFirst(commands, called.args) };
  const command = findCommand(commands, given.args);
  const terminal = command && endsWithOutput(command) ? endingWithOutput(given) : given;
  try {
    return (await execute(terminal, command)) ?? exitCodes.done;
  } catch (thrown) {
    const error: unknown = terminal.signal.aborted ? terminal.signal.reason : thrown;
    const code = exitCodeOf(error);
    if (!quiet.includes(code)) terminal.stderr.write(`tributary: ${messageOf(error)}\n`);
    return code;
  }
}

/** Whether the command ends when its output is closed. Others continue: their result is the exit code. */
function endsWithOutput(command: Command): boolean {
  return command.endsWithOutput ?? (command.effect === 'reads' && !command.answersWithCode);
}

function endingWithOutput(terminal: CliProcess): CliProcess {
  const { signal, outputClosed } = terminal;
  return outputClosed ? { ...terminal, signal: AbortSignal.any([signal, outputClosed]) } : terminal;
}

async function execute(terminal: CliProcess, command: Command | undefined): Promise<ExitCode | void> {
  const { args, stdout } = terminal;
  if (args[0] === '--help' || args[0] === '-h' || args[0] === 'help')
    return void stdout.write(usage(commands));
  if (args[0] === '--version') return void stdout.write(`${version}\n`);
  if (!command) throw new UsageError(unknown(args));
  const input = parse(command, args);
  if (input.flag('help')) return void stdout.write(usageOf(command));
  const session = new CommandSession(terminal, input);
  if (command.effect !== 'reads') await session.requireChangeable();
  return command.run(session, input);
}

function unknown(args: readonly string[]): string {
  const [first] = args;
  const what = first === undefined ? 'Which command?' : `There is no command "${first}".`;
  const similar = commands.filter(({ name }) => first !== undefined && name.startsWith(`${first} `));
  const meant = first !== undefined && similar.length === 0 ? meantCommand(args) : undefined;
  if (meant !== undefined) return `${what} Did you mean "${meant}"? See tributary --help.`;
  const named = similar.length > 0 ? similar : commands;
  return `${what} There are:\n  ${named.map(({ name }) => name).join('\n  ')}\nSee tributary --help.`;
}

/** Returns the command whose name is most similar to the first words of the arguments. */
function meantCommand([first = '', second = '']: readonly string[]): string | undefined {
  const names = commands.map(({ name }) => name);
  return mostSimilar(`${first} ${second}`, names) ?? mostSimilar(first, names);
}
