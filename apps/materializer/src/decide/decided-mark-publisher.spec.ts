import { KafkaOrClickHouseRetrier } from '#engine';
import { LogUnavailableError } from '#kafka';
import { createLogger } from '#telemetry';
import { VerdictConflictError, type DecidedMark } from '#verdicts';
import { beforeEach, describe, expect, it } from 'vitest';
import { DecidedMarkPublisher } from './decided-mark-publisher.js';
import type { MaterializedPartition } from '../partition/materialized-partition.js';
import { rowBatchOf } from '../row-batch.fixture.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const place = { stream: 's', partition: 0 };
const noRows = rowBatchOf(place, []);

let decided: Map<number, number>;
let appends: DecidedMark[][];
let refused: number[];
let failures: Error[];
beforeEach(() => {
  decided = new Map();
  [appends, refused, failures] = [[], [], []];
});

const marksOf = (): DecidedMarkPublisher =>
  new DecidedMarkPublisher({
    retry: new KafkaOrClickHouseRetrier({ logger, firstDelayMs: 1, longestDelayMs: 2 }),
    publisher: {
      mark: async (marks) => {
        const failure = failures.shift();
        if (failure) throw failure;
        appends.push([...marks]);
        for (const one of marks) decided.set(one.partition, one.decided);
      },
    },
    verdicts: {
      decidedUntil: ({ partition }) => decided.get(partition) ?? 0,
      refusedIn: () => (refused.length > 0 ? new Uint8Array(1) : new Uint8Array(0)),
      isRefused: (_, offset) => refused.includes(offset),
    },
  });

function partition(number: number): MaterializedPartition & { end: AbortController } {
  const ended = new AbortController();
  return { topic: 't', partition: number, ended: ended.signal, end: ended } as never;
}

describe('DecidedMarkPublisher', () => {
  it('publishes the newest marks of several partitions in one append', async () => {
    const marks = marksOf();
    const [one, two] = [partition(0), partition(1)];
    await Promise.all([marks.mark(one, 5, noRows), marks.mark(two, 7, noRows), marks.mark(one, 9, noRows)]);
    expect(appends).toEqual([
      [
        { topic: 't', partition: 0, decided: 9 },
        { topic: 't', partition: 1, decided: 7 },
      ],
    ]);
  });

  it('publishes nothing for records that are decided already', async () => {
    decided.set(0, 9);
    await marksOf().mark(partition(0), 9, noRows);
    expect(appends).toEqual([]);
  });

  it('repeats an append that fails because Kafka cannot be reached', async () => {
    failures = [new LogUnavailableError('down'), new LogUnavailableError('down')];
    await marksOf().mark(partition(0), 9, noRows);
    expect(appends).toHaveLength(1);
  });

  it('ends for a partition that is no longer assigned, and continues for the others', async () => {
    const [gone, kept] = [partition(0), partition(1)];
    const marks = marksOf();
    failures = [new LogUnavailableError('down')];
    const both = Promise.all([marks.mark(gone, 5, noRows), marks.mark(kept, 7, noRows)]);
    gone.end.abort();
    await both;
    expect(appends.flat().map((one) => one.partition)).toContain(1);
  });

  it('fails when another process has refused a row before the mark was in the log', async () => {
    refused = [3];
    const marks = marksOf();
    await marks.mark(partition(0), 5, rowBatchOf(place, [{ offset: 2 }]));
    await expect(
      marks.mark(partition(0), 9, rowBatchOf(place, [{ offset: 2 }, { offset: 3 }])),
    ).rejects.toThrow(VerdictConflictError);
  });
});
