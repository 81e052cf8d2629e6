import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into an app before its own code (`node --import`). When the process that started the app has ended, this pipe
 * closes and the app stops as after SIGTERM. Only local starts load this file: in production, the standard input says
 * nothing about the process that started the app.
 */
// Node.js also imports it into the further threads of an app, which end with their process.
if (isMainThread) {
  process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  process.stdin.unref();
}
