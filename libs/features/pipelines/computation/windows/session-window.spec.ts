import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateEntry } from '../flow/pipeline.js';
import type { OpenSession, SessionsState } from './session-list.js';
import { SeededRandom } from '#testkit';
import { flowOf } from '../pipeline.fixture.js';
import { resultText, KeyedOperatorTestHarness, second, stageOf } from '../operators/keyed.fixture.js';

const reduce = { reduce: { events: { op: 'count' }, last: { op: 'last', value: 'event.data.n' } } };

function rowsOf(window: Record<string, unknown> = {}): KeyedOperatorTestHarness {
  const spec = { session: '10s', key: 'event.entity_id', lateness: '0s', ...window };
  return new KeyedOperatorTestHarness(stageOf({ window: spec }, reduce).operator);
}

const openSessions = (row: StateEntry | undefined) => (row!.state as SessionsState).sessions;

describe('a session', () => {
  it('continues while events are at most the gap apart', () => {
    const rows = rowsOf().add(0).add(10).add(20.000001);
    expect(rows.close(1000 * second)).toEqual([
      '[0, 20) k {"events":2,"last":1}',
      '[20, 30) k {"events":1,"last":1}',
    ]);
  });

  it('matches the example in the Kafka Streams documentation, with a gap of 5', () => {
    const rows = rowsOf({ session: '5s' }).add(10).add(12).add(20);
    expect(rows.rows.get('k')?.state).toMatchObject({
      sessions: [
        { start: 10e6, last: 12e6 },
        { start: 20e6, last: 20e6 },
      ],
    });
    rows.add(16);
    expect(rows.rows.get('k')?.state).toMatchObject({ sessions: [{ start: 10e6, last: 20e6, events: 4 }] });
  });

  it('contains an event exactly at its end, and closes after it', () => {
    const rows = rowsOf().add(0);
    expect(rows.close(10 * second)).toEqual([]);
    rows.add(10, { watermark: 10 });
    expect(rows.close(20 * second)).toEqual([]);
    expect(rows.close(20 * second + 1)).toEqual(['[0, 20) k {"events":2,"last":1}']);
  });

  it('merges with another one by an event between them, and folds the events in time order', () => {
    const rows = rowsOf()
      .add(16, { data: '{"n":"third"}' })
      .add(0, { data: '{"n":"first"}' })
      .add(8, { data: '{"n":"second"}' });
    expect(rows.close(1000 * second)).toEqual(['[0, 26) k {"events":3,"last":"third"}']);
  });

  it('closes independently of the other sessions of its key', () => {
    const rows = rowsOf().add(0).add(100);
    expect(rows.close(50 * second)).toEqual(['[0, 10) k {"events":1,"last":1}']);
    expect(rows.rows.get('k')?.closesAt).toBe(110 * second + 1);
    expect(rows.close(200 * second)).toEqual(['[100, 110) k {"events":1,"last":1}']);
    expect(rows.rows.size).toBe(0);
  });

  it('rejects an event as late if the session it would create has closed; an open session still takes it', () => {
    const rows = rowsOf({ lateness: '5s' })
      .add(0, { watermark: 16 })
      .add(1, { watermark: 16 })
      .add(8, { watermark: 16 });
    expect(rows.outcomes.map(({ kind, flow }) => [kind, flow.event.timestamp / second])).toEqual([
      ['late', 0],
    ]);
    rows.add(2, { watermark: 18 });
    expect(rows.close(1000 * second)).toEqual(['[1, 18) k {"events":3,"last":1}']);
  });

  it('takes no event after it has closed, even if it has not been removed yet', () => {
    const rows = rowsOf().add(0).add(9, { watermark: 11 });
    expect(rows.close(1000 * second)).toEqual([
      '[0, 10) k {"events":1,"last":1}',
      '[9, 19) k {"events":1,"last":1}',
    ]);
  });

  it('with updates emits its result after each event', () => {
    const rows = rowsOf({ emit: 'updates' }).add(0).add(16).add(8);
    expect(rows.results.map(resultText)).toEqual([
      '[0, 10) k {"events":1,"last":1}',
      '[16, 26) k {"events":1,"last":1}',
      '[0, 26) k {"events":3,"last":1}',
    ]);
    expect(rows.close(1000 * second)).toEqual([]);
  });

  it('limits the size of the open sessions of a key', () => {
    const rows = rowsOf();
    const long = (n: number) => JSON.stringify({ n: 'x'.repeat(60_000) + String(n) });
    for (let i = 0; i <= 17; i++) rows.add(i * 100, { data: long(i) });
    expect(rows.outcomes).toMatchObject([
      {
        kind: 'fail',
        detail: expect.stringMatching(/at most 1048576 characters .*would bring them to \d+/) as string,
      },
    ]);
    // An event that extends an open session and does not make it larger is still folded.
    expect(rows.add(1, { data: '{"n":1}' }).outcomes).toHaveLength(1);
  });

  it('is the same in any order of 20 000 events of 16 hours, with thousands of open sessions', () => {
    const random = new SeededRandom(7);
    const times = Array.from({ length: 20_000 }, () => random.int(16 * 3600));
    const sessionsOf = (order: readonly number[]) => {
      const { operator } = rowsOf({ session: '5s', lateness: '16h' });
      let row: StateEntry | undefined;
      let most = 0;
      order.forEach((at, offset) => {
        const flow = flowOf('{"n":1}', { timestamp: at * second, offset });
        const step = operator.add(row, 'k', { key: 'k', flow, watermark: 0 });
        expect(step.outcome).toBeUndefined();
        row = step.row;
        most = Math.max(most, openSessions(row).length);
      });
      return { most, sessions: openSessions(row).map(({ start, last, events }) => [start, last, events]) };
    };
    const shuffled = sessionsOf(times);
    expect(shuffled.most).toBeGreaterThan(3_000);
    expect(shuffled.sessions).toEqual(sessionsOf(times.toSorted((a, b) => a - b)).sessions);
  });

  it('is read only for an event near it, however many sessions there are', () => {
    const [count, apart] = [9_000, 4 * 60];
    let looks = 0;
    const counted = (at: number): OpenSession => ({
      ...{ fold: [1, null], events: 1, size: 107 },
      get start() {
        looks++;
        return at;
      },
      get last() {
        looks++;
        return at;
      },
    });
    const sessions = Array.from({ length: count }, (_, i) => counted(i * apart * second));
    const { operator } = stageOf(
      { window: { session: '60s', key: 'event.entity_id', lateness: '0s' } },
      { reduce: { events: { op: 'count' } } },
    );
    let row: StateEntry = { state: { sessions, size: count * 107, longest: 0 }, closesAt: 60 * second + 1 };
    const watermark = -1;
    for (const at of [17, 8_999, 4_000, 0, 4_001]) {
      const timestamp = (at * apart + 1) * second;
      const flow = flowOf('{"n":1}', { timestamp });
      row = operator.add(row, 'k', { key: 'k', flow, watermark }).row!;
    }
    const { row: rest, results } = operator.close(row, 'k', 100 * second);
    expect(results).toHaveLength(1);
    expect(rest?.state).toMatchObject({ sessions: { length: count - 1 } });
    expect(looks).toBeLessThan(500);
  });

  it('is the same in any order of its events', () => {
    const times = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(times, times, (given, order) => {
        const sessions = (list: number[]) =>
          list.reduce((rows, at) => rows.add(at), rowsOf()).close(1000 * second);
        const shuffled = given
          .map((at, i) => ({ at, by: order[i % order.length]! }))
          .sort((a, b) => a.by - b.by);
        expect(sessions(shuffled.map(({ at }) => at))).toEqual(sessions([...given].sort((a, b) => a - b)));
      }),
    );
  });
});
