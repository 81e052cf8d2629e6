import { setMaxListeners } from 'node:events';
import { BrokenPipeError, InterruptedError } from './errors/cli-error.js';
import { run } from './run.js';

const controller = new AbortController();
// Each event on its way listens to it.
setMaxListeners(0, controller.signal);
const interrupt = () => controller.abort(new InterruptedError('The program was interrupted.'));
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const broken = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
    controller.abort(broken ? new BrokenPipeError('The output was closed.') : error);
  });

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
});
// What is left of an input that was not read to its end keeps the process no longer.
if (opened) process.stdin.destroy();
