import { setMaxListeners } from 'node:events';
import { BrokenPipeError, InterruptedError, OutputError } from './errors/cli-error.js';
import { run } from './run.js';

const controller = new AbortController();
// Each request in flight adds a listener.
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
// A command continues even if standard error is closed.
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
// Input that was not read to its end would keep the process running.
if (opened) process.stdin.destroy();
