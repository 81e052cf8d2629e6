/** The tools that set-up runs: npm, Maven, the compiler. They end when set-up is ended. */
import { spawn } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { SetupError } from './tools.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** It was asked to end, by Ctrl-C for instance. */
export class InterruptedError extends SetupError {}

const patienceMs = 5_000;
const running = new Set();
let interrupted = false;

/**
 * Runs a tool; what it printed is shown only when it fails. It is a process group of its own: npm and Maven are scripts
 * that start others, and each of them is to hear of the end.
 * @throws InterruptedError when `endTools` was called; SetupError with the end of its output when it fails.
 */
export function runTool(command, args, complaint) {
  return new Promise((resolve, reject) => {
    if (interrupted) return reject(new InterruptedError('Stopped.'));
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    running.add(child);
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => {
      running.delete(child);
      reject(new SetupError(`${complaint}: ${error.message}`));
    });
    child.once('close', (code) => {
      running.delete(child);
      if (interrupted) reject(new InterruptedError('Stopped.'));
      else if (code === 0) resolve();
      else reject(new SetupError(`${complaint}:\n${output.trim().split('\n').slice(-40).join('\n')}`));
    });
  });
}

/** Runs `work`; SIGINT and SIGTERM end the tools that it runs, and it with them, once they are gone. */
export async function interruptible(work) {
  let force;
  const interrupt = () => {
    if (interrupted) return signalTools('SIGKILL');
    interrupted = true;
    console.log('\nStopping ...');
    signalTools('SIGTERM');
    force = setTimeout(() => signalTools('SIGKILL'), patienceMs);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  try {
    const result = await work();
    if (interrupted) throw new InterruptedError('Stopped.');
    return result;
  } finally {
    clearTimeout(force);
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

function signalTools(signal) {
  for (const { pid } of running) {
    try {
      if (pid) process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
