import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PartitionCheckpoint } from '#store';
import { createLogger } from '#telemetry';
import { DeliveryOutages } from './delivery-outages.js';

let rows: PartitionCheckpoint[];
let outages: DeliveryOutages;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  rows = [];
  outages = new DeliveryOutages({
    writer: { save: async (_, progress) => void rows.push(...progress) },
    jobOf: (pipeline) => (pipeline === 'gone' ? undefined : `job of ${pipeline}`),
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

const repeated = (sender: string, answer: string) =>
  outages.attempted({ sender, outcome: 'repeated', seconds: 1, answer });
const delivered = (sender: string) => outages.attempted({ sender, outcome: 'delivered', seconds: 1 });

it('given accepted deliveries, nothing is written', async () => {
  for (let i = 0; i < 10; i++) delivered('hooks');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(rows).toEqual([]);
});

it('given a receiver that rejects an event permanently, nothing is written: the event is not repeated', async () => {
  outages.attempted({
    sender: 'hooks',
    outcome: 'given_up',
    seconds: 1,
    answer: 'The receiver answered 400.',
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(rows).toEqual([]);
});

it('given a receiver that is down, the first failure and the last answer are written until it accepts', async () => {
  repeated('hooks', 'The receiver answered 503.');
  await vi.advanceTimersByTimeAsync(5_000);
  repeated('hooks', 'connect ECONNREFUSED');
  outages.attempted({ sender: 'hooks', outcome: 'given_up', seconds: 1, answer: 'connect ECONNREFUSED' });
  repeated('gone', 'x');
  await vi.advanceTimersByTimeAsync(5_000);
  delivered('hooks');
  await vi.advanceTimersByTimeAsync(5_000);
  repeated('hooks', 'The receiver answered 500.');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(rows.map(({ owner, state }) => [owner, state])).toEqual([
    ['job of hooks', '{"since":1000000000,"answer":"The receiver answered 503."}'],
    ['job of hooks', '{"since":1000000000,"answer":"connect ECONNREFUSED"}'],
    ['job of hooks', ''],
    ['job of hooks', '{"since":1015000000,"answer":"The receiver answered 500."}'],
  ]);
  const positions = rows.map(({ next }) => next);
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
});
