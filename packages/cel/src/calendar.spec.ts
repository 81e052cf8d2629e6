import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Calendar, calendarUnits, type CalendarUnit } from './calendar.js';
import { wallClock } from './zone.js';

const micros = (time: string) => Date.parse(time) * 1000;
const minute = 60_000_000;
const hour = 60 * minute;
const text = (instant: number) => new Date(instant / 1000).toISOString().replace('.000Z', 'Z');
const boundsOf = (calendar: Calendar, time: string) => {
  const { date, start, end } = calendar.intervalOf(micros(time));
  return [date, text(start), (end - start) / hour];
};

describe('a calendar', () => {
  it.each<[CalendarUnit, string, string, unknown[]]>([
    ['day', 'UTC', '2026-03-29T12:00:00Z', ['2026-03-29', '2026-03-29T00:00:00Z', 24]],
    ['day', '+05:30', '2026-03-29T18:30:00Z', ['2026-03-30', '2026-03-29T18:30:00Z', 24]],
    ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', ['2026-03-29', '2026-03-28T23:00:00Z', 23]],
    ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', ['2026-10-25', '2026-10-24T22:00:00Z', 25]],
    ['week', 'Europe/Berlin', '2026-03-29T21:59:59Z', ['2026-03-23', '2026-03-22T23:00:00Z', 7 * 24 - 1]],
    ['month', 'Europe/Berlin', '2026-10-31T22:59:59Z', ['2026-10-01', '2026-09-30T22:00:00Z', 31 * 24 + 1]],
    ['quarter', 'Europe/Berlin', '2026-02-01T00:00:00Z', ['2026-01-01', '2025-12-31T23:00:00Z', 90 * 24 - 1]],
    ['year', 'Europe/Berlin', '2024-06-01T00:00:00Z', ['2024-01-01', '2023-12-31T23:00:00Z', 366 * 24]],
    ['week', 'UTC', '1969-12-31T00:00:00Z', ['1969-12-29', '1969-12-29T00:00:00Z', 7 * 24]],
    ['quarter', 'UTC', '1969-12-31T00:00:00Z', ['1969-10-01', '1969-10-01T00:00:00Z', 92 * 24]],
    ['day', 'Europe/Berlin', '1916-04-30T23:00:00Z', ['1916-05-01', '1916-04-30T22:00:00Z', 24]],
  ])('has the %s of %s at %s', (...[unit, zone, time, interval]) => {
    expect(boundsOf(new Calendar(unit, zone), time)).toEqual(interval);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', ['2018-11-04', '2018-11-04T03:00:00Z', 23]],
    ['Africa/Cairo', '2026-04-24T12:00:00Z', ['2026-04-24', '2026-04-23T22:00:00Z', 23]],
    ['America/Toronto', '1919-03-31T12:00:00Z', ['1919-03-31', '1919-03-31T04:30:00Z', 23.5]],
  ])('begins a day of %s without midnight at its first instant', (zone, time, day) => {
    expect(boundsOf(new Calendar('day', zone), time)).toEqual(day);
  });

  it.each([
    ['America/Havana', '2026-11-01T04:30:00Z', ['2026-11-01', '2026-11-01T04:00:00Z', 25]],
    ['America/St_Johns', '2010-11-07T02:30:30Z', ['2010-11-07', '2010-11-07T02:30:00Z', 25]],
    // The clock shows 23:30 of the 6th again.
    ['America/St_Johns', '2010-11-07T03:00:00Z', ['2010-11-07', '2010-11-07T02:30:00Z', 25]],
  ])('begins a day of %s with two midnights at the first: %s', (zone, time, day) => {
    expect(boundsOf(new Calendar('day', zone), time)).toEqual(day);
  });

  it('has no interval for a day that does not exist', () => {
    const apia = new Calendar('day', 'Pacific/Apia');
    const change = micros('2011-12-30T10:00:00Z');
    expect(apia.intervalOf(change - 1)).toMatchObject({ date: '2011-12-29', end: change });
    expect(apia.intervalOf(change)).toMatchObject({ date: '2011-12-31', start: change });
    expect(apia.startsBetween(change - 24 * hour, change + 25 * hour).map(text)).toEqual([
      '2011-12-29T10:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-31T10:00:00Z',
    ]);
  });

  it('refuses a zone that does not exist, and says how a zone is written', () => {
    for (const zone of ['Berlin', 'CET/', 'IST', '', '+5', 'x'.repeat(100_000)])
      expect(() => new Calendar('day', zone)).toThrow(
        /is not a time zone: write a name such as Europe\/Berlin/,
      );
  });

  it('divides time into intervals without gaps, each with its own local date, in any zone since 1900', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const given = fc.record({
      unit: fc.constantFrom(...calendarUnits),
      zone: fc.constantFrom(...zones),
      instant: fc.integer({ min: micros('1900-01-01T00:00:00Z'), max: micros('2199-12-01T00:00:00Z') }),
    });
    fc.assert(
      fc.property(given, ({ unit, zone, instant }) => {
        const calendar = new Calendar(unit, zone);
        const { date, start, end } = calendar.intervalOf(instant);
        expect(start <= instant && instant < end).toBe(true);
        const next = calendar.intervalOf(end);
        expect(next.start).toBe(end);
        expect(next.date > date).toBe(true);
        expect(new Calendar(unit, zone).intervalOf(start - 1).end).toBe(start);
        expect(wallClock(start / 1000, zone, 0).toISOString() >= date).toBe(true);
        expect(wallClock(start / 1000 - 1, zone, 0).toISOString() < date).toBe(true);
        const after = calendar.startsBetween(instant, end + 1);
        expect(after).toEqual([start, end]);
      }),
      { numRuns: 150 },
    );
  });

  it('has the same intervals whatever it was asked before', () => {
    const calendar = new Calendar('day', 'America/New_York');
    const first = micros('1950-01-01T12:00:00Z');
    for (let day = 0; day < 10_000; day++) calendar.intervalOf(first + day * 24 * hour);
    expect(calendar.intervalOf(first)).toEqual(new Calendar('day', 'America/New_York').intervalOf(first));
  });
});
