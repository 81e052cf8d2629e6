/** Runs the tools of the set-up: npm, Maven and the compiler. The tools are stopped when the set-up is stopped. */
import { spawn } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { oncePerInterrupt } from './interrupt.mjs';
import { SetupError } from './tools.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The user interrupted the set-up, for instance with Ctrl-C. */
export class InterruptedError extends SetupError {}

const patienceMs = 5_000;
const running = new Set();
let interrupted = false;

/**
 * Runs a tool and shows its output only if it fails. The tool gets its own process group, because npm and Maven are
 * scripts that start other processes, and a signal has to reach all of them.
 * @throws InterruptedError if the set-up was interrupted; SetupError with the end of the output if the tool fails.
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

/** Runs `work`. SIGINT and SIGTERM stop its tools; `work` fails with InterruptedError when they have ended. */
export async function interruptible(work) {
  let force;
  const interrupt = oncePerInterrupt(() => {
    if (interrupted) return signalTools('SIGKILL');
    interrupted = true;
    console.log('\nStopping ...');
    signalTools('SIGTERM');
    force = setTimeout(() => signalTools('SIGKILL'), patienceMs);
  });
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
      // The process has already ended.
    }
  }
}
