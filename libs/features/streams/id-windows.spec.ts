import { describe, expect, it } from 'vitest';
import { DedupeSettings } from '#dataflow';
import { TopicAndGroupNames } from '#event';
import { LogUnavailableError } from '#kafka';
import { IdWindowDurationReader } from './id-windows.js';

const stream = 'orders#0123456789';
const config = Object.assign(new DedupeSettings(), { DEDUPE_WINDOW_RECORDS: 10, DEDUPE_WINDOW_MINUTES: 60 });

/** Returns a log whose partitions have had this many records per second for an hour. `asked` counts the requests. */
function logOf(perSecond: readonly number[]) {
  const end = 1_000_000;
  const log = {
    asked: 0,
    admin: {
      offsets: async () => perSecond.map((_, partition) => ({ partition, beginning: 0, end })),
      offsetsAt: async (_: string, timestamp: number) => {
        log.asked++;
        const seconds = Math.ceil((Date.now() - timestamp) / 1000 - 0.5);
        return new Map(perSecond.map((rate, partition) => [partition, Math.floor(end - rate * seconds)]));
      },
    },
  };
  return log;
}
const secondsOf = (log: { admin: unknown }, farMinutes = 0) =>
  new IdWindowDurationReader(log as ReturnType<typeof logOf>, new TopicAndGroupNames('spec.'), {
    ...config,
    DEDUPE_FAR_MINUTES: farMinutes,
  }).secondsOf(stream);

describe('the id window of a stream', () => {
  it.each<[string, number[], number]>([
    ['its whole time without records', [0, 0], 3600],
    ['its whole time with few of them', [0.001, 0], 3600],
    ['what its busiest partition has', [0.001, 0.1, 0.01], 100],
    ['nothing where a second brings more than are remembered', [11], 0],
  ])('is %s', async (...row) => {
    const [, perSecond, seconds] = row;
    expect(await secondsOf(logOf(perSecond))).toBe(seconds);
  });

  it.each<[string, number, number]>([
    ['ten minutes at full load', 20_000, 600],
    ['shorter above it', 40_000, 300],
    ['longer with fewer records', 0.01, 1000],
  ])('is, with DEDUPE_FAR_MINUTES, %s', async (_what, perSecond, seconds) => {
    expect(await secondsOf(logOf([perSecond, 0]), 10)).toBe(seconds);
  });

  it('needs one request with few records, and a dozen otherwise', async () => {
    const [quiet, busy] = [logOf([0.001]), logOf([1])];
    await secondsOf(quiet);
    await secondsOf(busy);
    expect([quiet.asked, busy.asked]).toEqual([1, 13]);
  });

  it('is null while Kafka does not answer', async () => {
    const offsetsAt = () => Promise.reject(new LogUnavailableError('down'));
    expect(await secondsOf({ admin: { ...logOf([0]).admin, offsetsAt } })).toBeNull();
    const silent = () => new Promise(() => {});
    expect(await secondsOf({ admin: { ...logOf([0]).admin, offsetsAt: silent } })).toBeNull();
  });
});
