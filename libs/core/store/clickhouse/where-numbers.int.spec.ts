import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { parseTime } from '#json';
import type { StoredEvent } from '#event';
import {
  compileCondition,
  InvalidCelExpressionError,
  parseCondition,
  UntranslatableExpressionError,
} from '#cel';
import { eventValue, storedEventVariable } from '#dataflow';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import type { EventRow } from '../store.js';
import { randomConditions, randomData } from './random-where.fixture.js';
import { openTestStore, type TestStore } from './test-store.js';
import fc from 'fast-check';

const events = 120;
const conditions = 60;

/**
 * Queries and evaluated expressions use one arithmetic: a query finds exactly the events that a pipeline or a
 * live stream accepts.
 */
describe('a where condition on numbers in ClickHouse', () => {
  let test: TestStore;
  let stored: StoredEvent[];
  const stream = `numbers-${randomUUID()}`;

  beforeAll(async () => {
    test = await openTestStore();
    const rows = fc.sample(randomData, events).map((data, offset): EventRow => ({
      stream,
      partition: 0,
      offset,
      event_id: randomUUID(),
      event_type: 'number',
      entity_id: null,
      version: offset % 3 === 0 ? null : offset,
      timestamp: parseTime('1970-01-01T00:00:01.5Z') as number,
      ingested_at: parseTime('2026-11-21T04:00:01Z') as number,
      schema_version: null,
      metadata: '{}',
      data,
    }));
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), 'numbers');
    stored = await find('true');
    expect(stored).toHaveLength(events);
  });
  afterAll(() => test.close());

  const find = async (text: string): Promise<StoredEvent[]> => {
    const query = { access: allStreams, streams: [stream], order: 'asc', limit: 1000 } as const;
    return (await test.store.reader.query({ ...query, where: parseCondition(text, storedEventVariable) }))
      .items;
  };
  const matched = (text: string): string[] => {
    const run = compileCondition(parseCondition(text, storedEventVariable), storedEventVariable);
    return stored.filter((event) => run(eventValue(event))).map(({ data }) => data);
  };

  it('matches the events for which the evaluated expression is true, for random expressions and numbers', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(randomConditions, async (text) => {
        if (!isCondition(text)) return;
        const found = await find(text).catch((error: unknown) => {
          if (error instanceof UntranslatableExpressionError) return undefined;
          throw error;
        });
        if (!found) return;
        compared++;
        expect(found.map(({ data }) => data)).toEqual(matched(text));
      }),
      { numRuns: conditions, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(conditions / 2);
  });

  it.each([
    'event.data.a + event.data.b == 0.3',
    'event.data.a + 0 < 9007199254740993',
    'event.data.a * event.data.b == event.data.b * event.data.a',
    'event.data.a / event.data.b * event.data.b != event.data.a',
    'event.data.a % event.data.b == event.data.a - event.data.b * int(event.data.a / event.data.b)',
    'event.data.a == event.data.b',
    'event.data.a < event.data.b',
    'double(event.data.a) == event.data.a',
    'string(event.data.a) == "0.3"',
    'int(event.data.a) == event.data.a',
    '!(1 in event.data.l)',
    '!("x" in event.data.l)',
    'event.data.a in [event.data.b, event.data.c]',
  ])('%s: matches the events for which the evaluated expression is true', async (text) => {
    expect((await find(text)).map(({ data }) => data)).toEqual(matched(text));
  });
});

function isCondition(text: string): boolean {
  try {
    parseCondition(text, storedEventVariable);
    return true;
  } catch (error) {
    if (error instanceof InvalidCelExpressionError) return false;
    throw error;
  }
}
