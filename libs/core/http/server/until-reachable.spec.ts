import { createLogger } from '#telemetry';
import { describe, expect, it, vi } from 'vitest';
import { ShutdownWhileWaitingError } from './process-lifecycle.js';
import { untilReachable } from './until-reachable.js';

class AwayError extends Error {}

const engine = { name: 'the engine', mayReturn: (error: unknown) => error instanceof AwayError };

function contextOf() {
  const lines: { engine?: string; reason?: string; msg: string }[] = [];
  const logger = createLogger(
    { name: 'test' },
    { write: (line: string) => void lines.push(JSON.parse(line) as never) },
  );
  const stop = new AbortController();
  const context = { logger, lifecycle: { stopping: stop.signal } } as Parameters<typeof untilReachable>[0];
  return { context, lines, stop };
}

describe('untilReachable', () => {
  it('retries while the engine is unavailable, and logs its name', async () => {
    const { context, lines } = contextOf();
    let calls = 0;
    const attempt = async () => {
      if (++calls < 2) throw new AwayError('not there');
      return calls;
    };
    expect(await untilReachable(context, engine, attempt)).toBe(2);
    expect(lines).toMatchObject([{ engine: 'the engine', msg: 'waiting for the engine' }]);
  });

  it('logs the reason with its causes, and logs again only when the reason changes', async () => {
    const { context, lines } = contextOf();
    const refused = new AwayError('asking it: refused', {
      cause: new Error('refused', { cause: new Error('code 7') }),
    });
    const errors = [refused, refused, new AwayError('no answer')];
    const attempt = async () => {
      const error = errors.shift();
      if (error) throw error;
    };
    await untilReachable(context, engine, attempt);
    expect(lines.map(({ reason }) => reason)).toEqual(['asking it: refused: code 7', 'no answer']);
  });

  it('does not retry after an error that a retry cannot solve', async () => {
    const { context, lines } = contextOf();
    const wrong = new Error('wrong password');
    await expect(untilReachable(context, engine, () => Promise.reject(wrong))).rejects.toBe(wrong);
    expect(lines).toEqual([]);
  });

  it('throws the last error when its patience is over', async () => {
    const { context } = contextOf();
    const patienceMs = 10_000;
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const errors: AwayError[] = [];
    const attempt = () => {
      errors.push(new AwayError('not there'));
      // The second attempt ends a moment before the patience does, the third one when it is over.
      now += [0, patienceMs - 1, 1][errors.length - 1] ?? 0;
      return Promise.reject(errors.at(-1)!);
    };
    const reached = untilReachable(context, { ...engine, patienceMs }, attempt);
    const error: unknown = await reached
      .catch((thrown: unknown) => thrown)
      .finally(() => clock.mockRestore());
    expect(errors).toHaveLength(3);
    expect(error).toBe(errors[2]);
  });

  it('ends when the app shuts down', async () => {
    const { context, stop } = contextOf();
    const waiting = untilReachable(context, engine, () => Promise.reject(new AwayError('not there')));
    stop.abort();
    await expect(waiting).rejects.toBeInstanceOf(ShutdownWhileWaitingError);
  });
});
