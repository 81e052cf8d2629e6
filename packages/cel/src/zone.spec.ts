import { describe, expect, it, vi } from 'vitest';
import { StepBudget, withinBudget } from './budget.js';
import { compileParsed } from './compile.js';
import { parseExpression } from './parse.js';
import { Timestamp, type CelObject } from './values.js';
import { wallClock } from './zone.js';
import { eventVariable } from './variable.fixture.js';

const zones = Intl.supportedValuesOf('timeZone');
const evaluate = (expression: string, data: object = {}) =>
  compileParsed(
    parseExpression(expression),
    eventVariable,
  )({ timestamp: new Timestamp(0), data } as unknown as CelObject);
const stepsOf = (expression: string, data: object = {}): number => {
  const budget = new StepBudget(400_000);
  withinBudget(budget, () => evaluate(expression, data));
  return 400_000 - budget.most(400_000);
};
const hours = 'event.timestamp.getHours("Asia/Tokyo")';

describe('a time zone', () => {
  it('takes the same steps after any earlier evaluations in this process', () => {
    const first = stepsOf(hours);
    expect(stepsOf(hours)).toBe(first);
    stepsOf('event.data.zones.map(zone, event.timestamp.getHours(zone))', { zones: zones.slice(0, 200) });
    expect(stepsOf(hours)).toBe(first);
    evaluate('timestamp(1e9).getHours("Asia/Tokyo")');
    expect(stepsOf(hours)).toBe(first);
  });

  it('is opened once in an evaluation of up to a hundred zones, and looked up once for each day', () => {
    const twice = `[${hours}, event.timestamp.getHours("Asia/Seoul"), ${hours}]`;
    expect(stepsOf(twice)).toBeGreaterThan(1_000);
    expect(stepsOf(twice)).toBeLessThan(1_200);
    const many = 'event.data.zones.map(z, event.data.zones.map(zone, event.timestamp.getHours(zone)))';
    expect(stepsOf(many, { zones: zones.slice(0, 100) })).toBeLessThan(100 * 600 + 100 * 100 * 3);
  });

  it('with a name that is too long is rejected before the name is looked up', () => {
    const opened = vi.spyOn(Intl, 'DateTimeFormat');
    const searched = vi.spyOn(RegExp.prototype, 'exec');
    try {
      expect(() =>
        evaluate('event.timestamp.getHours(event.data.z) == 1', { z: 'A'.repeat(900_000) }),
      ).toThrow('A time zone is written like');
      expect(opened).not.toHaveBeenCalled();
      expect(searched.mock.calls.flat().filter((text) => text.length > 1_000)).toEqual([]);
    } finally {
      opened.mockRestore();
      searched.mockRestore();
    }
  });

  it.each([
    ['America/St_Johns', '2011-03-13T03:31:00Z', '2011-03-13T01:01:00.000'],
    ['America/St_Johns', '2011-03-13T03:30:59.999Z', '2011-03-13T00:00:59.999'],
    ['Africa/Monrovia', '1972-01-07T00:44:29Z', '1972-01-06T23:59:59.000'],
    ['Africa/Monrovia', '1972-01-07T00:44:30Z', '1972-01-07T00:44:30.000'],
    ['Europe/Amsterdam', '1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000'],
    ['Asia/Kolkata', '1906-01-01T00:00:00Z', '1906-01-01T05:30:00.000'],
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T23:59:59.999'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31T00:00:00.000'],
    ['Europe/Dublin', '1971-10-31T02:00:00Z', '1971-10-31T02:00:00.000'],
    ['America/Recife', '2000-10-08T02:59:59Z', '2000-10-07T23:59:59.000'],
    ['America/Recife', '2000-10-08T03:00:00Z', '2000-10-08T01:00:00.000'],
    ['America/Recife', '2000-10-15T02:00:00Z', '2000-10-14T23:00:00.000'],
    ['aSIA/tOKYO', '2026-01-01T00:00:00.001Z', '2026-01-01T09:00:00.001'],
    ['+05:30', '1969-12-31T23:59:59.999Z', '1970-01-01T05:29:59.999'],
    ['Pacific/Kiritimati', '2299-12-31T23:59:59.999Z', '2300-01-01T13:59:59.999'],
  ])('shows the local time of %s at %s', (zone, time, local) => {
    expect(wallClock(Date.parse(time), zone, 0).toISOString()).toBe(`${local}Z`);
  });

  it.each([
    'IST',
    'pst',
    'JST',
    'SystemV/PST8',
    '+0530',
    '+05',
    '+24:00',
    '+05:30:00',
    '-05:60',
    '٠٥:٣٠',
    ' UTC',
    'Europe/Berlin ',
  ])('is not %j, on every version of Node.js', (zone) => {
    expect(() => wallClock(0, zone, 0)).toThrow('A time zone is written like');
  });

  // `npm run check:zones` finds all changes since 1970.
  it('has the local time of Intl at each change of its offset since 1900', () => {
    const wrong: string[] = [];
    let changes = 0;
    for (const zone of zones) {
      const shown = localTimeOf(zone);
      for (const change of changesOf(zone)) {
        changes++;
        for (const instant of [change, change - 1, change - 60_000, change + 60_000]) {
          const time = wallClock(instant, zone, 0).toISOString().slice(0, 19);
          if (time !== shown(instant)) wrong.push(`${zone} ${new Date(instant).toISOString()}: ${time}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(changes).toBeGreaterThan(20_000);
  });
});

/** Returns a function that writes local times of a zone as `Intl` shows them, like 2026-11-21T04:00:00. */
function localTimeOf(timeZone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => format.format(instant).replace(' ', 'T');
}

/** Returns the instants from 1900 to 2040 at which a zone's offset changes for at least 28 days. */
function changesOf(timeZone: string): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset', second: 'numeric' });
  const offset = (instant: number) => format.format(instant).split(' ')[1] as string;
  const step = 28 * 86_400_000;
  const changes: number[] = [];
  let before = offset(Date.UTC(1900));
  for (let start = Date.UTC(1900); start < Date.UTC(2040); start += step) {
    const after = offset(start + step);
    let [low, high] = [start, start + step];
    while (before !== after && high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    if (before !== after) changes.push(high);
    before = after;
  }
  return changes;
}
