import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from './app-context.js';

const firstDelayMs = 250;
const longestDelayMs = 5000;

/** The stop began before the engine was there. */
export class StoppedWhileWaitingError extends Error {
  override readonly name = 'StoppedWhileWaitingError';
}

/** What an app cannot start without. */
export interface NeededEngine {
  /** As it is called in the log. */
  name: string;
  /** Whether what failed with this error may succeed when it is repeated. */
  mayReturn(error: unknown): boolean;
}

/**
 * Repeats until it succeeds: an app may start before its engines. The delay doubles up to five seconds; each failure
 * is a line in the log that names the engine.
 * @throws StoppedWhileWaitingError; at once whatever the engine does not return from, such as a wrong password.
 */
export async function untilReachable<T>(
  context: Pick<AppContext, 'logger' | 'lifecycle'>,
  engine: NeededEngine,
  attempt: () => Promise<T>,
): Promise<T> {
  const { stopping } = context.lifecycle;
  for (let delay = firstDelayMs; ; delay = Math.min(delay * 2, longestDelayMs)) {
    if (stopping.aborted) throw new StoppedWhileWaitingError(`stopped while waiting for ${engine.name}`);
    try {
      return await attempt();
    } catch (error) {
      if (!engine.mayReturn(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      context.logger.warn({ engine: engine.name, reason, retry_in_ms: delay }, `waiting for ${engine.name}`);
    }
    await sleep(delay, undefined, { signal: stopping }).catch(() => undefined);
  }
}
