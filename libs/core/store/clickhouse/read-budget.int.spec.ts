import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { rowsOf } from '../contract/rows.js';
import { AnswerMemoryExhaustedError } from '../errors.js';
import type { AnswerMemoryBudget } from '../answer-memory-budget.js';
import type { Store } from '../store.js';
import { openClickHouse } from './open.js';
import { openTestStore, type TestStore } from './test-store.js';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
  const data = JSON.stringify({ text: 'x'.repeat(10_000) });
  await test.store.writer.appendRowBatches(rowBatchesOf(rowsOf('orders', 1_000, () => ({ data }))), 'rows');
});
afterAll(() => test.close());

/**
 * A memory budget of `most` bytes for answers of ClickHouse. The budget records how many bytes were taken and how many
 * shares were returned.
 */
class CountingBudget implements AnswerMemoryBudget {
  taken = 0;
  ended = 0;

  constructor(private readonly most: number) {}

  share() {
    return {
      take: (bytes: number) => (this.taken += bytes) <= this.most,
      end: () => void this.ended++,
    };
  }
}

/** Runs `work` with a ClickHouse store that has this memory budget for answers, then closes the store. */
async function withBudget<T>(budget: AnswerMemoryBudget, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openClickHouse({ ...test.options, readBudget: budget });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const page = (store: Store, limit: number) =>
  store.reader.query({ access: allStreams, streams: ['orders'], order: 'asc', limit });

describe('an answer of the store', () => {
  it('takes its bytes from the budget while it is being read', async () => {
    const budget = new CountingBudget(Infinity);
    const { items } = await withBudget(budget, (store) => page(store, 500));
    expect(items).toHaveLength(500);
    expect(budget.taken).toBeGreaterThan(500 * 10_000);
    expect(budget.ended).toBe(1);
  });

  it('is cancelled when the budget is exhausted, long before all of it is read', async () => {
    const budget = new CountingBudget(1_000_000);
    await withBudget(budget, async (store) => {
      await expect(page(store, 900)).rejects.toThrow(AnswerMemoryExhaustedError);
      expect(budget.taken).toBeLessThan(5_000_000);
      expect(budget.ended).toBe(1);
    });
  });

  it('frees its connection when it is cancelled', async () => {
    const budget = new CountingBudget(1_000_000);
    await withBudget(budget, async (store) => {
      for (let i = 0; i < 30; i++) await expect(page(store, 900)).rejects.toThrow(AnswerMemoryExhaustedError);
    });
    expect(budget.ended).toBe(30);
  });
});
