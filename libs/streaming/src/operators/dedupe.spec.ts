import { describe, expect, it } from 'vitest';
import { Rows, second, stageOf } from './keyed.fixture.js';

const rowsOf = () => new Rows(stageOf({ dedupe: { key: 'event.entity_id', within: '10s' } }).operator);
const passed = (rows: Rows) => rows.results.map(({ event }) => event.timestamp / second);

describe('dedupe', () => {
  it('drops what has the key of an earlier one, of a time at most that far away, before or after', () => {
    const rows = rowsOf().add(0).add(10).add(-10).add(1, { key: 'j' });
    expect(passed(rows)).toEqual([0, 1]);
    expect(rows.outcomes).toMatchObject([
      { kind: 'drop', at: '/operators/0/dedupe', reason: 'An earlier event has the same key.' },
      { kind: 'drop' },
    ]);
  });

  it('lets pass what is farther away, and remembers the latest', () => {
    expect(passed(rowsOf().add(0).add(10.000001).add(20))).toEqual([0, 10.000001]);
    expect(passed(rowsOf().add(0).add(-11).add(5).add(-11))).toEqual([0, -11, -11]);
  });

  it('passes the event on as it is, with its origin', () => {
    const [flow] = rowsOf().add(3, { data: '{"n": 1.0}' }).results;
    expect(flow).toMatchObject({
      event: { data: '{"n": 1.0}' },
      origin: { stream: 'orders', offset: 0, path: '' },
    });
  });

  it('forgets a key when the watermark has passed it', () => {
    const rows = rowsOf().add(0);
    rows.close(10 * second);
    expect(rows.rows.size).toBe(1);
    rows.close(10 * second + 1);
    expect(rows.rows.size).toBe(0);
  });

  it('decides the same whether or not what it forgot is still there', () => {
    const rows = rowsOf().add(0).add(5, { watermark: 11 });
    expect(passed(rows)).toEqual([0, 5]);
  });

  it('finds repetitions among events that come long after their time', () => {
    const rows = rowsOf().add(-1000, { watermark: 50 });
    rows.close(55 * second);
    expect(passed(rows.add(-1000, { watermark: 55 }))).toEqual([-1000]);
  });
});
