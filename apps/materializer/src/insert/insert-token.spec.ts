import type { EventRowBatch } from '#store';
import { describe, expect, it } from 'vitest';
import { rowBatchOf, uuid } from '../row-batch.fixture.js';
import { insertToken } from './insert-token.js';

const block = (stream: string, partition: number, offsets: number[]): EventRowBatch =>
  rowBatchOf(
    { stream, partition },
    offsets.map((offset) => ({ offset })),
  );

describe('insertToken', () => {
  it('contains stream, partition, first and last offset, the number of rows, and first and last event id', () => {
    expect(insertToken([block('orders', 3, [7, 8, 12])], 9)).toBe(`orders:3:7-12#3@${uuid(7)}-${uuid(12)}@9`);
  });

  it('does not depend on the order of the partitions', () => {
    const a = block('a', 0, [1, 2]);
    const b = block('b', 1, [5]);
    expect(insertToken([a, b], 9)).toBe(insertToken([b, a], 9));
  });

  it('combines the row batches of a partition', () => {
    const token = insertToken([block('a', 0, [1, 2]), block('b', 1, [5]), block('a', 0, [3, 9])], 9);
    expect(token).toBe(`a:0:1-9#4@${uuid(1)}-${uuid(9)},b:1:5-5#1@${uuid(5)}-${uuid(5)}@9`);
  });

  it('differs when a row in between is missing', () => {
    expect(insertToken([block('a', 0, [1, 2, 3])], 9)).not.toBe(insertToken([block('a', 0, [1, 3])], 9));
  });

  it('differs for other events at the same offsets', () => {
    const others = rowBatchOf(
      { stream: 'a', partition: 0 },
      [1, 2, 3].map((offset) => ({ offset, event_id: uuid(offset + 100) })),
    );
    expect(insertToken([block('a', 0, [1, 2, 3])], 9)).not.toBe(insertToken([others], 9));
  });

  it('differs for the same events at the same offsets if they were written to the log again', () => {
    expect(insertToken([block('a', 0, [1])], 9)).not.toBe(insertToken([block('a', 0, [1])], 10));
  });

  it('is short for any number of partitions, and still differs between inserts', () => {
    const many = (last: number) => Array.from({ length: 500 }, (_, p) => block('stream', p, [1, last]));
    expect(insertToken(many(5), 9).length).toBeLessThan(100);
    expect(insertToken(many(5), 9)).not.toBe(insertToken(many(6), 9));
  });
});
