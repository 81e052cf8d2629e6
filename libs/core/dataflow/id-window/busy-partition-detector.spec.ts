import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BusyPartitionDetector } from './busy-partition-detector.js';

const bounds = { records: 1_280, milliseconds: 600_000 };

/** Reads `count` records, one each `ms` milliseconds, in batches of 100; returns whether each batch was busy. */
function read(partition: BusyPartitionDetector, { from = 0, count = 4_000, ms = 1 }): boolean[] {
  const found: boolean[] = [];
  for (let first = from; first < from + count; first += 100) {
    const records = Array.from({ length: 100 }, (_, i) => ({
      offset: first + i,
      timestamp: (first + i) * ms,
    }));
    found.push(partition.isBusyIn(records, first + 100));
  }
  return found;
}

const fromStart = () => {
  const partition = new BusyPartitionDetector(bounds);
  partition.begin(0, -Infinity, 0);
  return partition;
};

describe('BusyPartitionDetector', () => {
  it('is busy at every record that can repeat one outside the id window, for any log', () => {
    const logs = fc.array(
      fc.record({ gap: fc.integer({ min: 1, max: 9 }), step: fc.integer({ min: -50, max: 99 }) }),
      {
        minLength: 2,
        maxLength: 300,
      },
    );
    const limits = fc.record({ records: fc.nat(60), milliseconds: fc.integer({ min: 1, max: 1500 }) });
    fc.assert(
      fc.property(
        logs,
        limits,
        fc.record({ cuts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), at: fc.nat() }),
        (made, few, { cuts, at }) => {
          let [offset, timestamp, logTime] = [0, 1_000_000, -Infinity];
          const log = made.map(({ gap, step }) => {
            offset += gap;
            timestamp += step;
            logTime = Math.max(logTime, timestamp);
            return { offset, timestamp, logTime };
          });
          const start = at % log.length;
          const first = log[start]!;
          const floor = log.find((one) => one.timestamp >= first.logTime - few.milliseconds)!.offset;
          const partition = new BusyPartitionDetector(few);
          partition.begin(first.offset, first.logTime, floor);
          for (let from = start, i = 0; from < log.length; i++) {
            const batch = log.slice(from, (from += cuts[i % cuts.length]!));
            const isPossible = batch.some((one) =>
              log.some(
                (early) =>
                  one.offset - early.offset > few.records && one.logTime - early.logTime <= few.milliseconds,
              ),
            );
            const isBusy = partition.isBusyIn(batch, batch.at(-1)!.offset + 1);
            if (isPossible) expect(isBusy).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not busy until it has more records than the id window', () => {
    const busy = read(fromStart(), {});
    expect(busy.indexOf(true)).toBe(12);
    expect(busy.slice(12)).not.toContain(false);
  });

  it('is not busy with few records, also where reading begins in the middle', () => {
    expect(read(fromStart(), { ms: 600 })).not.toContain(true);
    const partition = new BusyPartitionDetector(bounds);
    const from = 2_000;
    partition.begin(from, from * 600, 0);
    read(partition, { from, count: 1_300, ms: 600 });
    expect(read(partition, { from: from + 1_300, ms: 600 })).not.toContain(true);
  });

  it('is never busy without a time', () => {
    const partition = new BusyPartitionDetector({ ...bounds, milliseconds: 0 });
    partition.begin(0, -Infinity, 0);
    expect(read(partition, {})).not.toContain(true);
  });
});
