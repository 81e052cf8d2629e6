import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process that is not confused with a later one that got the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it was started, in whatever words the system has for it. */
  started: string;
}

/** The process with this number, or undefined when there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = (await startedByProc(pid)) ?? (await startedByPs(pid));
  return started ? { pid, started } : undefined;
}

/** Whether this very process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/** Field 22 of /proc/<pid>/stat, in ticks since the machine started; the name before it may hold blanks. */
async function startedByProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; it only waits to be noticed.
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

async function startedByPs(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return undefined;
  const answer = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  return answer?.stdout.trim() || undefined;
}
