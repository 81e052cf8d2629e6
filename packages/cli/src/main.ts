import { setMaxListeners } from 'node:events';
import { BrokenPipeError, InterruptedError, OutputError } from './errors/cli-error.js';
import { run } from './run.js';

const controller = new AbortController();
// Each event on its way listens to it.
setMaxListeners(0, controller.signal);
const interrupt = () => controller.abort(new InterruptedError('The program was interrupted.'));
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
const closed = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const broken = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
  if (broken) closed.abort(new BrokenPipeError('The output was closed.'));
  else controller.abort(new OutputError(`Standard output cannot be written: ${error.message}`));
});
// Where nobody reads what is said about the work, the work goes on.
process.stderr.on('error', () => undefined);

let opened = false;
process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  stdin: () => {
    opened = true;
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  outputClosed: closed.signal,
});
// What is left of an input that was not read to its end keeps the process no longer.
if (opened) process.stdin.destroy();
