import { LogUnavailableError } from '#kafka';
import { NonRetryableStoreError, RowsRejectedError, StoreUnavailableError } from '#store';
import { createLogger } from '#telemetry';
import { describe, expect, it } from 'vitest';
import { KafkaOrClickHouseRetrier } from './retry.js';

function retryWithLog() {
  const lines: { engine?: string; level: string }[] = [];
  const logger = createLogger(
    { name: 'test' },
    { write: (line: string) => void lines.push(JSON.parse(line) as never) },
  );
  let attempts = 0;
  const retry = new KafkaOrClickHouseRetrier({
    logger,
    failedAttempt: () => attempts++,
    firstDelayMs: 1,
    longestDelayMs: 4,
  });
  return { retry, lines, attempts: () => attempts };
}

const failing = (times: number, error: Error) => {
  let calls = 0;
  return async () => {
    if (calls++ < times) throw error;
    return calls;
  };
};
const never = new AbortController().signal;

describe('Retry', () => {
  it('retries until the engine answers, and logs once that it is unavailable and once that it is available', async () => {
    const { retry, lines, attempts } = retryWithLog();
    expect(await retry.run('store', never, failing(7, new StoreUnavailableError('down')))).toBe(8);
    expect(lines.map(({ level, engine }) => [level, engine])).toEqual([
      ['warn', 'store'],
      ['info', 'store'],
    ]);
    expect(attempts()).toBe(7);
  });

  it('retries calls to the log, too', async () => {
    const { retry } = retryWithLog();
    expect(await retry.run('log', never, failing(1, new LogUnavailableError('down')))).toBe(2);
  });

  it.each([new RowsRejectedError('bad row'), new NonRetryableStoreError('wrong password')])(
    'does not retry after an error that a retry cannot solve: $message',
    async (refused) => {
      const { retry } = retryWithLog();
      await expect(retry.run('store', never, failing(1, refused))).rejects.toBe(refused);
    },
  );

  it('ends when its signal is aborted', async () => {
    const { retry } = retryWithLog();
    const stop = new AbortController();
    const waiting = retry.run('store', stop.signal, failing(Infinity, new StoreUnavailableError('down')));
    setTimeout(() => stop.abort(), 10);
    await expect(waiting).rejects.toThrow('abort');
  });

  it('has the reason of a waiting call, as long as any call waits', async () => {
    const { retry, lines } = retryWithLog();
    const stop = new AbortController();
    expect(retry.complaint).toBeUndefined();
    const stuck = retry.run(
      'store',
      stop.signal,
      failing(Infinity, new StoreUnavailableError('no such table')),
    );
    await retry.run('store', never, failing(2, new StoreUnavailableError('busy')));
    expect(retry.complaint).toBe('store: no such table');
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    stop.abort();
    await expect(stuck).rejects.toThrow('abort');
    expect(retry.complaint).toBeUndefined();
  });
});
