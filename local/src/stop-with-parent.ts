/**
 * Loaded into an app before its own code (`node --import`). When the process that started the app has ended, this pipe
 * closes and the app stops as after SIGTERM. Apps in production do not load this file: there the standard input remains
 * open.
 */
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
process.stdin.unref();
