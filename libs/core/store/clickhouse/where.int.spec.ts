import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { parseTime } from '#json';
import type { StoredEvent } from '#event';
import { type ExpressionTree, compileCondition, parseExpression } from '#cel';
import { eventValue, storedEventVariable } from '#dataflow';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import type { EventRow } from '../store.js';
import { openTestStore, type TestStore } from './test-store.js';
import { expressions, samples } from './where.fixture.js';

describe('a where condition in ClickHouse', () => {
  let test: TestStore;
  let rows: EventRow[];
  const stream = `where-${randomUUID()}`;

  beforeAll(async () => {
    test = await openTestStore();
    rows = samples.map((sample, offset) => ({
      stream,
      partition: 0,
      offset,
      event_id: randomUUID(),
      event_type: 'order.placed',
      entity_id: null,
      version: null,
      timestamp: parseTime('2026-11-21T04:00:00.000123Z') as number,
      ingested_at: parseTime('2026-11-21T04:00:01Z') as number,
      schema_version: null,
      metadata: '{}',
      data: '{}',
      ...sample,
    }));
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), 'samples');
  });
  afterAll(() => test.close());

  const find = async (text: string): Promise<StoredEvent[]> => {
    const where = parseExpression(text);
    return (
      await test.store.reader.query({
        access: allStreams,
        streams: [stream],
        where,
        order: 'asc',
        limit: 100,
      })
    ).items;
  };
  const matching = async (text: string) =>
    (await find(text)).map((event) => event.offset).sort((a, b) => a - b);

  it.each(expressions)('%s: matches the events for which the evaluated expression is true', async (text) => {
    const run = compileCondition(parseExpression(text), storedEventVariable);
    const events = await find('true');
    expect(events).toHaveLength(samples.length);
    const expected = events.filter((event) => run(eventValue(event))).map((event) => event.offset);
    expect(await matching(text)).toEqual(expected.sort((a, b) => a - b));
  });

  it.each<[string, number[]]>([
    ['event.data.amount * 2 > 9', [0, 1, 2, 5, 6, 7, 11, 12, 13, 14, 15, 16]],
    ['event.data.amount == 9007199254740993', [5]],
    ['event.data.amount != "5"', [0, 1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17]],
    ['event.data.huge > 1', [11]],
    ['string(event.data.amount) == "5"', [0, 1, 3, 12, 13, 14, 16]],
    ['event.data.float > 1', [12, 16]],
    ['event.data.name == "\\ufffd"', [13]],
    ['event.data.tags[1] == 12345678901234567890124', [14]],
    ['event.data.s == "x,1234567890123456789012," && event.data.amount == 18446744073709551615', [15]],
    ['event.metadata.n > 1', [16]],
  ])('%s matches %j', async (text, offsets) => {
    expect(await matching(text)).toEqual(offsets);
  });

  it('counts the events that it matches', async () => {
    const where = parseExpression('event.data.amount == 5');
    expect(
      await test.store.reader.count({ access: allStreams, streams: [stream], where, limit: 10 }),
    ).toMatchObject({
      total: 6,
    });
  });

  it('does not match a text that exceeds the byte limit of the pattern', async () => {
    const pattern = 'event.event_id.matches("^[-0-9a-f]+$")';
    const where = parseExpression(pattern) as Extract<ExpressionTree, { kind: 'call' }>;
    const query = { access: allStreams, streams: [stream], order: 'asc', limit: 100 } as const;
    const found = (maxBytes: number) => test.store.reader.query({ ...query, where: { ...where, maxBytes } });
    expect((await found(36)).items).toHaveLength(samples.length);
    expect((await found(35)).items).toEqual([]);
  });

  it('evaluates a pattern that would backtrack in linear time', async () => {
    expect(await find('event.event_id.matches("^((.+)+)+!$")')).toEqual([]);
  });
});
