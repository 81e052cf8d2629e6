import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PartitionCheckpoint } from '#store';
import { createLogger } from '#telemetry';
import type { DeliveryAttempt } from '#features/webhooks';
import { DeliveryOutages } from './delivery-outages.js';

let rows: PartitionCheckpoint[];
let current: Set<string>;
let outages: DeliveryOutages;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  rows = [];
  current = new Set(['job']);
  outages = new DeliveryOutages({
    writer: { save: async (_, progress) => void rows.push(...progress) },
    isCurrent: (job) => current.has(job),
    logger: createLogger({ name: 'test' }, { write: () => undefined }),
    onFailure: (error) => {
      throw error;
    },
    now: Date.now,
  });
});
afterEach(async () => {
  await outages.stop();
  vi.useRealTimers();
});

const url = 'https://one.example/';
const attempted = (outcome: DeliveryAttempt['outcome'], more: Partial<DeliveryAttempt> = {}) =>
  outages.attempted({ sender: 'hooks', job: 'job', url, outcome, seconds: 1, ...more });
const repeated = (answer: string, more: Partial<DeliveryAttempt> = {}) =>
  attempted('repeated', { answer, ...more });
const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
const states = () => rows.map(({ owner, state }) => [owner, state]);

it('given accepted deliveries, nothing is written', async () => {
  for (let i = 0; i < 10; i++) attempted('delivered');
  await wait(60);
  expect(rows).toEqual([]);
});

it('given a receiver that rejects an event permanently, nothing is written: the event is not repeated', async () => {
  attempted('given_up', { answer: 'The receiver answered 400.' });
  await wait(60);
  expect(rows).toEqual([]);
  repeated('The receiver answered 503.');
  attempted('given_up', { answer: 'The receiver answered 400.' });
  await wait(60);
  expect(states()).toEqual([['job', '{"since":1060000000,"answer":"The receiver answered 503."}']]);
});

it('given a receiver that is down, the first failure and the last answer are written until it accepts', async () => {
  repeated('The receiver answered 503.');
  await wait(5);
  repeated('connect ECONNREFUSED');
  repeated('x', { job: 'gone' });
  await wait(5);
  attempted('delivered');
  await wait(5);
  repeated('The receiver answered 500.');
  await wait(5);
  expect(states()).toEqual([
    ['job', '{"since":1000000000,"answer":"The receiver answered 503."}'],
    ['job', '{"since":1000000000,"answer":"connect ECONNREFUSED"}'],
    ['job', ''],
    ['job', '{"since":1015000000,"answer":"The receiver answered 500."}'],
  ]);
  const positions = rows.map(({ next }) => next);
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
});

it('given several receivers, the one that is down for the longest time is written, although others accept', async () => {
  const other = { url: 'https://other.example/' };
  for (let i = 0; i < 3; i++) {
    repeated('down');
    await wait(5);
    attempted('delivered', other);
    repeated('down for a moment', other);
    await wait(5);
  }
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['{"since":1000000000,"answer":"down"}']));
  attempted('delivered');
  await wait(5);
  expect(rows.at(-1)?.state).toBe('{"since":1025000000,"answer":"down for a moment"}');
});

it('given a reset, the new job has no outage of the former one', async () => {
  repeated('down');
  await wait(5);
  current = new Set(['new job']);
  repeated('down');
  repeated('down, too', { job: 'new job' });
  await wait(5);
  expect(states().slice(1)).toEqual([['new job', '{"since":1005000000,"answer":"down, too"}']]);
});

it('given a deleted pipeline, or one without attempts, its outage is forgotten', async () => {
  current = new Set(['deleted', 'paused']);
  repeated('down', { job: 'deleted' });
  repeated('down', { job: 'paused' });
  await wait(5);
  current.delete('deleted');
  await wait(300);
  expect(vi.getTimerCount()).toBe(0);
  current.add('deleted');
  for (const job of ['deleted', 'paused']) repeated('down again', { job });
  await wait(5);
  const again = '{"since":1305000000,"answer":"down again"}';
  expect(states().slice(2)).toEqual([
    ['deleted', again],
    ['paused', again],
  ]);
});
