import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import type { ProcessContext } from './process-context.js';
import { ShutdownWhileWaitingError } from './process-lifecycle.js';

const firstDelayMs = 250;
const longestDelayMs = 2000;
const mostCauses = 5;
const longestReason = 300;

/** An engine (Kafka or ClickHouse) that an app waits for at its start. */
interface RequiredEngine {
  /** Name of the engine in the log. */
  name: string;
  /** Returns whether a retry may succeed after this error. */
  mayReturn(error: unknown): boolean;
  /** Milliseconds after which an error ends the wait; unlimited if omitted. */
  patienceMs?: number;
}

/**
 * Repeats `attempt` until it succeeds, so that an app may start before its engines. The delay doubles up to two
 * seconds. The log names the engine and the reason, once for each change of the reason.
 * @throws ShutdownWhileWaitingError; immediately any error after which a retry cannot succeed, such as a wrong password;
 * any error after `patienceMs`
 */
export async function untilReachable<T>(
  context: Pick<ProcessContext, 'logger' | 'lifecycle'>,
  engine: RequiredEngine,
  attempt: () => Promise<T>,
): Promise<T> {
  const { stopping } = context.lifecycle;
  const { name, patienceMs = Infinity } = engine;
  const deadline = performance.now() + patienceMs;
  const backoff = new Backoff(firstDelayMs, longestDelayMs);
  let known = '';
  for (;;) {
    const delay = backoff.next();
    if (stopping.aborted) throw new ShutdownWhileWaitingError(`stopped while waiting for ${name}`);
    try {
      return await attempt();
    } catch (error) {
      if (!engine.mayReturn(error) || performance.now() >= deadline) throw error;
      const reason = reasonOf(error);
      const level = reason === known ? 'debug' : 'warn';
      known = reason;
      context.logger[level]({ engine: name, reason, retry_in_ms: delay }, `waiting for ${name}`);
    }
    await sleep(delay, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Returns the messages of an error and of its causes, without repetitions, in at most 300 characters. */
function reasonOf(error: unknown): string {
  const said: string[] = [];
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < mostCauses; depth++) {
    const { message } = cause;
    if (message && !said.some((before) => before.includes(message))) said.push(message);
    cause = cause.cause;
  }
  return (said.join(': ') || String(error)).slice(0, longestReason);
}
