import { changeBetween, fixedOffset, formatOf, offsetAt, spanOfOneChange } from './zone.js';

/** The intervals of local time; weeks begin on Monday. */
export const calendarUnits = ['day', 'week', 'month', 'quarter', 'year'] as const;
/** Name of an interval of local time. */
export type CalendarUnit = (typeof calendarUnits)[number];

/** Version of the IANA time zone database that calendars and expressions use, such as 2025b: that of Node.js. */
export const zoneDataVersion = process.versions.tz ?? 'unknown';

/** An interval of local time: instants in microseconds since 1970, of which `end` is exclusive. */
export interface CalendarInterval {
  /** The first local date, such as 2026-03-29. */
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/** From an instant in milliseconds on, a zone has this offset from UTC in milliseconds. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

const dayLength = 86_400_000;
/** Number of days in UTC whose intervals a calendar keeps. */
const daysKept = 4096;
const zonesKept = 100;

/** Cache of the changes of offsets in each year in UTC, by zone. */
const changesOfZones = new Map<string, Map<number, readonly OffsetChange[]>>();

/**
 * Returns the days, weeks, months, quarters or years of a time zone. As in Temporal and java.time, a day begins at the
 * first instant that has its date: at 01:00 if there is no midnight, and at the first midnight if there are two. So
 * intervals have no gaps and no overlaps. A day that does not exist has no interval, such as 2011-12-30 in Pacific/Apia.
 */
export class Calendar {
  /** Undefined for a zone that is a fixed offset. */
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #fixed: number;
  readonly #years: Map<number, readonly OffsetChange[]>;
  readonly #intervals = new Map<number, CalendarInterval[]>();
  #last: CalendarInterval = { date: '', start: 0, end: 0 };

  /** @throws RangeError if there is no such zone */
  constructor(
    readonly unit: CalendarUnit,
    readonly zone: string,
  ) {
    const fixed = fixedOffset(zone);
    this.#format = fixed === undefined ? formatOf(zone) : undefined;
    if (fixed === undefined && !this.#format)
      throw new RangeError(
        'is not a time zone: write a name such as Europe/Berlin, UTC, or an offset such as +05:30 (%2B05:30 in a URL)',
      );
    this.#years = this.#format ? yearsOf(zone) : new Map<number, readonly OffsetChange[]>();
    this.#fixed = fixed ?? 0;
  }

  /** Returns the interval that contains an instant. Takes some 10 ns if the interval is that of the call before. */
  intervalOf(instant: number): CalendarInterval {
    const last = this.#last;
    if (instant >= last.start && instant < last.end) return last;
    const day = Math.floor(instant / (dayLength * 1000));
    let known = this.#intervals.get(day);
    if (!known) {
      if (this.#intervals.size >= daysKept) this.#intervals.clear();
      this.#intervals.set(day, (known = []));
    }
    let found = known.find(({ start, end }) => instant >= start && instant < end);
    if (!found) known.push((found = this.#compute(instant)));
    return (this.#last = found);
  }

  /**
   * Returns the starts of the intervals that contain an instant from `since` to before `until`, in ascending order, and at
   * most `most` of them.
   */
  startsBetween(since: number, until: number, most = Infinity): number[] {
    const starts: number[] = [];
    const first = this.#compute(since);
    let { start, end } = first;
    let local = Date.parse(first.date);
    while (start < until && starts.length < most) {
      if (end > start) starts.push(start);
      local = nextLocal(local, this.unit);
      start = end;
      end = this.#startOf(nextLocal(local, this.unit)) * 1000;
    }
    return starts;
  }

  #compute(instant: number): CalendarInterval {
    const milliseconds = Math.floor(instant / 1000);
    const offset = this.#offsetsBetween(milliseconds, milliseconds).at(-1)!.offset;
    let local = floorLocal(milliseconds + offset, this.unit);
    let start = this.#startOf(local);
    let next = nextLocal(local, this.unit);
    let end = this.#startOf(next);
    // The clock was set back over the end of the interval, so that it shows a date of the interval again.
    while (end <= milliseconds) {
      [local, start, next] = [next, end, nextLocal(next, this.unit)];
      end = this.#startOf(next);
    }
    return { date: new Date(local).toISOString().slice(0, 10), start: start * 1000, end: end * 1000 };
  }

  /** Returns the first instant in milliseconds whose local time is `local` or later. */
  #startOf(local: number): number {
    const offsets = this.#offsetsBetween(local - 2 * dayLength, local + 2 * dayLength);
    let first = Infinity;
    for (let i = 0; i < offsets.length; i++) {
      const { at, offset } = offsets[i]!;
      const instant = Math.max(at, local - offset);
      if (instant < (offsets[i + 1]?.at ?? Infinity)) first = Math.min(first, instant);
    }
    return first;
  }

  /**
   * Returns the offsets of the zone in the years 1900 to 2299, which are those of ClickHouse's times. Takes some 0.2 s for a
   * zone that this process has not used yet.
   */
  allOffsets(): readonly OffsetChange[] {
    const all = this.#offsetsBetween(Date.UTC(1900), Date.UTC(2300));
    return all.filter(({ offset }, i) => offset !== all[i - 1]?.offset);
  }

  /** Returns the offset at `low`, and the changes of the offset until `high`. */
  #offsetsBetween(low: number, high: number): readonly OffsetChange[] {
    if (!this.#format) return [{ at: -Infinity, offset: this.#fixed }];
    const found: OffsetChange[] = [];
    for (let year = yearOf(low); year <= yearOf(high); year++)
      for (const change of this.#changesIn(year)) {
        if (change.at <= low) found.length = 0;
        if (change.at <= high) found.push(change);
      }
    return found;
  }

  /** Returns the offset at the beginning of a year in UTC, and the changes in it. */
  #changesIn(year: number): readonly OffsetChange[] {
    const known = this.#years.get(year);
    if (known) return known;
    const format = this.#format!;
    const end = Date.UTC(year + 1);
    let low = Date.UTC(year);
    const changes = [{ at: low, offset: offsetAt(format, low) }];
    while (low < end) {
      const high = Math.min(low + spanOfOneChange, end);
      const offset = offsetAt(format, high);
      if (offset !== changes.at(-1)!.offset) changes.push({ at: changeBetween(format, low, high), offset });
      low = high;
    }
    this.#years.set(year, changes);
    return changes;
  }
}

function yearsOf(zone: string): Map<number, readonly OffsetChange[]> {
  const known = changesOfZones.get(zone) ?? new Map<number, readonly OffsetChange[]>();
  changesOfZones.delete(zone);
  const oldest = changesOfZones.keys().next().value;
  if (changesOfZones.size >= zonesKept && oldest !== undefined) changesOfZones.delete(oldest);
  changesOfZones.set(zone, known);
  return known;
}

const yearOf = (milliseconds: number) => new Date(milliseconds).getUTCFullYear();

/** Returns the local midnight, as if it were UTC, at which the interval of a local time begins. */
function floorLocal(local: number, unit: CalendarUnit): number {
  const day = Math.floor(local / dayLength);
  if (unit === 'day') return day * dayLength;
  // 1970-01-01 was a Thursday.
  if (unit === 'week') return (day - ((((day + 3) % 7) + 7) % 7)) * dayLength;
  const date = new Date(local);
  const month = date.getUTCMonth();
  return Date.UTC(date.getUTCFullYear(), month - (month % months[unit]));
}

function nextLocal(local: number, unit: CalendarUnit): number {
  if (unit === 'day') return local + dayLength;
  if (unit === 'week') return local + 7 * dayLength;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months[unit]);
}

const months = { month: 1, quarter: 3, year: 12 };
