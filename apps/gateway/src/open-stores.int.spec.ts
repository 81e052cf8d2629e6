import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { HttpAnswerMemoryBudget } from '#http';
import { AnswerMemoryExhaustedError } from '#store';
import { askClickHouse, freshNames, testClickHouse, testEngines } from '#testkit';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow } from './gateway.fixture.js';
import { openStores, type GatewayStores } from '#gateway-kit';

const { database } = freshNames();
let stores: GatewayStores;
beforeAll(async () => {
  const answers = new HttpAnswerMemoryBudget(1_000);
  stores = openStores(testClickHouse(database), answers);
  await stores.requests.migrate();
  await stores.requests.writer.appendRowBatches(rowBatchesOf([eventRow({ offset: 0 })]), 'rows');
  answers.share().take(1_000);
});
afterAll(async () => {
  await Promise.all([stores.requests.close(), stores.live.close()]);
  await askClickHouse(testEngines(), `DROP DATABASE ${database} SYNC`);
});

describe('while slow clients use up the memory budget of answers', () => {
  const ranges = [{ stream: 'orders', partition: 0, from: 0, until: 1 }];
  const page = { access: allStreams, ranges, limit: 10, maxBytes: 1024 * 1024 };

  it('queries are refused', async () => {
    await expect(stores.requests.reader.inLogOrder(page)).rejects.toThrow(AnswerMemoryExhaustedError);
  });

  it('live streams are read, and the health check of ClickHouse succeeds', async () => {
    expect((await stores.live.reader.inLogOrder(page)).events).toHaveLength(1);
    await expect(stores.live.projections.progress(['no-build'])).resolves.toEqual([]);
    await expect(stores.live.ping()).resolves.toBeUndefined();
  });
});
