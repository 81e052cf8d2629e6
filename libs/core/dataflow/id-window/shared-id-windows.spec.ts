import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUuidText } from '#event';
import { IdWindow, type IdWindowBounds } from './id-window.js';
import type { IdWindowReader } from './id-window-reader.js';
import { IdWindowLostError } from './shared-id-window.js';
import { SharedIdWindows, type IdWindowRequest } from './shared-id-windows.js';

interface LogRecord {
  /** undefined for a record whose id cannot be read. */
  id: Uint32Array | undefined;
  offset: number;
  timestamp: number;
}

const words = (n: number): Uint32Array => {
  const id = new Uint32Array(4);
  readUuidText(`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`, id);
  return id;
};

const steps = fc.record({
  id: fc.oneof({ weight: 15, arbitrary: fc.nat(15) }, { weight: 1, arbitrary: fc.constant(undefined) }),
  gap: fc.oneof(
    { weight: 19, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 50 }) },
  ),
  step: fc.oneof(
    { weight: 19, arbitrary: fc.integer({ min: -40, max: 60 }) },
    { weight: 1, arbitrary: fc.constantFrom(-3000, 3000) },
  ),
});
/** Logs with few different ids, gaps between offsets, and timestamps that go back and forth. */
const logs = fc.array(steps, { minLength: 1, maxLength: 400, size: 'max' }).map((list) => {
  let offset = 100;
  let timestamp = 1_795_000_000_000;
  return list.map(({ id, gap, step }): LogRecord => ({
    id: id === undefined ? undefined : words(id),
    offset: (offset += gap),
    timestamp: (timestamp += step),
  }));
});

function withIncreasingTimestamps(log: readonly LogRecord[]): LogRecord[] {
  let timestamp = 0;
  return log.map((record) => ({ ...record, timestamp: (timestamp = Math.max(timestamp, record.timestamp)) }));
}

const someBounds = fc.record({
  records: fc.integer({ min: 5, max: 30 }),
  milliseconds: fc.integer({ min: 50, max: 2000 }),
});
const actions = fc.array(
  fc.record({
    reader: fc.nat(5),
    kind: fc.constantFrom('read', 'read', 'read', 'read', 'read', 'read', 'open', 'open', 'close'),
    /** Number of records to read, or the place to open. */
    count: fc.oneof(fc.nat(20), fc.nat(400)),
    readsStore: fc.boolean(),
  }),
  { maxLength: 120, size: 'max' },
);

const limits = { kept: 32, most: 128 };

/** A log, and the decisions of an id window that reads all of it. */
class TestLog {
  readonly decided: readonly boolean[];
  /** Index of the first record that retention has not deleted. */
  first = 0;

  /** @param otherFrom Index from which another leader has written the records. */
  constructor(
    readonly records: readonly LogRecord[],
    readonly bounds: IdWindowBounds,
    readonly otherFrom = records.length,
  ) {
    const window = new IdWindow(bounds);
    this.decided = records.map(({ id, offset, timestamp }) => {
      if (id) return window.repeatsWords(id, offset, timestamp);
      window.pass(offset, timestamp);
      return false;
    });
  }

  offsetAt(index: number): number {
    return this.records[index]?.offset ?? this.records.at(-1)!.offset + 1;
  }

  timeAt(index: number): number {
    return Math.max(...this.records.slice(0, index + 1).map(({ timestamp }) => timestamp));
  }

  /** Does what `warmUpStart` of the engine does. */
  requestFor(index: number): IdWindowRequest {
    const { records, milliseconds } = this.bounds;
    const [position, beginning] = [this.offsetAt(index), this.first === 0 ? 0 : this.offsetAt(this.first)];
    const since = (this.records[index]?.timestamp ?? this.timeAt(index)) - milliseconds;
    const young = this.records.findIndex((one) => one.offset >= beginning && one.timestamp >= since);
    const byTime = young < 0 ? position : this.offsetAt(young);
    const warmUpStart = Math.min(position, Math.max(beginning, position - records, byTime));
    const epochBefore = (offset: number) => (offset > this.offsetAt(this.otherFrom) ? 2 : 1);
    return { topic: 't', partition: 0, position, beginning, warmUpStart, epochBefore };
  }
}

interface TestReaderOptions {
  /** Index of the first record whose decision the task uses. */
  from: number;
  readsStore: boolean;
}

/** A task that reads a partition. */
class TestReader {
  readonly window: IdWindowReader;
  private at: number;
  /** Offset from which the task's decisions must be those of a reader of the whole log. */
  private readonly exactFrom: number;
  private hasBegun = false;

  constructor(
    private readonly log: TestLog,
    windows: SharedIdWindows,
    private readonly options: TestReaderOptions,
  ) {
    const request = log.requestFor(options.from);
    this.window = windows.open({ ...request, readsStore: options.readsStore });
    const { position, beginning } = request;
    this.exactFrom = beginning === 0 ? position : Math.max(position, beginning + log.bounds.records);
    expect(this.window.start).toBeLessThanOrEqual(position);
    expect(this.window.start).toBeGreaterThanOrEqual(beginning);
    if (this.window.isPrivate) this.fill();
    const first = log.records.findIndex(({ offset }) => offset >= this.window.start);
    this.at = first < 0 ? log.records.length : first;
  }

  /** Index of the first record that the task has not used. */
  get used(): number {
    return Math.max(this.at, this.options.from);
  }

  get isBehindBeginning(): boolean {
    return this.at < this.log.first;
  }

  /** Reads the next record and checks the decision. Returns false at the end of the log. */
  read(): boolean {
    const record = this.log.records[this.at];
    if (!record) return false;
    const { id, offset, timestamp } = record;
    if (!this.hasBegun) this.window.startAt(this.log.timeAt(this.at));
    this.hasBegun = true;
    if (id) {
      const isDuplicate = this.window.repeatsWords(id, offset, timestamp);
      if (offset >= this.exactFrom)
        expect([offset, isDuplicate]).toEqual([offset, this.log.decided[this.at]]);
    } else this.window.pass(offset, timestamp);
    this.at++;
    return true;
  }

  /** Adds the ids of deleted records, which the store has without duplicates. */
  private fill(): void {
    const { records, first, decided } = this.log;
    expect(this.options.readsStore).toBe(true);
    this.window.readsStoreBelow(records[first]?.offset ?? records.at(-1)!.offset + 1);
    records.slice(0, first).forEach(({ id, offset, timestamp }, index) => {
      if (id && !decided[index]) this.window.repeatsWords(id, offset, timestamp - 1);
    });
  }
}

/** Reads one record. A task that cannot use its window any longer is opened again, and then reads its next record. */
function readOne(
  reader: TestReader,
  open: (from: number) => TestReader,
): { reader: TestReader; read: boolean } {
  try {
    return { reader, read: reader.read() };
  } catch (error) {
    if (!(error instanceof IdWindowLostError)) throw error;
    reader.window.close();
    return readOne(open(reader.used), open);
  }
}

describe('SharedIdWindows', () => {
  // A window that begins after retention has deleted records does not know their timestamps.
  it.each([
    ['for any timestamps', 0, logs],
    ['while retention deletes records', 10, logs.map(withIncreasingTimestamps)],
  ])('decides for each reader as a reader of the whole log does, %s', (_, expired, someLogs) => {
    fc.assert(
      fc.property(
        someLogs,
        someBounds,
        fc.record({ all: actions, pace: fc.integer({ min: 2, max: 60 }) }),
        (records, bounds, { all, pace }) => {
          const log = new TestLog(records, bounds);
          const windows = new SharedIdWindows(bounds, limits);
          const readers = new Map<number, TestReader>();
          const open = (from: number, readsStore: boolean) =>
            new TestReader(log, windows, { from: Math.max(from, log.first), readsStore });
          const close = (number: number) => {
            readers.get(number)?.window.close();
            readers.delete(number);
          };
          const check = () => {
            expect(windows.size).toBeLessThanOrEqual(readers.size);
            expect(windows.bytes).toBeLessThanOrEqual(readers.size * 40_000);
          };
          all.forEach(({ reader: number, kind, count, readsStore }, n) => {
            if (expired > 0 && n % pace === 1) {
              log.first = Math.min(log.first + expired, records.length);
              for (const [key, reader] of readers) if (reader.isBehindBeginning) close(key);
            }
            if (kind === 'close') close(number);
            if (kind === 'open') {
              close(number);
              readers.set(number, open(Math.min(count, records.length), readsStore));
            }
            for (let left = kind === 'read' ? count : 0; left > 0; left--) {
              const reader = readers.get(number);
              if (!reader) break;
              const next = readOne(reader, (from) => open(from, readsStore));
              readers.set(number, next.reader);
              if (!next.read) break;
            }
            check();
          });
          for (const key of [...readers.keys()]) close(key);
          expect([windows.size, windows.bytes]).toEqual([0, 0]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('decides as a reader of the whole log does after the log has lost records that some readers have read', () => {
    const losses = fc.record({ more: logs, cut: fc.nat(100), at: fc.nat(60), all: actions });
    fc.assert(
      fc.property(logs, someBounds, losses, (some, bounds, { more, cut, at, all }) => {
        const kept = some.slice(0, cut);
        const { offset, timestamp } = kept.at(-1) ?? some[0]!;
        const written = more.map((one) => ({
          ...one,
          offset: one.offset - more[0]!.offset + offset + 1,
          timestamp: one.timestamp - more[0]!.timestamp + timestamp,
        }));
        let log = new TestLog(some, bounds);
        const windows = new SharedIdWindows(bounds, limits);
        const readers = new Map<number, TestReader>();
        const openAt = (from: number) => new TestReader(log, windows, { from, readsStore: false });
        all.forEach(({ reader: number, kind, count }, n) => {
          // Readers that are open now go on with the lost records.
          if (n === at) log = new TestLog([...kept, ...written], bounds, kept.length);
          if (kind !== 'read') readers.get(number)?.window.close();
          if (kind === 'close') readers.delete(number);
          if (kind === 'open') readers.set(number, openAt(Math.min(count, log.records.length)));
          for (let left = kind === 'read' ? count : 0; left > 0 && readers.has(number); left--) {
            const next = readOne(readers.get(number)!, (from) => openAt(Math.min(from, kept.length)));
            readers.set(number, next.reader);
            if (!next.read) break;
          }
        });
        for (const { window } of readers.values()) window.close();
        expect([windows.size, windows.bytes]).toEqual([0, 0]);
      }),
      { numRuns: 100 },
    );
  });

  it('has one window for a partition once all its readers are near each other', () => {
    const positions = fc.array(fc.nat(200), { minLength: 1, maxLength: 5, size: 'max' });
    const someReaders = fc.record({ starts: positions, readsStore: fc.boolean() });
    fc.assert(
      fc.property(logs, someBounds, someReaders, (some, bounds, { starts, readsStore }) => {
        const { offset, timestamp } = some.at(-1)!;
        const more = Array.from({ length: 100 }, (_, n) => ({
          ...{ id: words(1000 + n), offset: offset + 1 + n, timestamp: timestamp + n },
        }));
        const log = new TestLog([...some, ...more], bounds);
        const windows = new SharedIdWindows(bounds, limits);
        const open = (from: number) => new TestReader(log, windows, { from, readsStore });
        let readers = starts.map((at) => open(Math.min(at, some.length)));
        for (let isReading = true; isReading;) {
          const all = readers.map((reader) => readOne(reader, open));
          readers = all.map(({ reader }) => reader);
          isReading = all.some(({ read }) => read);
        }
        expect(windows.size).toBe(1);
        for (const { window } of readers) window.close();
        expect(windows.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('A shared id window', () => {
  const bounds = { records: 1000, milliseconds: 1_000_000 };
  const at = (position: number, more: Partial<IdWindowRequest> = {}): IdWindowRequest => ({
    ...{ topic: 't', partition: 0, beginning: 0, position, warmUpStart: Math.max(0, position - 1000) },
    epochBefore: () => -1,
    ...more,
  });
  const read = (reader: IdWindowReader, from: number, until: number): boolean[] => {
    const decisions = [];
    for (let offset = from; offset < until; offset++)
      decisions.push(reader.repeatsWords(words(offset % 700), offset, 0));
    return decisions;
  };

  it('takes the memory of one window for all readers of a partition', () => {
    const windows = new SharedIdWindows(bounds);
    const first = windows.open(at(5000));
    read(first, first.start, 6000);
    const alone = windows.bytes;
    const others = [5000, 5500, 6000].map((position) => windows.open(at(position)));
    expect(others.map(({ start }) => start)).toEqual([5000, 5500, 5999]);
    for (const other of others) expect(read(other, other.start, 6010)).not.toContain(false);
    expect(windows.size).toBe(1);
    expect(windows.bytes).toBeLessThan(alone * 1.1);
    for (const reader of [first, ...others]) reader.close();
    expect(windows.bytes).toBe(0);
  });

  it('belongs to one partition of one topic', () => {
    const windows = new SharedIdWindows(bounds);
    const readers = [at(0), at(0, { partition: 1 }), at(0, { topic: 'u' })].map((one) => windows.open(one));
    for (const reader of readers) expect(read(reader, 0, 10)).not.toContain(true);
    expect(windows.size).toBe(3);
  });

  it('is read from its beginning by readers that open before its first record', () => {
    const windows = new SharedIdWindows(bounds);
    const [one, other] = [windows.open(at(5000)), windows.open(at(5030))];
    expect([one.start, other.start]).toEqual([3938, 3938]);
    expect(windows.size).toBe(1);
  });

  it('is read on from its last record by a reader that opens further ahead', () => {
    const windows = new SharedIdWindows(bounds);
    const one = windows.open(at(5000));
    read(one, one.start, 5100);
    const [near, far] = [windows.open(at(6000)), windows.open(at(9000))];
    expect([near.start, far.start]).toEqual([5099, 7938]);
    expect(windows.size).toBe(2);
    expect(read(near, 5099, 6010).slice(-10)).not.toContain(false);
  });

  it('is not used by a reader that needs older ids, until it has the decisions that the reader needs', () => {
    const windows = new SharedIdWindows(bounds);
    const live = windows.open(at(5000));
    read(live, live.start, 5200);
    const behind = windows.open(at(4500));
    expect([behind.start, windows.size]).toEqual([3438, 2]);
    read(behind, behind.start, 5000);
    expect(windows.size).toBe(2);
    expect(read(behind, 5000, 5001)).toEqual([true]);
    expect(windows.size).toBe(1);
  });

  it('fences a reader whose next decision is forgotten, which then has a window of its own', () => {
    const windows = new SharedIdWindows(bounds, { kept: 256, most: 4096 });
    const [fast, slow] = [windows.open(at(0)), windows.open(at(0))];
    read(slow, 0, 100);
    read(fast, 0, 4000);
    expect(read(slow, 100, 200)).not.toContain(true);
    read(fast, 4000, 10_000);
    expect(() => read(slow, 200, 201)).toThrow(IdWindowLostError);
    slow.close();
    const again = windows.open(at(200));
    expect([again.start, windows.size]).toEqual([0, 2]);
    for (let next = 10_000; next < 30_000; next += 1000) {
      read(fast, next, next + 1000);
      const own = (next - 10_000) / 10;
      expect(() => read(again, own, own + 100)).not.toThrow();
    }
    expect(windows.size).toBe(2);
  });

  it('has only ids of the log: a reader that adds ids from the store has a window of its own', () => {
    const windows = new SharedIdWindows(bounds);
    const one = windows.open(at(5000, { beginning: 4500, warmUpStart: 4500, readsStore: true }));
    expect([one.isPrivate, one.start]).toEqual([true, 4500]);
    one.readsStoreBelow(4500);
    read(one, 3500, 4500);
    const other = windows.open(at(5000, { beginning: 4500, warmUpStart: 4500 }));
    expect([other.start, windows.size]).toEqual([4500, 2]);
    // The window of the other reader lacks ids that were deleted, so its decisions are valid from 5500 on.
    read(other, 4500, 5550);
    expect(read(one, 4500, 5499)).not.toContain(false);
    expect([one.isPrivate, windows.size]).toEqual([true, 2]);
    read(one, 5499, 5501);
    expect([one.isPrivate, windows.size]).toEqual([false, 1]);
    expect(() => one.readsStoreBelow(6000)).toThrow(IdWindowLostError);
  });

  it('is not used by a reader that has the ids of deleted records in the store, while those ids matter', () => {
    const windows = new SharedIdWindows(bounds);
    const cut = { beginning: 4500, warmUpStart: 4500 };
    const one = windows.open(at(5000, cut));
    read(one, 4500, 5600);
    expect(windows.open(at(5000, { ...cut, readsStore: true })).isPrivate).toBe(true);
    expect(windows.open(at(5000, cut)).start).toBe(5000);
    expect(windows.open(at(5500, { ...cut, readsStore: true })).start).toBe(5500);
  });

  it('is not used by a reader that is so far behind that it would soon be fenced', () => {
    const windows = new SharedIdWindows(bounds, { kept: 4096, most: 4096 });
    const [one, slow] = [windows.open(at(0)), windows.open(at(0))];
    read(one, 0, 4000);
    const behind = windows.open(at(1900));
    expect([behind.start, windows.size]).toEqual([838, 2]);
    expect([slow.next, windows.open(at(2000)).start]).toEqual([0, 2000]);
    read(behind, 838, 1951);
    expect(windows.size).toBe(2);
    read(behind, 1951, 1953);
    expect(windows.size).toBe(1);
  });

  it('is shared by other readers when the ids from the store do not matter any more', () => {
    const windows = new SharedIdWindows(bounds);
    const one = windows.open(at(5000, { beginning: 4500, warmUpStart: 4500, readsStore: true }));
    one.readsStoreBelow(4500);
    read(one, 4500, 5500);
    expect(windows.open(at(5400, { beginning: 4500, warmUpStart: 4500, readsStore: true })).isPrivate).toBe(
      true,
    );
    expect(one.isPrivate).toBe(true);
    read(one, 5500, 5600);
    expect(one.isPrivate).toBe(false);
    expect(windows.open(at(5550)).start).toBe(5550);
    expect(windows.size).toBe(2);
  });

  describe('of which one reader has read records that the log has lost since', () => {
    /** The log before and after it has lost its end from 5020 on. */
    const [before, after] = [() => 1, (offset: number) => (offset > 5020 ? 2 : 1)];

    it('is given up when another reader finds records of a later leader in their place', () => {
      const windows = new SharedIdWindows(bounds);
      const one = windows.open(at(5000, { epochBefore: before }));
      const other = windows.open(at(5000, { epochBefore: after }));
      read(one, one.start, 5100);
      expect(read(other, other.start, 5020)).not.toContain(undefined);
      expect(() => read(other, 5020, 5021)).toThrow('lost records up to 5020');
      expect(windows.size).toBe(0);
      expect(() => read(one, 5100, 5101)).toThrow(IdWindowLostError);
      expect(windows.open(at(5020, { epochBefore: after })).start).toBe(3958);
    });

    it('is given up when a reader opens behind the lost records', () => {
      const windows = new SharedIdWindows(bounds);
      read(windows.open(at(5000, { epochBefore: before })), 3938, 5100);
      const other = windows.open(at(5200, { epochBefore: after }));
      expect(other.start).toBe(5099);
      expect(() => read(other, 5099, 5100)).toThrow(IdWindowLostError);
      expect(windows.size).toBe(0);
    });

    it('stays for the others when it has the records of the later leader: only the late reader is fenced', () => {
      const windows = new SharedIdWindows(bounds);
      const late = windows.open(at(5000, { epochBefore: before }));
      const one = windows.open(at(5000, { epochBefore: after }));
      read(one, one.start, 5100);
      expect(() => read(late, late.start, 5050)).toThrow('lost records up to 5020');
      expect(() => read(one, 5100, 5200)).not.toThrow();
      expect(windows.size).toBe(1);
    });

    it('is given up by the reader that is about to go on behind the lost records', () => {
      const windows = new SharedIdWindows(bounds);
      const one = windows.open(at(5000, { epochBefore: before }));
      const other = windows.open(at(5000, { epochBefore: after }));
      read(other, other.start, 5020);
      read(one, 5020, 5021);
      // The offset 5020 does not occur in the new log.
      expect(() => read(other, 5021, 5022)).toThrow(IdWindowLostError);
    });

    it('says nothing about records whose leader is not known', () => {
      const windows = new SharedIdWindows(bounds);
      const one = windows.open(at(5000));
      const other = windows.open(at(5000, { epochBefore: after }));
      read(one, one.start, 5100);
      expect(() => read(other, other.start, 5200)).not.toThrow();
    });
  });

  it('does not serve a closed reader', () => {
    const windows = new SharedIdWindows(bounds);
    const [one, other] = [windows.open(at(0)), windows.open(at(0))];
    one.close();
    one.close();
    expect(() => read(one, 0, 1)).toThrow(IdWindowLostError);
    expect(windows.size).toBe(1);
    expect(read(other, 0, 10)).not.toContain(true);
  });
});
