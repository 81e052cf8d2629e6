import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUuidText, uuidText } from '#event';
import { IdWindow } from './id-window.js';

interface Seen {
  id: string;
  offset: number;
  timestamp: number;
}

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/**
 * Reference implementation of the rule in `IdWindow`'s doc comment: returns for each record of the log whether it is a
 * duplicate.
 */
function repetitions(log: Seen[], bounds: { records: number; milliseconds: number }): boolean[] {
  const times: number[] = [];
  log.forEach((record, i) => times.push(Math.max(record.timestamp, times[i - 1] ?? -Infinity)));
  return log.map((record, i) =>
    log.some(
      (other, j) =>
        j < i &&
        other.id === record.id &&
        record.offset - other.offset <= bounds.records &&
        times[i]! - times[j]! <= bounds.milliseconds,
    ),
  );
}

/**
 * Arbitrary partitions of a log: few distinct event ids, gaps between offsets, and timestamps that go back and forth.
 */
const logs = fc
  .array(
    fc.record({
      id: fc.integer({ min: 0, max: 12 }).map(uuid),
      gap: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
      ),
      step: fc.integer({ min: -40, max: 60 }),
    }),
    { maxLength: 300 },
  )
  .map((steps) => {
    let offset = 4_294_967_200;
    let timestamp = 1_795_000_000_000;
    return steps.map(({ id, gap, step }) => ({
      id,
      offset: (offset += gap),
      timestamp: (timestamp += step),
    }));
  });
const someBounds = fc.record({
  records: fc.integer({ min: 1, max: 60 }),
  milliseconds: fc.integer({ min: 0, max: 600 }),
});

describe('IdWindow', () => {
  it('finds exactly the duplicates within its limits, for any log', () => {
    fc.assert(
      fc.property(logs, someBounds, (log, bounds) => {
        const window = new IdWindow(bounds);
        const found = log.map((r) => window.repeats(r.id, r.offset, r.timestamp));
        expect(found).toEqual(repetitions(log, bounds));
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same duplicates after a warm-up over its limits as after reading the whole log', () => {
    fc.assert(
      fc.property(logs, someBounds, fc.nat(), (log, bounds, at) => {
        fc.pre(log.length > 0);
        const position = at % log.length;
        const { offset: target, timestamp } = log[position]!;
        const start = Math.max(
          log.findIndex((r) => r.offset >= target - bounds.records),
          log.findIndex((r) => r.timestamp >= timestamp - bounds.milliseconds),
        );
        const window = new IdWindow(bounds);
        window.startAt(Math.max(...log.slice(0, start).map((r) => r.timestamp)));
        const cold = log.slice(start).map((r) => window.repeats(r.id, r.offset, r.timestamp));
        expect(cold.slice(position - start)).toEqual(repetitions(log, bounds).slice(position));
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same duplicates without adding an id, also where it grows', () => {
    const window = new IdWindow({ records: 10_000, milliseconds: 1_000 });
    const wordsOf = (n: number) => Uint32Array.of(n, 0, 0, n);
    const found: boolean[] = [];
    for (let n = 0; n < 3_000; n++) {
      window.repeatsWords(wordsOf(n), 2 * n, 0);
      found.push(window.wouldRepeat(wordsOf(n), 2 * n + 1, 0));
      found.push(!window.wouldRepeat(wordsOf(n + 1), 2 * n + 1, 0));
    }
    expect(found.every(Boolean)).toBe(true);
    expect(window.size).toBe(3_000);
  });

  it('passes on the first record of each id when the record leaves, in order, and no duplicate', () => {
    fc.assert(
      fc.property(logs, someBounds, (log, bounds) => {
        const left: { id: string; offset: number; logTime: number }[] = [];
        let reading = { offset: 0, time: 0 };
        const window: IdWindow = new IdWindow(bounds, (ids, at, { offset, logTime, passed, age }) => {
          left.push({ id: uuidText(ids.subarray(at, at + 4)), offset, logTime });
          // A gap clears the window before it is read, so the later record is then the one before the gap.
          expect(offset + passed).toBeLessThanOrEqual(reading.offset);
          expect(logTime + age).toBeLessThanOrEqual(reading.time);
        });
        const firsts = log.filter(({ id, offset, timestamp }) => {
          reading = { offset, time: Math.max(reading.time, timestamp) };
          return !window.repeats(id, offset, timestamp);
        });
        const expected = firsts.map(({ id, offset }) => {
          const until = log.filter((one) => one.offset <= offset).map(({ timestamp }) => timestamp);
          return { id, offset, logTime: Math.max(...until) };
        });
        expect(left).toEqual(expected.slice(0, left.length));
        const { id, offset } = log.at(-1) ?? { id: uuid(0), offset: 0 };
        window.pass(offset + bounds.records + 1, reading.time);
        expect(left).toEqual(expected);
        expect([window.size, window.repeats(id, offset + bounds.records + 2, reading.time)]).toEqual([
          0,
          false,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('returns the offset of the last record with an id', () => {
    fc.assert(
      fc.property(logs, someBounds, (log, bounds) => {
        const window = new IdWindow(bounds);
        const last = new Map<string, number>();
        const words = new Uint32Array(4);
        for (const { id, offset, timestamp } of log) {
          const isKnown = window.repeats(id, offset, timestamp);
          readUuidText(id, words);
          if (isKnown) expect(last.get(id)).toBeGreaterThanOrEqual(offset - bounds.records);
          expect(window.offsetOf(words)).toBe(offset);
          last.set(id, offset);
        }
        readUuidText(uuid(99), words);
        expect(window.offsetOf(words)).toBeUndefined();
      }),
    );
  });

  it('returns its length: a duplicate written now is recognized within that time, and not after it', () => {
    fc.assert(
      fc.property(logs, someBounds, fc.nat(500), (log, bounds, later) => {
        fc.pre(log.length > 0);
        const window = new IdWindow(bounds);
        for (const { id, offset, timestamp } of log) window.repeats(id, offset, timestamp);
        const [{ offset }, time] = [log.at(-1)!, Math.max(...log.map(({ timestamp }) => timestamp))];
        const now = time + later;
        const length = window.lengthAt(now);
        const next = { id: uuid(13), offset: offset + 1, timestamp: now };
        const times = log.map((_, i) => Math.max(...log.slice(0, i + 1).map(({ timestamp }) => timestamp)));
        log.forEach((_, i) => {
          const renamed = log.map((one, j) => (j === i ? { ...one, id: next.id } : one));
          const isKnown = repetitions([...renamed, next], bounds).at(-1);
          if (isKnown) expect(now - times[i]!).toBeLessThanOrEqual(bounds.milliseconds);
          else expect(now - times[i]!).toBeGreaterThanOrEqual(length);
        });
        expect(length).toBeLessThanOrEqual(bounds.milliseconds);
      }),
      { numRuns: 100 },
    );
  });

  it('is as long as its time limit until the record limit evicts an id, and grows while no record arrives', () => {
    const window = new IdWindow({ records: 3, milliseconds: 1000 });
    expect(window.lengthAt(0)).toBe(1000);
    for (let n = 0; n < 3; n++) window.repeats(uuid(n), n, n * 10);
    expect(window.lengthAt(20)).toBe(20);
    window.repeats(uuid(3), 3, 30);
    expect([window.lengthAt(30), window.lengthAt(530), window.lengthAt(5000)]).toEqual([30, 530, 1000]);
    window.pass(10, 40);
    expect(window.lengthAt(40)).toBe(10);
  });

  it('distinguishes ids that differ in a single bit', () => {
    const window = new IdWindow({ records: 1000, milliseconds: 1000 });
    const base = 0x1234567890abcdef1234567890abcdefn;
    const text = (id: bigint) =>
      id
        .toString(16)
        .padStart(32, '0')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const ids = [base, ...Array.from({ length: 128 }, (_, bit) => base ^ (1n << BigInt(bit)))];
    expect(ids.map((id, offset) => window.repeats(text(id), offset, 0))).not.toContain(true);
    expect(ids.map((id, i) => window.repeats(text(id), 129 + i, 0))).not.toContain(false);
  });

  it('treats upper and lower case as the same id', () => {
    const window = new IdWindow({ records: 10, milliseconds: 10 });
    window.repeats('ABCDEF00-0000-4000-8000-00000000000A', 0, 0);
    expect(window.repeats('abcdef00-0000-4000-8000-00000000000a', 1, 0)).toBe(true);
  });

  it.each([
    '',
    'abc',
    uuid(1).replace('-', '_'),
    `${uuid(1)}0`,
    uuid(1).replace('4', 'g'),
    uuid(1).replace('4', 'Ĵ'),
  ])('rejects %j, which is not a UUID, and remains unchanged', (text) => {
    const window = new IdWindow({ records: 10, milliseconds: 10 });
    expect(() => window.repeats(text, 0, 0)).toThrow(RangeError);
    expect(window.size).toBe(0);
  });

  it('counts the offset and the log time of a record without an id', () => {
    const window = new IdWindow({ records: 2, milliseconds: 100 });
    window.repeats(uuid(1), 0, 0);
    window.pass(1, 101);
    expect(window.repeats(uuid(1), 2, 0)).toBe(false);
  });

  it('is small while idle, and never has more ids than its limit', () => {
    const window = new IdWindow({ records: 5000, milliseconds: 1e9 });
    window.repeats(uuid(0), 0, 0);
    expect(window.bytes).toBeLessThan(10_000);
    for (let n = 1; n < 20_000; n++) window.repeats(uuid(n), n, 0);
    expect(window.size).toBe(5001);
    expect(window.bytes).toBeLessThan(5001 * 40);
  });

  it('releases its memory when all its ids are too old', () => {
    const window = new IdWindow({ records: 5000, milliseconds: 1000 });
    for (let n = 0; n < 5000; n++) window.repeats(uuid(n), n, 0);
    window.repeats(uuid(0), 5000, 1001);
    expect(window.size).toBe(1);
    expect(window.bytes).toBeLessThan(10_000);
  });
});
