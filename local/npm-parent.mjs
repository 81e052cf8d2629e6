/** Whether npm still runs that started this process: killed, it tells nobody. */
import { clearInterval, setInterval } from 'node:timers';

/** The scripts of package.json that start the system. They `exec` Node, so that npm is its parent. */
const scripts = new Set(['start', 'dev']);

/**
 * Calls `gone` once when the npm that started this process has ended, however it ended. Started by anything else,
 * nothing is watched: a shell may leave behind what it started, under `nohup` for instance.
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
