import { describe, expect, it } from 'vitest';
import type { KeyedStage } from '../flow/pipeline.js';
import { resultText, KeyedOperatorTestHarness, second, stageOf } from '../operators/keyed.fixture.js';

const reduce = { reduce: { events: { op: 'count' }, sum: { op: 'sum', value: 'event.data.n' } } };

function stage(window: Record<string, unknown> = { tumbling: '1m' }): KeyedStage {
  return stageOf({ window: { key: 'event.entity_id', lateness: '0s', ...window } }, reduce);
}

const rowsOf = (window?: Record<string, unknown>) => new KeyedOperatorTestHarness(stage(window).operator);

describe('a tumbling window', () => {
  it('contains the events of one key from its start to before its end', () => {
    const rows = rowsOf().add(0).add(59.999999).add(60).add(1, { key: 'j' });
    expect(rows.close(120 * second)).toEqual([
      '[0, 60) j {"events":1,"sum":1}',
      '[0, 60) k {"events":2,"sum":2}',
      '[60, 120) k {"events":1,"sum":1}',
    ]);
  });

  it('has the correct bounds before 1970', () => {
    const rows = rowsOf().add(-1).add(-60).add(-60.000001);
    expect(rows.close(0)).toEqual(['[-120, -60) k {"events":1,"sum":1}', '[-60, 0) k {"events":2,"sum":2}']);
  });

  it('closes when the watermark reaches its end plus the lateness, not before', () => {
    const rows = rowsOf({ tumbling: '1m', lateness: '10s' }).add(0).add(5, { watermark: 69 });
    expect(rows.close(70 * second - 1)).toEqual([]);
    expect(rows.close(70 * second)).toEqual(['[0, 60) k {"events":2,"sum":2}']);
    expect(rows.rows.size).toBe(0);
  });

  it('has a result with a time inside the window that depends on the window only', () => {
    const { operator, id } = stage();
    const row = new KeyedOperatorTestHarness(operator).add(5).rows.get('0:k')!;
    const [result] = operator.close(row, '0:k', 60 * second).results;
    expect(result?.origin).toEqual({ stream: '', partition: 0, offset: 0, path: `${id}:0:k` });
    expect(result?.event).toEqual({
      event_id: '',
      stream: '',
      event_type: 'window',
      entity_id: 'k',
      timestamp: 60 * second - 1,
      ingested_at: 60 * second - 1,
      schema_version: null,
      partition: 0,
      offset: 0,
      data:
        '{"key":"k","window_start":"1970-01-01T00:00:00.000000Z","window_end":"1970-01-01T00:01:00.000000Z"' +
        ',"events":1,"sum":1}',
      metadata: '{"source_events":1}',
    });
  });

  it('rejects a late event after it has closed, and keeps its state', () => {
    const rows = rowsOf({ tumbling: '1m', lateness: '10s', late: { stream: 'too_late' } });
    rows.add(0).add(1, { watermark: 70 });
    expect(rows.outcomes).toMatchObject([{ kind: 'late', at: '/operators/0/window', stream: 'too_late' }]);
    expect(rows.close(70 * second)).toEqual(['[0, 60) k {"events":1,"sum":1}']);
  });

  it('with updates emits a result for each event, with that event as provenance, and none when it closes', () => {
    const { operator, id } = stage({ tumbling: '1m', emit: 'updates' });
    const rows = new KeyedOperatorTestHarness(operator).add(0).add(1).add(61);
    expect(rows.results.map(resultText)).toEqual([
      '[0, 60) k {"events":1,"sum":1}',
      '[0, 60) k {"events":2,"sum":2}',
      '[60, 120) k {"events":1,"sum":1}',
    ]);
    expect(rows.results[1]?.origin).toEqual({ stream: 'orders', partition: 0, offset: 1, path: `${id}:0:k` });
    expect(rows.close(200 * second)).toEqual([]);
    expect(rows.rows.size).toBe(0);
  });

  it('fails an event that cannot be folded, with the failure location, and keeps its state', () => {
    const rows = rowsOf().add(0).add(1, { data: '{"n":"x"}' }).add(2, { data: '{}' });
    expect(rows.outcomes).toMatchObject([
      {
        kind: 'fail',
        pointer: '/operators/1/reduce/sum/value',
        detail: expect.stringContaining('a number is needed') as string,
      },
      { kind: 'fail', detail: expect.stringContaining('no member n') as string },
    ]);
    expect(rows.close(60 * second)).toEqual(['[0, 60) k {"events":1,"sum":1}']);
  });

  it('has a result with a valid event time, whatever its size', () => {
    const { operator } = stage({ tumbling: '366d' });
    const end = Date.UTC(2200, 0, 1) / 1000;
    const [, row] = [...new KeyedOperatorTestHarness(operator).add(end - 1).rows][0]!;
    const name = operator.rowsOf('k', (end - 1) * second)[0]!;
    expect(operator.close(row, name, Infinity).results[0]?.event.timestamp).toBe(end * second - 1);
  });

  it('accepts a key that contains colons', () => {
    expect(
      rowsOf()
        .add(0, { key: 'a:b:"c' })
        .close(60 * second),
    ).toEqual(['[0, 60) a:b:"c {"events":1,"sum":1}']);
  });
});

describe('a hopping window', () => {
  const hopping = { hopping: { size: '1m', every: '20s' } };

  it('adds an event to each window that contains its time', () => {
    expect(
      rowsOf(hopping)
        .add(45)
        .close(1000 * second),
    ).toEqual([
      '[0, 60) k {"events":1,"sum":1}',
      '[20, 80) k {"events":1,"sum":1}',
      '[40, 100) k {"events":1,"sum":1}',
    ]);
  });

  it('adds an event to each window that contains its time if the size is not a multiple of the hop', () => {
    const starts = (at: number) =>
      stage({ hopping: { size: '50s', every: '20s' } })
        .operator.rowsOf('k', at * second)
        .map((name) => Number(name.split(':')[0]) / second);
    expect(starts(45)).toEqual([40, 20, 0]);
    expect(starts(50)).toEqual([40, 20]);
    expect(starts(-1)).toEqual([-20, -40]);
  });

  it('rejects an event as late only if all its windows have closed; otherwise the open ones take it', () => {
    const rows = rowsOf(hopping).add(45, { watermark: 85 });
    expect(rows.outcomes).toEqual([]);
    expect(rows.close(1000 * second)).toEqual(['[40, 100) k {"events":1,"sum":1}']);
    rows.add(45, { watermark: 100 });
    expect(rows.outcomes).toMatchObject([{ kind: 'late' }]);
  });
});
