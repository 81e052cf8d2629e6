import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs one of the benchmark's programs in a new process and resolves with the message that it sends.
 * @throws if it ends without a message, or takes longer than the limit; default: ten minutes
 */
export function runChild<T>(program: string, job: unknown, limitMs = 600_000): Promise<T> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = fork(file, [JSON.stringify(job)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  return new Promise<T>((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${program} ended without a result (${signal ?? code})`));
    });
  });
}
