import { StalledConsumerDetector } from '#engine';
import { noErasures } from '#engine/memory';
import { allStreams } from '#api';
import { expectedVersionHeader, TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { VerdictTable, VerdictWaiters, type Verdict } from '#verdicts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Materializer } from '../materializer.js';
import { uuid, valueOf } from '../row-batch.fixture.js';

const topics = new TopicAndGroupNames('test.');
const topic = topics.ofStream('orders#1');
const longMs = 60_000;

let log: MemoryLog;
let store: MemoryStore;
let running: Materializer[];
let failures: Error[];
let table: VerdictTable;
let waiters: VerdictWaiters;

beforeEach(async () => {
  [log, store, running, failures] = [new MemoryLog(), new MemoryStore(), [], []];
  await log.admin.create(topic, { partitions: 1 });
  table = new VerdictTable({ log, names: topics });
  waiters = new VerdictWaiters(table);
  await table.ready();
  waiters.begin();
});
afterEach(async () => {
  log.down = false;
  await Promise.all(running.map((materializer) => materializer.close(0)));
  await table.close();
  expect(failures).toEqual([]);
});

async function start(options: { cachedEntities?: number } = {}): Promise<Materializer> {
  const materializer = new Materializer({
    eraser: store.eraser,
    writeBackEvents: 1000,
    ...{ log, writer: store.writer, topics },
    logger: createLogger({ name: 'test', level: 'silent' }),
    progress: new StalledConsumerDetector(),
    window: { records: 1000, milliseconds: 60_000 },
    far: { milliseconds: 0 },
    farBytes: 0,
    erasures: noErasures,
    cachedEntities: options.cachedEntities ?? 1000,
    limits: { insertRows: 500, insertBytes: 1_000_000, intervalMs: 0, queueBytes: 2_000_000 },
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    onFailure: (error) => failures.push(error),
  });
  running.push(materializer);
  await materializer.subscribe(['orders#1']);
  return materializer;
}

/** Ends a materializer as SIGKILL does: the materializer stores and commits nothing more. */
async function kill(materializer: Materializer): Promise<void> {
  running = running.filter((one) => one !== materializer);
  log.down = true;
  await materializer.close(0);
  log.down = false;
}

/** Appends the event with the number `id` to the topic, and returns the record's offset. */
async function append(id: number, expected?: number, entity = 'e'): Promise<number> {
  const value = valueOf({
    event_id: uuid(id),
    entity_id: entity,
    timestamp: 1_795_000_000_000_000 + id,
    data: '{}',
  });
  const headers = expected !== undefined && { headers: { [expectedVersionHeader]: `${expected}` } };
  const [position] = await (await log.producer()).append([{ topic, key: entity, value, ...headers }]);
  return position!.offset;
}

const verdictAt = (offset: number): Promise<Verdict | undefined> =>
  waiters.of({ topic, partition: 0, offset }, longMs);
const verdict = async (id: number, expected?: number, entity?: string) =>
  verdictAt(await append(id, expected, entity));

async function stored(): Promise<[string, number | null][]> {
  const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 1000 });
  return items.map(({ event_id, version }) => [event_id, version]);
}

describe('a conditional write', () => {
  it('is stored with its version, or refused with the current one', async () => {
    await start();
    expect(await verdict(1, 0)).toMatchObject({ version: 1 });
    expect(await verdict(2, 0)).toMatchObject({ current_version: 1 });
    expect(await verdict(3, 1)).toMatchObject({ version: 2 });
    await expect.poll(stored).toEqual([
      [uuid(1), 1],
      [uuid(3), 2],
    ]);
  });

  it('that repeats an accepted event gets its version, whether that is stored, or not yet, or an older one', async () => {
    const materializer = await start();
    await verdict(1, 0);
    await verdict(2, 1);
    await expect.poll(stored).toHaveLength(2);
    expect(await verdict(1, 0)).toMatchObject({ version: 1 });
    expect(await verdict(2, 7)).toMatchObject({ version: 2 });
    await kill(materializer);
    const offsets = [await append(3, 2), await append(3, 2), await append(1, 0)];
    await start();
    const versions = await Promise.all(offsets.map(verdictAt));
    expect(versions).toMatchObject([{ version: 3 }, { version: 3 }, { version: 1 }]);
  });

  it('is compared with the version of its entity, even if the cache of versions is full', async () => {
    const entities = Array.from({ length: 20 }, (_, n) => `e${n}`);
    const offsets: number[] = [];
    for (const expected of [0, 1, 2])
      for (const [n, entity] of entities.entries())
        offsets.push(await append(expected * 100 + n, expected, entity));
    await start({ cachedEntities: 1 });
    const verdicts = await Promise.all(offsets.map(verdictAt));
    expect(verdicts.map((verdict) => verdict?.version)).toEqual(
      offsets.map((_, n) => Math.floor(n / 20) + 1),
    );
    expect(await verdict(999, 3, 'e7')).toMatchObject({ version: 4 });
    expect(await verdict(1000, 0, 'e8')).toMatchObject({ current_version: 3 });
  });

  it('is decided again if it repeats a refused one', async () => {
    await start();
    expect(await verdict(1, 1)).toMatchObject({ current_version: 0 });
    expect(await verdict(2, 0)).toMatchObject({ version: 1 });
    expect(await verdict(1, 1)).toMatchObject({ version: 2 });
  });

  it('has a verdict only when the log has it: nothing is committed before', async () => {
    await start();
    await append(1);
    await expect
      .poll(async () => (await log.admin.committed(topics.materializerGroup, topic)).get(0))
      .toBe(1);
    const offset = await append(2, 1);
    await verdictAt(offset);
    expect(table.decidedUntil({ topic, partition: 0 })).toBe(offset + 1);
  });

  it('keeps its verdict when the store is rebuilt from a log whose beginning is gone', async () => {
    const materializer = await start();
    for (const [id, expected] of [[1], [2, 1], [3, 1], [4, 2], [5, 0]] as const) await append(id, expected);
    await verdictAt(4);
    await expect.poll(stored).toHaveLength(3);
    await materializer.close(1000);
    running = [];
    store = new MemoryStore();
    log.topics.get(topic)!.truncate(0, 1);
    await log.admin.removeGroup(topics.materializerGroup);
    await start();
    await expect.poll(stored).toEqual([
      [uuid(2), 1],
      [uuid(4), 2],
    ]);
    // A record that is appended after the crash is compared with the stored versions.
    expect(await verdict(6, 2)).toMatchObject({ version: 3 });
  });

  it('of a materializer that dies after its verdict, and before its insert, is not decided again', async () => {
    const append_ = store.writer.appendRowBatches.bind(store.writer);
    let insert: () => void = () => undefined;
    const began = new Promise<void>((resolve) => (insert = resolve));
    store.writer.appendRowBatches = async () => {
      insert();
      await new Promise(() => undefined);
    };
    const first = await start();
    const offsets = [await append(1, 0), await append(2, 0)];
    expect(await Promise.all(offsets.map(verdictAt))).toMatchObject([{ version: 1 }, { current_version: 1 }]);
    await began;
    await kill(first);
    store.writer.appendRowBatches = append_;
    await start();
    await expect.poll(stored).toEqual([[uuid(1), 1]]);
    expect(await verdict(3, 1)).toMatchObject({ version: 2 });
  });
});
