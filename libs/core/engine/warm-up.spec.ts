import { unknownEpoch, type NewlyAssignedPartition } from '#kafka';
import { IdWindow } from '#dataflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logTimeAt, warmUpStart } from './warm-up.js';

interface Entry {
  id: string;
  offset: number;
  timestamp: number;
}

const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** Returns an assignment for this log, which counts its requests to the log. */
function assignmentOf(log: Entry[], position: number): NewlyAssignedPartition & { asked: number } {
  const end = log.length > 0 ? log.at(-1)!.offset + 1 : 0;
  return {
    topic: 't',
    partition: 0,
    position,
    beginning: log[0]?.offset ?? 0,
    asked: 0,
    async offsetAt(timestamp) {
      this.asked++;
      return log.find((entry) => entry.timestamp >= timestamp)?.offset ?? end;
    },
    async timestampAtPosition() {
      return log.find((entry) => entry.offset >= position)?.timestamp;
    },
    epochBefore: () => unknownEpoch,
    epochStartIn: () => undefined,
    lostBefore: async () => undefined,
  };
}

function decide(window: IdWindow, log: Entry[]): boolean[] {
  return log.map(({ id, offset, timestamp }) => window.repeats(id, offset, timestamp));
}

const steps = fc.record({
  id: fc.integer({ min: 0, max: 15 }).map(uuid),
  gap: fc.constantFrom(1, 1, 1, 1, 7),
  step: fc.oneof(fc.integer({ min: -20, max: 40 }), fc.constantFrom(-3000, 3000)),
});
const logs = fc.array(steps, { maxLength: 150 }).map((list) => {
  let offset = 100;
  let timestamp = 1_795_000_000_000;
  return list.map(({ id, gap, step }) => ({ id, offset: (offset += gap), timestamp: (timestamp += step) }));
});

describe('warming up', () => {
  it('lets a consumer decide from any position as if it had read the whole log, for any timestamps', async () => {
    await fc.assert(
      fc.asyncProperty(
        logs,
        // The later part of the log is appended after the assignment.
        fc.record({ at: fc.nat(150), later: fc.nat(150), records: fc.integer({ min: 1, max: 50 }) }),
        fc.integer({ min: 0, max: 800 }),
        async (log, { at, later, records }, milliseconds) => {
          const bounds = { records, milliseconds };
          const known = log.slice(0, log.length - Math.min(later, log.length));
          const index = Math.min(at, known.length);
          const position = known[index]?.offset ?? (known.at(-1)?.offset ?? 99) + 1;
          const assignment = assignmentOf(known, position);
          const start = await warmUpStart(assignment, bounds, 1_795_000_005_000);
          const read = log.filter((entry) => entry.offset >= start);
          const window = new IdWindow(bounds);
          if (read[0]) window.startAt(await logTimeAt(assignmentOf(log, position), read[0]));
          const decided = decide(window, read);
          const expected = decide(new IdWindow(bounds), log);
          const rest = log.filter((entry) => entry.offset >= position).length;
          expect(decided.slice(decided.length - rest)).toEqual(expected.slice(expected.length - rest));
        },
      ),
      { numRuns: 500 },
    );
  });

  const second = 1000;
  const quietLog = (size: number): Entry[] =>
    Array.from({ length: size }, (_, n) => ({ id: uuid(n), offset: n, timestamp: 1_000_000 + n * second }));

  it('reads back at most the records of the window', async () => {
    const assignment = assignmentOf(quietLog(1000), 900);
    expect(await warmUpStart(assignment, { records: 50, milliseconds: 1e9 }, 2e9)).toBe(850);
  });

  it('reads back at most the time of the window', async () => {
    const assignment = assignmentOf(quietLog(1000), 900);
    expect(await warmUpStart(assignment, { records: 500, milliseconds: 10 * second }, 2e9)).toBe(890);
  });

  it('finds the last events of a log that has been quiet for long, with few requests', async () => {
    const assignment = assignmentOf(quietLog(1000), 1000);
    const start = await warmUpStart(assignment, { records: 1000, milliseconds: 10 * second }, 2e7);
    expect(start).toBeLessThanOrEqual(989);
    expect(assignment.asked).toBeLessThan(20);
  });

  it('reads nothing before the beginning of the log', async () => {
    expect(await warmUpStart(assignmentOf(quietLog(10), 0), { records: 50, milliseconds: 1e9 }, 2e9)).toBe(0);
  });

  it('finds the log time at a record with one request if timestamps increase', async () => {
    const assignment = assignmentOf(quietLog(100), 90);
    expect(await logTimeAt(assignment, { offset: 50, timestamp: 1_050_000 })).toBe(1_050_000);
    expect(assignment.asked).toBe(1);
  });

  it('finds the log time at a record whose producer has a slow clock', async () => {
    const log = [
      { id: uuid(0), offset: 0, timestamp: 5_000_123 },
      { id: uuid(1), offset: 1, timestamp: 17 },
      { id: uuid(2), offset: 2, timestamp: 9_000_000 },
    ];
    expect(await logTimeAt(assignmentOf(log, 1), { offset: 1, timestamp: 17 })).toBe(5_000_123);
  });

  it('asks for no negative timestamp, because these have a special meaning in Kafka', async () => {
    const log = [0, 1, 2].map((offset) => ({ id: uuid(offset), offset, timestamp: 500 + offset }));
    const assignment = assignmentOf(log, 2);
    const times: number[] = [];
    const offsetAt = assignment.offsetAt.bind(assignment);
    assignment.offsetAt = (time) => {
      times.push(time);
      return offsetAt(time);
    };
    expect(await warmUpStart(assignment, { records: 100, milliseconds: 1000 }, 10_000)).toBe(0);
    expect(times).toEqual([0]);
  });
});
