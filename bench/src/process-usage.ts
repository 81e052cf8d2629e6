import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Resident memory and consumed processor time of a process, read from `/proc` if it exists, otherwise from `ps`. */
interface ProcessUsage {
  /** Resident memory in bytes. */
  rss: number;
  /** Seconds of processor time since the start, user and system. */
  cpuSeconds: number;
}

/** `USER_HZ`: 100 ticks per second on every Linux that Node supports. */
const ticksPerSecond = 100;
const hasProc = existsSync('/proc/self/stat');

export function usageOf(pid: number): ProcessUsage {
  return hasProc ? usageFromProc(pid) : usageFromPs(pid);
}

function usageFromProc(pid: number): ProcessUsage {
  // The name may contain spaces and brackets; the fields from number 3 follow its last bracket.
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return {
    rss: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
  };
}

function usageFromPs(pid: number): ProcessUsage {
  const text = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const [rss = '0', time = '0'] = text.split(/\s+/);
  const cpuSeconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0);
  return { rss: Number(rss) * 1024, cpuSeconds };
}

/** Returns the number of open file descriptors, or NaN if they cannot be counted. */
export function openFiles(pid: number): number {
  return hasProc ? readdirSync(`/proc/${pid}/fd`).length : NaN;
}
