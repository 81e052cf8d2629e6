import { describe, expect, it } from 'vitest';
import { Calendar, zoneDataVersion } from '#cel';
import type { Fold } from '#dataflow';
import { compileFold } from '#dataflow';
import type { KeyedStage } from '../flow/pipeline.js';
import type { OperatorJson } from '../operators/operator.js';
import { KeyedOperatorTestHarness, second, stageOf } from '../operators/keyed.fixture.js';
import { calendarWindow } from './calendar-window.js';

const reduce = { reduce: { events: { op: 'count' } } };
const at = (time: string) => Date.parse(time) / 1000;
const hours = (count: number) => count * 3600;

function stage(window: Record<string, unknown> = {}): KeyedStage {
  const berlin = { calendar: 'day', zone: 'Europe/Berlin', key: 'event.entity_id', lateness: '0s' };
  return stageOf({ window: { ...berlin, ...window } }, reduce);
}
const rowsOf = (window?: Record<string, unknown>) => new KeyedOperatorTestHarness(stage(window).operator);
const data = (events: number) => JSON.stringify({ zone_data: zoneDataVersion, events });

describe('a window of a calendar', () => {
  it('is one window for a day of 23 hours, and one for a day of 25 hours', () => {
    const spring = at('2026-03-28T23:00:00Z');
    const autumn = at('2026-10-24T22:00:00Z');
    const rows = rowsOf()
      .add(spring)
      .add(spring + hours(23) - 1)
      .add(spring + hours(23));
    rows.add(autumn).add(autumn + hours(25) - 1);
    expect(rows.close(Infinity)).toEqual([
      `[${spring}, ${spring + hours(23)}) k ${data(2)}`,
      `[${spring + hours(23)}, ${spring + hours(47)}) k ${data(1)}`,
      `[${autumn}, ${autumn + hours(25)}) k ${data(2)}`,
    ]);
  });

  it.each([
    ['week', '2026-03-22T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['month', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z'],
    ['quarter', '2025-12-31T23:00:00Z', '2026-03-31T22:00:00Z'],
    ['year', '2025-12-31T23:00:00Z', '2026-12-31T23:00:00Z'],
  ])('may be a %s', (calendar, start, end) => {
    const rows = rowsOf({ calendar }).add(at('2026-03-29T12:00:00Z'));
    expect(rows.close(Infinity)).toEqual([`[${at(start)}, ${at(end)}) k ${data(1)}`]);
  });

  it('closes when the watermark reaches its end plus the lateness, and rejects events after that as late', () => {
    const start = at('2026-03-28T23:00:00Z');
    const end = start + hours(23);
    const rows = rowsOf({ lateness: '10s', late: { stream: 'too_late' } }).add(start);
    expect(rows.close((end + 10) * second - 1)).toEqual([]);
    rows.add(start, { watermark: end + 10 }).add(start, { watermark: end + 10, key: 'other' });
    expect(rows.outcomes).toMatchObject([{ kind: 'late', stream: 'too_late' }, { kind: 'late' }]);
    expect(rows.close((end + 10) * second)).toEqual([`[${start}, ${end}) k ${data(1)}`]);
    expect(rows.rows.size).toBe(0);
  });

  it('with updates emits a result for each event, and none when it closes', () => {
    const rows = rowsOf({ emit: 'updates' }).add(0).add(1);
    expect(
      rows.results.map((result) => (JSON.parse(result.event.data) as { events: number }).events),
    ).toEqual([1, 2]);
    expect(rows.close(Infinity)).toEqual([]);
  });

  it('keeps its bounds and its id when the zone data are updated while it is open', () => {
    const fold: Fold = compileFold({ events: { op: 'count' } });
    const settings = { stage: 's', fold, lateness: 0, updates: false, at: '', reduceAt: '', late: undefined };
    const calendar = new Calendar('day', 'Europe/Berlin');
    // In the later zone data, the day begins and ends an hour later.
    const later = {
      intervalOf: (instant: number) => {
        const { date, start, end } = calendar.intervalOf(instant - hours(1) * second);
        return { date, start: start + hours(1) * second, end: end + hours(1) * second };
      },
    };
    const start = at('2026-06-01T22:00:00Z');
    const before = new KeyedOperatorTestHarness(calendarWindow(settings, calendar, 'old')).add(start);
    const after = new KeyedOperatorTestHarness(calendarWindow(settings, later, 'new'));
    for (const [name, row] of before.rows) after.rows.set(name, row);
    after.add(start + hours(2)).add(start + hours(26));
    const [name, row] = [...after.rows][0]!;
    const [result] = after.operator.close(row, name, Infinity).results;
    expect(result!.origin.path).toBe(`s:2026-06-02/${(start + hours(24)) * second}:k`);
    expect(after.close(Infinity)).toEqual([
      `[${start}, ${start + hours(24)}) k {"zone_data":"old","events":2}`,
      `[${start + hours(25)}, ${start + hours(49)}) k {"zone_data":"new","events":1}`,
    ]);
  });

  it('that an update of the zone data makes longer after it was closed has a second result with another id', () => {
    const fold: Fold = compileFold({ events: { op: 'count' } });
    const settings = { stage: 's', fold, lateness: 0, updates: false, at: '', reduceAt: '', late: undefined };
    const calendar = new Calendar('day', 'Europe/Berlin');
    const dayStart = at('2026-06-01T22:00:00Z');
    const longer = {
      intervalOf: (instant: number) => {
        const { date, start, end } = calendar.intervalOf(Math.min(instant, (dayStart + hours(23)) * second));
        return { date, start, end: end + hours(1) * second };
      },
    };
    const pathsOf = (operator: ReturnType<typeof calendarWindow>, time: number) => {
      const harness = new KeyedOperatorTestHarness(operator).add(time, {
        watermark: dayStart + hours(24) - 1,
      });
      const [name, row] = [...harness.rows][0]!;
      return operator.close(row as never, name, Infinity).results.map((one) => one!.origin.path);
    };
    const [closed] = pathsOf(calendarWindow(settings, calendar, 'old'), dayStart);
    const [reopened] = pathsOf(calendarWindow(settings, longer, 'new'), dayStart + hours(24) + 60);
    expect([closed, reopened]).toEqual([
      `s:2026-06-02/${(dayStart + hours(24)) * second}:k`,
      `s:2026-06-02/${(dayStart + hours(25)) * second}:k`,
    ]);
  });

  it('fails an event that cannot be folded, and keeps its state', () => {
    const sums = { reduce: { sum: { op: 'sum', value: 'event.data.n' } } };
    const window = { calendar: 'year', zone: 'UTC', key: 'event.entity_id', lateness: '0s' };
    const rows = new KeyedOperatorTestHarness(stageOf({ window }, sums).operator);
    rows.add(0, { data: '{"n":"x"}' }).add(1, { data: '{"n":2}' });
    expect(rows.outcomes).toMatchObject([{ kind: 'fail', pointer: '/operators/1/reduce/sum/value' }]);
    expect(rows.close(Infinity)).toEqual([
      `[0, ${hours(365 * 24)}) k {"zone_data":"${zoneDataVersion}","sum":2}`,
    ]);
  });

  it.each([
    [{ zone: 'Berlin' }, '/operators/0/window/zone: is not a time zone: write a name such as Europe/Berlin'],
    [{ zone: undefined }, '/operators/0/window/zone: is required'],
    [{ calendar: 'hour' }, '/operators/0/window/calendar: must be one of day, week, month, quarter, year'],
    [{ tumbling: '1d' }, '/operators/0/window: must have one of tumbling'],
    [{ calendar: undefined, tumbling: '1d' }, '/operators/0/window/zone: must not be there'],
  ])('is rejected with %j', (window, message) => {
    const given = { calendar: 'day', zone: 'Europe/Berlin', key: '"all"', lateness: '0s', ...window };
    const text = JSON.stringify({ window: given });
    expect(() => stageOf(JSON.parse(text) as OperatorJson, reduce)).toThrow(message);
  });
});
