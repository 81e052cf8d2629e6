import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse, testEngines } from '#testkit';

const database = `lane_${randomBytes(5).toString('hex')}`;

function post(query: string, parameters: Record<string, string> = {}): Promise<Response> {
  const search = new URLSearchParams({ query, ...parameters });
  return askClickHouse(testEngines(), '', `?${search.toString()}`);
}

describe('a connection of the embedded ClickHouse', () => {
  beforeAll(async () => void (await post(`CREATE DATABASE ${database}`)));
  afterAll(async () => void (await post(`DROP DATABASE ${database}`)));

  it.each([
    { max_memory_usage: '1000' },
    { readonly: '1' },
    { dialect: 'kusto' },
    { max_query_size: '8' },
    { limit: '1', no_such_setting: '1' },
  ] as Record<string, string>[])(
    'applies the settings %j only to their own request, even if that fails',
    async (settings) => {
      const hostile = Array.from({ length: 12 }, async (_, i) => {
        const where = { database: i % 2 ? database : 'default' };
        await (await post('SELECT sum(number) FROM numbers(1e6)', { ...settings, ...where })).text();
      });
      await Promise.all(hostile);
      const answers = Array.from({ length: 24 }, async (_, i) => {
        const one = ['default', database, 'system'][i % 3] ?? '';
        const parameters = { database: one, param_n: String(i), ...(i % 2 ? { max_threads: '2' } : {}) };
        const answer = await post('SELECT currentDatabase(), {n:UInt8}', parameters);
        return (await answer.text()) === `${one}\t${i}\n`;
      });
      expect(await Promise.all(answers)).toEqual(Array(24).fill(true));
    },
  );

  it('resets the effects of a SET, a USE or a temporary table on its connection', async () => {
    for (const query of ['SET max_threads = 61', 'USE system', 'CREATE TEMPORARY TABLE mine (n UInt8)']) {
      const done = await Promise.all(Array.from({ length: 12 }, () => post(query, { database })));
      expect(done.map((answer) => answer.status)).toEqual(Array(12).fill(200));
    }
    const look =
      "SELECT currentDatabase(), toUInt32(getSetting('max_threads')) = 61, (SELECT count() FROM system.tables WHERE is_temporary)";
    const answers = Array.from({ length: 12 }, async () => (await post(look, { database })).text());
    expect(await Promise.all(answers)).toEqual(Array(12).fill(`${database}\t0\t0\n`));
  });

  it('given a streamed statement that failed, then its table can be dropped', async () => {
    await post('CREATE TABLE numbered (n UInt64) ENGINE = MergeTree ORDER BY n', { database });
    await post('INSERT INTO numbered SELECT number FROM numbers(100)', { database });
    const failed = await post('SELECT arrayZip([n], range(n)) FROM numbered', { database });
    expect(await failed.text()).toContain('different array sizes');
    expect((await post('DROP TABLE numbered SYNC', { database })).status).toBe(200);
  });

  it('given a client that leaves its streamed statement, then the statement ends', async () => {
    const left =
      "WITH x AS (SELECT arrayJoin(range(1000000)) AS n) SELECT 'left', a.n FROM x AS a CROSS JOIN x AS b";
    const running = "SELECT count() FROM system.processes WHERE query LIKE '%left%'";
    const kill = "KILL QUERY WHERE query LIKE '%left%' AND query NOT LIKE 'KILL%'";
    for (let n = 0; n < 20; n++) {
      const client = await post(left, { readonly: '1', max_execution_time: '60' });
      const rows = client.body!.getReader();
      await rows.read();
      await Promise.all([rows.cancel(), post(kill)]);
      // The question itself is one of them.
      await expect.poll(async () => Number(await (await post(running)).text()), { interval: 10 }).toBe(1);
    }
  });

  it('given a statement whose analysis takes long, then other statements do not wait for it', async () => {
    const scalar = 'SELECT (SELECT count() FROM numbers(10000000000) WHERE sipHash64(number) = 0)';
    const settled: string[] = [];
    const slow = post(scalar, { readonly: '1', max_execution_time: '5' }).then(async (answer) => {
      settled.push('slow');
      expect(await answer.text()).toContain('TIMEOUT_EXCEEDED');
    });
    // The slow statement runs when the engine lists it.
    const running = "SELECT count() FROM system.processes WHERE query LIKE '%FROM numbers(10000000000)%'";
    const count = async () => Number(await (await post(running)).text());
    while ((await count()) < 2 && settled.length === 0);
    settled.push('quick');
    await slow;
    expect(settled).toEqual(['quick', 'slow']);
  });
});
