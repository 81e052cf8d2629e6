import { describe, expect, it } from 'vitest';
import { rowBatchOf } from '../row-batch.fixture.js';
import type { MaterializerDependencies } from '../partition/materializer-dependencies.js';
import type { PendingBatch } from '../partition/materialized-partition.js';
import { EventInserter } from './event-inserter.js';

/** Inserts the same rows in a process of its own, twice, and returns the tokens. */
async function tokensOfProcess(): Promise<string[]> {
  const tokens: string[] = [];
  const writer: Partial<MaterializerDependencies['writer']> = {
    appendRowBatches: async (_, token) => void tokens.push(token),
  };
  const retry: Partial<MaterializerDependencies['retry']> = { run: (_what, _signal, attempt) => attempt() };
  const dependencies = { writer, retry, now: Date.now } as MaterializerDependencies;
  const inserter = new EventInserter(dependencies, new AbortController().signal);
  const rows = rowBatchOf({ stream: 'orders', partition: 0 }, [{ offset: 0 }, { offset: 1 }]);
  const state = { ended: new AbortController().signal } as PendingBatch['state'];
  for (let i = 0; i < 2; i++) await inserter.insert([{ state, rows }]);
  return tokens;
}

describe('The token of an insert', () => {
  it('is the same when a process repeats the insert, and differs in another process, which may insert rows again that ClickHouse lost', async () => {
    const [first, repeated] = await tokensOfProcess();
    const [ofAnother] = await tokensOfProcess();
    expect(repeated).toBe(first);
    expect(ofAnother).not.toBe(first);
  });
});
