import type { EventRow } from '#store';
import { describe, expect, it } from 'vitest';
import { insertToken } from './insert-token.js';

const rows = (stream: string, partition: number, offsets: number[]): EventRow[] =>
  offsets.map((offset) => ({ stream, partition, offset, event_id: `e${offset}` }) as EventRow);

describe('insertToken', () => {
  it('names stream, partition, first and last offset, the number of rows, first and last id', () => {
    expect(insertToken(rows('orders', 3, [7, 8, 12]))).toBe('orders:3:7-12#3@e7-e12');
  });

  it('is the same in whatever order the partitions come', () => {
    const a = rows('a', 0, [1, 2]);
    const b = rows('b', 1, [5]);
    expect(insertToken([...a, ...b])).toBe(insertToken([...b, ...a]));
  });

  it('puts chunks of one partition together', () => {
    const token = insertToken([...rows('a', 0, [1, 2]), ...rows('b', 1, [5]), ...rows('a', 0, [3, 9])]);
    expect(token).toBe('a:0:1-9#4@e1-e9,b:1:5-5#1@e5-e5');
  });

  it('differs when a row in between is missing', () => {
    expect(insertToken(rows('a', 0, [1, 2, 3]))).not.toBe(insertToken(rows('a', 0, [1, 3])));
  });

  it('differs for other events at the same offsets', () => {
    const others = rows('a', 0, [1, 2, 3]).map((row) => ({ ...row, event_id: `other-${row.offset}` }));
    expect(insertToken(rows('a', 0, [1, 2, 3]))).not.toBe(insertToken(others));
  });

  it('stays short with any number of partitions, and still tells batches apart', () => {
    const many = (last: number) => Array.from({ length: 500 }, (_, p) => rows('stream', p, [1, last])).flat();
    expect(insertToken(many(5)).length).toBeLessThan(100);
    expect(insertToken(many(5))).not.toBe(insertToken(many(6)));
  });
});
