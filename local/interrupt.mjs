/** Recognizes one Ctrl-C that arrives as several signals. */
import { performance } from 'node:perf_hooks';

/**
 * The time within which signals belong to the same Ctrl-C. The terminal sends SIGINT to npm and to this process, and npm
 * forwards its own to this process some milliseconds later.
 */
const sameMs = 1000;

/** Returns a function that calls `interrupted` for the first signal of each Ctrl-C, and ignores the others. */
export function oncePerInterrupt(interrupted, { now = () => performance.now() } = {}) {
  let first = -Infinity;
  return () => {
    if (now() - first < sameMs) return;
    first = now();
    interrupted();
  };
}
