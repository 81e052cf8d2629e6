/**
 * Loaded into an app before its own code (`node --import`): when the process that started it is gone, its end of this
 * pipe closes, and the app stops as if asked to. Not part of any app: in production nobody closes the standard input.
 */
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
process.stdin.unref();
