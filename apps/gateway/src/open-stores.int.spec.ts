import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { AnswerBudget } from '#http';
import { StoreOverloadedError } from '#store';
import { blocksOf } from '../../../libs/store/src/blocks/blocks-of.fixture.js';
import { openTestStore, type TestStore } from '../../../libs/store/src/clickhouse/test-store.js';
import { eventRow } from './gateway.fixture.js';
import { openStores, type GatewayStores } from './open-stores.js';

let test: TestStore;
let stores: GatewayStores;
beforeAll(async () => {
  test = await openTestStore();
  await test.store.writer.appendBlocks(blocksOf([eventRow({ offset: 0 })]), 'rows');
  const answers = new AnswerBudget(1_000);
  answers.share().take(1_000);
  stores = openStores(test.options, answers);
});
afterAll(async () => {
  await Promise.all([stores.requests.close(), stores.live.close()]);
  await test.close();
});

describe('while clients that do not read hold the budget of answers', () => {
  const ranges = [{ stream: 'orders', partition: 0, from: 0, until: 1 }];
  const page = { access: allStreams, ranges, limit: 10, maxBytes: 1024 * 1024 };

  it('queries are refused', async () => {
    await expect(stores.requests.reader.inLogOrder(page)).rejects.toThrow(StoreOverloadedError);
  });

  it('live streams are read, and ClickHouse is seen to answer', async () => {
    expect((await stores.live.reader.inLogOrder(page)).events).toHaveLength(1);
    await expect(stores.live.projections.progress(['no-build'])).resolves.toEqual([]);
    await expect(stores.live.ping()).resolves.toBeUndefined();
  });
});
