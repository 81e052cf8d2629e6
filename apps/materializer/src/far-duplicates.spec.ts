import { farReach, IdWindow } from '#dataflow';
import { StalledConsumerDetector, logTimeAt, warmUpStart } from '#engine';
import { noErasures } from '#engine/memory';
import { allStreams } from '#api';
import { encodeRecord, TopicAndGroupNames } from '#event';
import type { NewlyAssignedPartition } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { leaveOutRejected, VerdictTable } from '#verdicts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Materializer } from './materializer.js';
import type { MaterializerStore } from './partition/materializer-dependencies.js';

const topics = new TopicAndGroupNames('spec.');
const topic = topics.ofStream('orders#1');
const window = { records: 20, milliseconds: 60_000 };
const far = { milliseconds: 10_000 };
const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

let now: number;
let log: MemoryLog;
let store: MemoryStore;
let failures: Error[];
let materializer: Materializer | undefined;
/** Resolves when the store takes rows. */
let storeIsFree: Promise<void>;
let reader: Reader | undefined;

/** What was appended to the log, by offset. */
let written: { id: number; time: number }[];

beforeEach(() => begin());
afterEach(() => end());

async function begin(): Promise<void> {
  now = 1_795_000_000_000;
  log = new MemoryLog({ now: () => now });
  store = new MemoryStore();
  [failures, written] = [[], []];
  storeIsFree = Promise.resolve();
  await log.admin.create(topic, { partitions: 1 });
}

async function end(): Promise<void> {
  await reader?.close();
  await materializer?.close(0);
  [reader, materializer] = [undefined, undefined];
  await log.close();
}

async function startMaterializer(farBytes = 1e6): Promise<void> {
  materializer = new Materializer({
    eraser: store.eraser,
    writeBackEvents: 1000,
    ...{ log, topics, window, far, farBytes, erasures: noErasures, now: () => now },
    writer: slowWriter(store.writer),
    logger: createLogger({ name: 'test', level: 'silent' }),
    progress: new StalledConsumerDetector(),
    cachedEntities: 100,
    limits: { insertRows: 50, insertBytes: 1e6, intervalMs: 0, queueBytes: 2e6 },
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    onFailure: (error) => failures.push(error),
  });
  await materializer.subscribe(['orders#1']);
}

/** Returns a writer that stores rows when `storeIsFree` resolves. */
function slowWriter(writer: MaterializerStore): MaterializerStore {
  const slow = Object.create(writer) as MaterializerStore;
  slow.appendRowBatches = async (rows, token) => {
    await storeIsFree;
    await writer.appendRowBatches(rows, token);
  };
  return slow;
}

/** Ends the materializer as SIGKILL does: it stores and commits nothing more. */
async function killMaterializer(): Promise<void> {
  log.down = true;
  await materializer?.close(0);
  log.down = false;
  materializer = undefined;
}

/** Drops the store, and lets a materializer read the log from its beginning. */
async function rebuildStore(): Promise<void> {
  await killMaterializer();
  store = new MemoryStore();
  await vi.waitFor(async () => expect(await log.admin.removeGroup(topics.materializerGroup)).toBe(true));
  await startMaterializer();
}

/** A consumer that counts events like a projection: with an id window, and without refused records. */
class Reader {
  readonly accepted: number[] = [];
  private readonly table = new VerdictTable({ log, names: topics });
  private readonly consumer;
  private assignment!: NewlyAssignedPartition;
  private readonly ids = new IdWindow(window);
  private begun = false;

  constructor(private readonly group: string) {
    this.consumer = leaveOutRejected(log, {
      verdicts: this.table,
      committed: async ({ partition }) =>
        (await log.admin.committed(topics.materializerGroup, topic)).get(partition) ?? 0,
      waiting: () => undefined,
      isStream: (one) => topics.streamOf(one) !== undefined,
      busy: { records: window.records, milliseconds: farReach(far) },
      logTimeAt,
    }).consumer({
      group,
      onCrash: (error) => failures.push(error),
      handler: {
        assigned: (assignment) => {
          this.assignment = assignment;
          return warmUpStart(assignment, window, now);
        },
        batch: async ({ records, next }) => {
          if (!this.begun && records[0]) this.ids.startAt(await logTimeAt(this.assignment, records[0]));
          this.begun = true;
          for (const { offset, timestamp, value } of records) {
            if (value === null) this.ids.pass(offset, timestamp);
            else if (!this.ids.repeats(idIn(value), offset, timestamp) && offset >= this.assignment.position)
              this.accepted.push(offset);
          }
          await this.consumer.commit(topic, 0, next);
        },
        revoked: () => undefined,
      },
    });
  }

  start(): Promise<void> {
    return this.consumer.subscribe([topic]);
  }

  committed = async (): Promise<number> => (await log.admin.committed(this.group, topic)).get(0) ?? 0;

  async close(): Promise<void> {
    await this.consumer.close();
    await this.table.close();
  }
}

const idIn = (value: Buffer) => (JSON.parse(value.toString()) as { event_id: string }).event_id;

async function startReader(group: string): Promise<Reader> {
  await reader?.close();
  reader = new Reader(group);
  await reader.start();
  return reader;
}

async function write(ids: readonly number[]): Promise<void> {
  const records = ids.map((id) => ({
    ...{ topic, key: 'e' },
    value: encodeRecord({
      ...{ event_id: uuid(id), event_type: 'happened', entity_id: id % 3 === 0 ? null : `e${id % 5}` },
      ...{ timestamp: now * 1000, ingested_at: now * 1000, schema_version: null, metadata: '{}', data: '{}' },
    }),
  }));
  await (await log.producer()).append(records);
  written.push(...ids.map((id) => ({ id, time: now })));
}

const committed = async () => (await log.admin.committed(topics.materializerGroup, topic)).get(0) ?? 0;
const untilStored = () =>
  vi.waitFor(async () => expect([failures, await committed()]).toEqual([[], written.length]), {
    ...{ timeout: 10_000, interval: 1 },
  });

async function storedOffsets(): Promise<number[]> {
  const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 10_000 });
  return items.map(({ offset }) => offset).sort((a, b) => a - b);
}

async function readAll(group: string): Promise<number[]> {
  const one = await startReader(group);
  await vi.waitFor(async () => expect([failures, await one.committed()]).toEqual([[], written.length]), {
    ...{ timeout: 10_000, interval: 1 },
  });
  return one.accepted;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a far duplicate', () => {
  it('is no event for the store and for other consumers, however late they read', async () => {
    await startMaterializer();
    await write(range(0, 100));
    now += 5_000;
    await write([3, 100, 50]);
    await untilStored();
    const expected = [...range(0, 100), 101];
    expect(await storedOffsets()).toEqual(expected);
    expect(await readAll('early')).toEqual(expected);
    now += 3_600_000;
    expect(await readAll('late')).toEqual(expected);
  });

  it('is decided for other consumers before it and the events around it are stored', async () => {
    let release = (): void => undefined;
    storeIsFree = new Promise((resolve) => (release = resolve));
    await startMaterializer();
    await write(range(0, 100));
    await write([3, ...range(100, 150)]);
    const one = await startReader('g');
    await vi.waitFor(() => expect(one.accepted).toEqual([...range(0, 100), ...range(101, 151)]), {
      timeout: 10_000,
    });
    expect(await committed()).toBe(0);
    release();
    await untilStored();
    expect(await storedOffsets()).toEqual(one.accepted);
  });

  it('is an event when the first one is older than the far window', async () => {
    await startMaterializer();
    await write(range(0, 100));
    now += farReach(far) + 1;
    await write([3, ...range(100, 130), 3]);
    await untilStored();
    expect(await storedOffsets()).toEqual(range(0, 131));
    expect(await readAll('g')).toEqual(range(0, 131));
  });

  it('is recognised by a materializer that starts after the first event, and by one whose first event waits', async () => {
    await startMaterializer();
    await write(range(0, 100));
    await untilStored();
    await killMaterializer();
    now += 1_000;
    await write([...range(100, 150), 3, 101]);
    await startMaterializer();
    await untilStored();
    expect(await storedOffsets()).toEqual(range(0, 150));
  });

  it('stays refused when the store is rebuilt after the log has lost the beginning', async () => {
    await startMaterializer();
    await write(range(0, 100));
    now += 5_000;
    await write([3, 100]);
    await untilStored();
    log.topics.get(topic)!.truncate(0, 90);
    await rebuildStore();
    await untilStored();
    expect(await storedOffsets()).toEqual([...range(90, 100), 101]);
  });

  it('needs no topic of verdicts as long as no partition is busy', async () => {
    await startMaterializer();
    for (let n = 0; n < 60; n++) {
      now += 1_000;
      await write([n]);
    }
    await untilStored();
    expect(await readAll('g')).toEqual(range(0, 60));
    expect(log.topics.has(topics.verdicts)).toBe(false);
  });
});

describe('a random log, read by materializers and readers that are killed and restarted', () => {
  type Step = { what: 'write'; repeats: number[]; count: number; ms: number } | { what: Restart };
  type Restart = 'kill' | 'rebuild' | 'restart reader' | 'new reader';
  const writes = fc.record({
    what: fc.constant('write' as const),
    /** Distances, in records, between a repeat and the record that it repeats. */
    repeats: fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 6 }),
    count: fc.integer({ min: 1, max: 30 }),
    ms: fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.constantFrom(4_000, 9_000)),
  });
  const restarts = fc.constantFrom<Restart>('kill', 'kill', 'restart reader', 'new reader', 'rebuild');
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.oneof({ weight: 4, arbitrary: writes }, { weight: 1, arbitrary: restarts.map((what) => ({ what })) }),
    { minLength: 5, maxLength: 25 },
  );

  async function run(script: readonly Step[]): Promise<number[]> {
    await startMaterializer();
    let one = await startReader('g0');
    let [groups, next] = [0, 0];
    let seen: number[] = [];
    const stop = async (isNew: boolean): Promise<void> => {
      await one.close();
      seen = isNew ? [] : [...seen, ...one.accepted];
      one = await startReader(isNew ? `g${++groups}` : `g${groups}`);
    };
    for (const step of script) {
      if (step.what === 'write') {
        now += step.ms;
        const ids = range(next, (next += step.count));
        for (const distance of step.repeats) {
          const known = [...written.map(({ id }) => id), ...ids];
          ids.push(known[Math.max(0, known.length - distance)]!);
        }
        await write(ids);
        if (step.ms % 2 === 0) await untilStored();
      } else if (step.what === 'kill') {
        await killMaterializer();
        await startMaterializer();
      } else if (step.what === 'rebuild') await rebuildStore();
      else await stop(step.what === 'new reader');
    }
    await untilStored();
    await vi.waitFor(async () => expect([failures, await one.committed()]).toEqual([[], written.length]), {
      ...{ timeout: 10_000, interval: 1 },
    });
    return [...seen, ...one.accepted];
  }

  it('has one event for all repeats within the far window, the same for everybody', async () => {
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        await end();
        await begin();
        const read = await run(script);
        const stored = await storedOffsets();
        // A reader that is killed before its commit reads some records again.
        expect([...new Set(read)].sort((a, b) => a - b)).toEqual(stored);
        expect(await readAll('afterwards')).toEqual(stored);
        const events = new Map<number, number>();
        for (const offset of stored) {
          const { id, time } = written[offset]!;
          const before = events.get(id);
          if (before !== undefined) expect(time - before).toBeGreaterThan(far.milliseconds);
          events.set(id, time);
        }
        expect(events.size).toBe(new Set(written.map(({ id }) => id)).size);
        refusals += written.length - stored.length;
      }),
      { numRuns: 40 },
    );
    expect(refusals).toBeGreaterThan(100);
  }, 120_000);
});
