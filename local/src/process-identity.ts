import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Identifies a process, even if a later process reuses its id. */
export interface ProcessIdentity {
  pid: number;
  /** The start time in the system's own format. */
  started: string;
}

/** Returns the process with this id, or undefined if there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = (await startedByProc(pid)) ?? (await startedByPs(pid));
  return started ? { pid, started } : undefined;
}

/** Whether exactly this process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/** Returns field 22 of /proc/<pid>/stat, the start in ticks since the boot; the name before it may contain spaces. */
async function startedByProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; its parent has not read its exit status yet.
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

async function startedByPs(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return undefined;
  const answer = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  return answer?.stdout.trim() || undefined;
}
