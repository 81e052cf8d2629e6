import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** Bytes of memory that a thread is given besides its two state caches: its heap, id windows and fetched records. */
const threadBytes = 512 * 1024 ** 2;

/**
 * Returns the number of threads that this machine or container has processors and memory for, at least 1. In a container
 * with a limit, that is the limit of its cgroup (version 2), which Node.js 20 does not read.
 */
export function mostThreads(
  cachedBytes: number,
  processors = Math.min(availableParallelism(), limitOf(cpuMax())),
  bytes = Math.min(process.constrainedMemory() || Infinity, totalmem()),
): number {
  return Math.max(1, Math.min(Math.ceil(processors), Math.floor(bytes / (threadBytes + 2 * cachedBytes))));
}

/**
 * Returns the processors that `cpu.max` allows: microseconds of processor time in each period of microseconds, or `max`.
 */
export function limitOf(cpuMax: string): number {
  const [quota, period] = cpuMax.trim().split(' ').map(Number);
  return quota && period ? quota / period : Infinity;
}

function cpuMax(): string {
  try {
    return readFileSync('/sys/fs/cgroup/cpu.max', 'utf8');
  } catch {
    // Not Linux, no container, or cgroups of version 1.
    return 'max';
  }
}
