import { describe, expect, it } from 'vitest';
import { NonRetryableStoreError, StoreUnavailableError } from '../errors.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { latestVersions } from './latest-versions.js';

/**
 * Returns a fake connection to ClickHouse that accepts at most `most` entity ids in one query; `asked` records the ids
 * of each query.
 */
function serverTaking(most: number, error: Error = new NonRetryableStoreError('Max query size exceeded')) {
  const asked: string[][] = [];
  const select = async (_query: string, { params }: { params: { entityIds: string[] } }) => {
    asked.push(params.entityIds);
    if (params.entityIds.length > most) throw error;
    return params.entityIds.map((id) => [id, 1, 0]);
  };
  return { connection: { select } as unknown as ClickHouseConnection, asked };
}

const query = (entityIds: string[]) => ({ stream: 's', partition: 0, before: 10, entityIds });

describe('versions', () => {
  it('are queried in halves when the server rejects a query with all ids', async () => {
    const { connection, asked } = serverTaking(2);
    const found = await latestVersions(connection, query(['a', 'b', 'c', 'd', 'e']));
    expect([...found.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(asked.map((ids) => ids.join(''))).toEqual(['abcde', 'ab', 'cde', 'c', 'de']);
  });

  it('fail when the server rejects a query with a single id', async () => {
    await expect(latestVersions(serverTaking(0).connection, query(['a', 'b']))).rejects.toBeInstanceOf(
      NonRetryableStoreError,
    );
  });

  it('are not queried in halves when the server is unavailable', async () => {
    const { connection, asked } = serverTaking(0, new StoreUnavailableError('down'));
    await expect(latestVersions(connection, query(['a', 'b']))).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['plain', 'x', 1],
    ['quotes and backslashes', "'\\", 16],
    ['line breaks', '\n', 8],
  ])('are queried in parts bounded by the size of the escaped ids: %s', async (_what, text, bytes) => {
    const { connection, asked } = serverTaking(Infinity);
    const ids = Array.from({ length: 600 }, (_, i) => `${i}${text.repeat(500)}`);
    await latestVersions(connection, query(ids));
    expect(asked.flat()).toEqual(ids);
    for (const part of asked) expect(part.length * 500 * bytes).toBeLessThanOrEqual(128 * 1024);
  });
});
