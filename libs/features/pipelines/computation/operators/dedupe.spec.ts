import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedOperatorTestHarness, second, stageOf } from './keyed.fixture.js';

const rowsOf = () =>
  new KeyedOperatorTestHarness(stageOf({ dedupe: { key: 'event.entity_id', within: '10s' } }).operator);
const passed = (rows: KeyedOperatorTestHarness) => rows.results.map(({ event }) => event.timestamp / second);

describe('dedupe', () => {
  it('drops an event if one with the same key passed within 10 seconds of its event time, before or after', () => {
    const rows = rowsOf().add(0).add(10).add(-10).add(1, { key: 'j' });
    expect(passed(rows)).toEqual([0, 1]);
    expect(rows.outcomes).toMatchObject([
      { kind: 'drop', at: '/operators/0/dedupe', reason: 'An earlier event has the same key.' },
      { kind: 'drop' },
    ]);
  });

  it('passes an event that is farther away, and remembers the latest one', () => {
    expect(passed(rowsOf().add(0).add(10.000001).add(20))).toEqual([0, 10.000001]);
    expect(passed(rowsOf().add(0).add(-11).add(5).add(-11))).toEqual([0, -11, -11]);
  });

  it('passes the event on unchanged, with its provenance', () => {
    const [flow] = rowsOf().add(3, { data: '{"n": 1.0}' }).results;
    expect(flow).toMatchObject({
      event: { data: '{"n": 1.0}' },
      origin: { stream: 'orders', offset: 0, path: '' },
    });
  });

  it('expires a key when the watermark is more than 10 seconds past its event', () => {
    const rows = rowsOf().add(0);
    rows.close(10 * second);
    expect(rows.rows.size).toBe(1);
    rows.close(10 * second + 1);
    expect(rows.rows.size).toBe(0);
  });

  it('ignores an expired entry that has not been removed yet', () => {
    const rows = rowsOf().add(0).add(5, { watermark: 11 });
    expect(passed(rows)).toEqual([0, 5]);
  });

  it('finds duplicates among events that arrive long after their event time', () => {
    const rows = rowsOf().add(-1000, { watermark: 50 });
    rows.close(55 * second);
    expect(passed(rows.add(-1000, { watermark: 55 }))).toEqual([-1000]);
  });
});

interface Arrival {
  key: string;
  at: number;
  watermark: number;
}

/**
 * Reference implementation of `dedupe`: returns whether the last event of the history passes, by the rule of
 * docs/pipeline-operators.md. The function reads the whole history each time and keeps no state, so it cannot expire a key too
 * early or too late.
 */
function passesByTheBook(history: readonly Arrival[], within: number): boolean {
  const { key, at, watermark } = history.at(-1)!;
  let remembered: Arrival | undefined;
  for (const [index, one] of history.slice(0, -1).entries()) {
    if (one.key !== key || !passesByTheBook(history.slice(0, index + 1), within)) continue;
    if (!remembered || isForgotten(remembered, one.watermark, within) || one.at > remembered.at)
      remembered = one;
  }
  if (!remembered || isForgotten(remembered, watermark, within)) return true;
  return Math.abs(at - remembered.at) > within;
}

/**
 * Returns whether the watermark is more than `within` past the time of an event, and more than `within` past the
 * watermark at the event's arrival.
 */
function isForgotten(event: Arrival, watermark: number, within: number): boolean {
  return watermark > event.at + within && watermark > event.watermark + within;
}

describe('dedupe of any events in any order', () => {
  const arrivals = fc
    .array(
      fc.record({
        key: fc.constantFrom('j', 'k'),
        at: fc.integer({ min: -20, max: 60 }),
        goesOn: fc.nat(12),
      }),
      {
        maxLength: 9,
      },
    )
    .map((all) => {
      let watermark = -20;
      return all.map(({ key, at, goesOn }): Arrival => ({ key, at, watermark: (watermark += goesOn) }));
    });

  it.each([true, false])(
    'passes the same events as a model without state; with expiry between them: %s',
    (closing) => {
      const seen = { passed: 0, dropped: 0 };
      fc.assert(
        fc.property(arrivals, (all) => {
          const rows = rowsOf();
          for (const [index, { key, at, watermark }] of all.entries()) {
            const before = rows.results.length;
            if (closing) rows.close(watermark * second);
            rows.add(at, { key, watermark });
            const expected = passesByTheBook(all.slice(0, index + 1), 10);
            expect(rows.results.length - before).toBe(expected ? 1 : 0);
            seen[expected ? 'passed' : 'dropped']++;
          }
        }),
        { numRuns: 300 },
      );
      expect(Math.min(seen.passed, seen.dropped)).toBeGreaterThan(50);
    },
  );
});
