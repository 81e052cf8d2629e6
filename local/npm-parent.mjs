/** Detects the end of the npm process that started this process. A killed npm does not notify its children. */
import { clearInterval, setInterval } from 'node:timers';

/** The scripts of package.json that start the system. The scripts `exec` Node, so npm is the parent process. */
const scripts = new Set(['start', 'dev']);

/**
 * Calls `gone` once when the npm process that started this process has ended for any reason.
 * Does nothing if another program started this process: a shell may end and leave its processes running, for instance
 * with `nohup`.
 */
export function whenNpmEnds(gone, { env = process.env, everyMs = 500 } = {}) {
  if (!scripts.has(env.npm_lifecycle_event)) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    gone();
  }, everyMs);
  timer.unref();
}
