/**
 * Loaded into an app before its own code (`node --import`). When the process that started the app has ended, this pipe
 * closes and the app stops as after SIGTERM. Only local starts load this file: in production, the standard input says
 * nothing about the process that started the app.
 */
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
process.stdin.unref();
