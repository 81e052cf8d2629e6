import { describe, expect, it } from 'vitest';
import { freshStream, queryEvents, waitFor, writeEvent } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

const alter = async (table: string, change: string): Promise<void> => {
  const { stack, engines } = system();
  await engines.sql(`ALTER TABLE ${stack.database}.${table} ${change}`);
};

/** Settings with which ClickHouse refuses every insert into a table, and the code of its error. */
const troubles = [
  { trouble: 'read-only', table: 'events', setting: 'table_readonly', value: '1', code: 774 },
  // ClickHouse accepts the rows in the first table and refuses them in the second: the repeated rows must be stored
  // once.
  {
    trouble: 'full of parts',
    table: 'events_by_entity',
    setting: 'parts_to_throw_insert',
    value: '1',
    code: 252,
  },
  {
    trouble: 'on a full disk',
    table: 'events',
    setting: 'min_free_disk_bytes_to_perform_insert',
    value: String(2 ** 60),
    code: 243,
  },
];

describe('given ClickHouse that refuses inserts', () => {
  it.each(troubles)(
    'when it is $trouble, writing continues, no event is lost, and the backlog drains afterwards (fault 11)',
    async ({ table, setting, value, code }) => {
      const { stack } = system();
      await underLoad(stack, async (driver) => {
        await alter(table, `MODIFY SETTING ${setting} = ${value}`);
        try {
          await driver.untilAcknowledged(300);
          const refusal = `ClickHouse answered with error ${code}`;
          await expect.poll(() => stack.materializer.log()).toContain(refusal);
          expect(await stack.materializer.probe('/health/live')).toBe(200);
        } finally {
          await alter(table, `RESET SETTING ${setting}`);
        }
      });
    },
  );
});

describe('given a slow ClickHouse', () => {
  it('when each of its answers takes seconds, writing continues and every event is stored (fault 11)', async () => {
    const { stack, engines } = system();
    engines.clickhouseProxy.delay({ up: 1_000, down: 1_000 });
    await underLoad(stack, async (driver) => {
      await driver.untilAcknowledged(300);
      const stream = freshStream('slow');
      const written = await writeEvent(stack.write, { stream, event_type: 't', data: { n: 1 } });
      const { events } = await queryEvents(stack.core, { stream }, waitFor([written]));
      expect(events).toMatchObject([{ data: { n: 1 } }]);
      engines.clickhouseProxy.delay({});
    });
  });
});
