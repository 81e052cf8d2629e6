import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { startClickHouse, type RunningClickHouse } from '#local';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { rowsOf } from '../contract/rows.js';
import { isRetryableStoreError } from '../errors.js';
import type { EventRow, Store } from '../store.js';
import { openClickHouse } from './open.js';

const mib = 1024 * 1024;
const stream = 'orders';

/** Whether the test can mount a small file system: this requires root on Linux, which CI has. */
const canMountTmpfs = (process.platform === 'linux' && process.getuid?.() === 0) || process.env.CI === 'true';

describe.skipIf(!canMountTmpfs)('a store whose disk is full', () => {
  let folder: string;
  let engine: RunningClickHouse | undefined;
  let store: Store;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder]);
    await writeFile(join(folder, 'ballast'), Buffer.alloc(40 * mib));
    engine = await startClickHouse({ dataDir: join(folder, 'clickhouse') });
    const database = 'full';
    store = openClickHouse({ url: engine.url, user: 'tributary', password: engine.password, database });
    await store.migrate();
  });
  afterAll(async () => {
    await store?.close();
    await engine?.kill('SIGKILL');
    execFileSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns ten events with a megabyte of incompressible data in total. */
  const batch = (n: number): EventRow[] =>
    rowsOf(stream, 10, (i) => ({
      offset: n * 10 + i,
      data: JSON.stringify({ text: randomBytes(75_000).toString('base64') }),
    }));
  const total = async (): Promise<number> =>
    (await store.reader.count({ access: allStreams, streams: [stream], limit: 1 })).total;

  it('rejects rows with a retryable error, keeps answering reads, and stores the rows once after space is freed (fault 11)', async () => {
    let batches = 0;
    let error: unknown;
    let refused: EventRow[] = [];
    while (error === undefined) {
      refused = batch(batches);
      error = await store.writer.appendRowBatches(rowBatchesOf(refused), `batch ${batches}`).then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (error === undefined) batches++;
    }
    expect(isRetryableStoreError(error)).toBe(true);
    expect(batches).toBeGreaterThan(3);
    await store.ping();
    expect(await total()).toBe(batches * 10);
    // The rejected batch may have reached some of the tables: its events are not reported as stored.
    const stored = await store.writer.storedEvents({ stream, partition: 0, from: 0, until: 10_000 });
    expect(stored.findLast(({ complete }) => complete)?.offset).toBe(batches * 10 - 1);
    await rm(join(folder, 'ballast'));
    const again = () =>
      store.writer.appendRowBatches(rowBatchesOf(refused), `batch ${batches}`).then(
        () => 'taken',
        (caught: unknown) => caught,
      );
    await expect.poll(again).toBe('taken');
    await again();
    expect(await total()).toBe((batches + 1) * 10);
    const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 10_000 });
    expect(items.map(({ offset }) => offset)).toEqual(Array.from({ length: items.length }, (_, i) => i));
    expect(items).toHaveLength((batches + 1) * 10);
  });
});
