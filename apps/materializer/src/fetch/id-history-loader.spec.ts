import { farReach, IdHistory, MemoryBudget } from '#dataflow';
import { StalledConsumerDetector, KafkaOrClickHouseRetrier } from '#engine';
import { readUuidText } from '#event';
import { unknownEpoch, type NewlyAssignedPartition } from '#kafka';
import { StoreUnavailableError, type OffsetRange } from '#store';
import { createLogger } from '#telemetry';
import { beforeEach, describe, expect, it } from 'vitest';
import { IdHistoryLoader } from './id-history-loader.js';
import { uuid } from '../row-batch.fixture.js';

const far = { milliseconds: 12_000 };
const logger = createLogger({ name: 'test', level: 'silent' });
/** One record each 10 milliseconds; the record at offset n has the id with the number n. */
const timeOf = (offset: number) => 1_000_000 + 10 * offset;

function idOf(n: number): Uint32Array {
  const words = new Uint32Array(4);
  readUuidText(uuid(n), words);
  return words;
}

let asked: OffsetRange[];
let requests: number;
let failures: Error[];
let budget: MemoryBudget;
beforeEach(() => {
  [asked, failures, requests, budget] = [[], [], 0, new MemoryBudget(1e6)];
});

function assignmentOf(position: number, { end = 10_000, beginning = 0 } = {}): NewlyAssignedPartition {
  return {
    ...{ topic: 't', partition: 2, position, beginning },
    offsetAt: async (time) => {
      requests++;
      return Math.min(Math.max(Math.ceil((time - timeOf(0)) / 10), beginning), end);
    },
    timestampAtPosition: async () => (position < end ? timeOf(position) : undefined),
    epochBefore: () => unknownEpoch,
    epochStartIn: () => undefined,
    lostBefore: async () => undefined,
  };
}

async function load(
  assignment: NewlyAssignedPartition,
  { records = 100 } = {},
): Promise<{ history: IdHistory; floor: number }> {
  const loader = new IdHistoryLoader({
    ...{
      far,
      window: { records, milliseconds: 0 },
      logger,
      progress: new StalledConsumerDetector(),
      now: () => timeOf(10_000),
    },
    retry: new KafkaOrClickHouseRetrier({ logger, firstDelayMs: 1, longestDelayMs: 2 }),
    writer: {
      idsIn: async (range) => {
        const failure = failures.shift();
        if (failure) throw failure;
        asked.push(range);
        const ids = new Uint32Array((range.until - range.from) * 4);
        for (let n = range.from; n < range.until; n++) ids.set(idOf(n), (n - range.from) * 4);
        return ids;
      },
    },
  });
  const history = new IdHistory(far, budget);
  const ended = new AbortController().signal;
  const floor = await loader.load({ stream: 's#1', partition: 2, assignment, history, ended });
  return { history, floor };
}

const has = (history: IdHistory, offset: number, now: number): boolean =>
  history.mightHave(idOf(offset), now) && history.includes(offset, now);

describe('IdHistoryLoader', () => {
  it.each([
    ['in the middle', 5_000],
    ['at the end', 10_000],
  ])(
    'loads all ids outside the id window that a record %s of the log can repeat',
    async (_what, position) => {
      const { history, floor } = await load(assignmentOf(position));
      const now = timeOf(position);
      for (let n = position - 1_200; n < position - 100; n++) expect(has(history, n, now)).toBe(true);
      expect(has(history, position - farReach(far) / 10 - 1, now)).toBe(false);
      expect(floor).toBeLessThanOrEqual(position - farReach(far) / 10);
      expect(asked.at(-1)!.until).toBe(position - 100);
      expect(asked[0]!.from).toBe(floor);
      asked.slice(1).forEach(({ from }, i) => expect(from).toBe(asked[i]!.until));
      expect(history.lengthAt(now)).toBe(far.milliseconds);
    },
  );

  it('asks the log once, and the store nothing, if the partition is not busy', async () => {
    const { history, floor } = await load(assignmentOf(5_000), { records: 2_000 });
    expect([history.isEmpty, asked, requests]).toEqual([true, [], 1]);
    expect(floor).toBe(5_000 - farReach(far) / 10);
  });

  it('asks nothing if the partition has fewer records than the id window', async () => {
    expect((await load(assignmentOf(50))).floor).toBe(0);
    expect([asked, requests]).toEqual([[], 0]);
  });

  it('does not know how old records are that retention has removed', async () => {
    expect((await load(assignmentOf(5_000, { beginning: 4_500 }))).floor).toBe(0);
    expect(asked[0]!.from).toBe(4_500);
  });

  it('loads the newest slices that fit into the memory, and says so', async () => {
    // Memory for 1 024 of 1 200 ids.
    budget = new MemoryBudget(3_600);
    const { history } = await load(assignmentOf(5_000));
    const length = history.lengthAt(timeOf(5_000));
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(far.milliseconds);
    for (let n = 4_899; timeOf(5_000) - timeOf(n) < length; n--)
      expect(has(history, n, timeOf(5_000))).toBe(true);
  });

  it('repeats a request while the store is unavailable', async () => {
    failures = [new StoreUnavailableError('down'), new StoreUnavailableError('down')];
    const { history } = await load(assignmentOf(5_000));
    expect(has(history, 4_800, timeOf(5_000))).toBe(true);
  });
});
