import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouse } from './open.js';
import { openTestStore, type TestStore } from './test-store.js';

const settings = ['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'];

describe('inserts, merges and removals are synced to the disk', () => {
  let test: TestStore;

  beforeAll(async () => {
    test = await openTestStore();
    await migrate();
  });
  afterAll(() => test.close());

  /** Resolves with the tables of the database that are synced, and those that are not. */
  async function tables(): Promise<{ synced: string[]; others: string[] }> {
    const query = `SELECT name, create_table_query AS text FROM system.tables
      WHERE database = '${test.options.database}' AND engine LIKE '%MergeTree' ORDER BY name`;
    const answer = await test.engine.query({ query, format: 'JSONEachRow' });
    const rows = await answer.json<{ name: string; text: string }>();
    const isSynced = ({ text }: { text: string }) =>
      settings.every((setting) => text.includes(`${setting} = 1`));
    const names = (those: typeof rows) => those.map(({ name }) => name);
    return { synced: names(rows.filter(isSynced)), others: names(rows.filter((row) => !isSynced(row))) };
  }

  async function migrate(options: { fsyncAfterInsert?: boolean } = {}): Promise<void> {
    const store = openClickHouse({ ...test.options, ...options });
    await store.migrate();
    await store.close();
  }

  it('in every table, also in those that views fill', async () => {
    const { synced, others } = await tables();
    expect(others).toEqual([]);
    for (const table of ['events', 'events_by_entity', 'entities', 'positions', 'projection_states'])
      expect(synced).toContain(table);
  });

  it('in no table after they are switched off, and in every table after they are switched on again', async () => {
    const all = (await tables()).synced;
    await migrate({ fsyncAfterInsert: false });
    await expect(tables()).resolves.toEqual({ synced: [], others: all });
    await migrate({ fsyncAfterInsert: true });
    await expect(tables()).resolves.toEqual({ synced: all, others: [] });
  });

  it.each(settings)('in a table that lacks the setting %s only', async (setting) => {
    await test.engine.command({ query: `ALTER TABLE events RESET SETTING ${setting}` });
    await expect(tables()).resolves.toMatchObject({ others: ['events'] });
    await migrate({ fsyncAfterInsert: true });
    await expect(tables()).resolves.toMatchObject({ others: [] });
    await test.engine.command({ query: `ALTER TABLE events RESET SETTING ${setting}` });
    await migrate({ fsyncAfterInsert: false });
    await expect(tables()).resolves.toMatchObject({ synced: [] });
    await migrate({ fsyncAfterInsert: true });
  });

  it('in no table after they are switched off, although that may be the default of the server', async () => {
    for (const setting of settings)
      await test.engine.command({ query: `ALTER TABLE events RESET SETTING ${setting}` });
    await migrate({ fsyncAfterInsert: false });
    const answer = await test.engine.query({ query: 'SHOW CREATE TABLE events', format: 'TabSeparatedRaw' });
    const text = await answer.text();
    for (const setting of settings) expect(text).toMatch(new RegExp(`${setting} = (0|false)`));
  });
});
