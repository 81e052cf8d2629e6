import { beforeEach, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { UnknownTopicError } from '#kafka';
import { createLogger } from '#telemetry';
import { MaterializedOffsetReader } from './materialized-offset.js';
import { KafkaOrClickHouseRetrier } from './retry.js';

const place = { topic: 't', partition: 0, until: 3 };
const { signal } = new AbortController();
let stored: number | undefined;
let materialized: MaterializedOffsetReader;

beforeEach(() => {
  stored = 0;
  materialized = new MaterializedOffsetReader({
    admin: {
      committed: async () => {
        if (stored === undefined) throw new UnknownTopicError('t');
        return new Map([[0, stored++]]);
      },
    },
    ...{ topics: new TopicAndGroupNames('test.'), lookMs: 1 },
    retry: new KafkaOrClickHouseRetrier({ logger: createLogger({ name: 'test', level: 'silent' }) }),
  });
});

it('waits until all records below an offset are stored', async () => {
  expect(await materialized.reaches(place, signal)).toBe(true);
  expect(stored).toBe(4);
});

it('does not wait for a deleted topic, and stops when the caller no longer waits', async () => {
  expect(await materialized.reaches(place, signal, () => false)).toBe(false);
  stored = undefined;
  expect(await materialized.reaches(place, signal)).toBe(false);
  expect(await materialized.of(place, signal)).toBeUndefined();
});

it('rejects when the signal is aborted', async () => {
  const ended = new AbortController();
  const waiting = materialized.reaches({ ...place, until: 1e9 }, ended.signal);
  ended.abort();
  await expect(waiting).rejects.toThrow();
});
