import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '#testkit';
import { freshStream, queryEvents, waitFor, writeEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack({ sql: true });
const run = promisify(execFile);

const own = freshStream('own').replaceAll(/[^a-z0-9]/g, '');
const foreign = freshStream('foreign').replaceAll(/[^a-z0-9]/g, '');
const view = `${own}__order_placed`;
let key = '';
let keyId = '';

interface Dashboard {
  panels: { title: string; targets: { rawSql: string }[] }[];
  templating: { list: { name: string; type: string; query: string }[] };
}
const { panels, templating } = JSON.parse(
  readFileSync(join('helm', 'tributary', 'dashboards', 'sql', 'events.json'), 'utf8'),
) as Dashboard;
const variables = templating.list.filter(({ type }) => type === 'query');

/** Expands the macros of a statement like Grafana's data source (macros.go), for the last hour. */
function withMacros(statement: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  return statement
    .replace(
      /\$__timeFilter\((\w+)\)/g,
      `$1 >= toDateTime(${seconds - 3600}) AND $1 <= toDateTime(${seconds + 3600})`,
    )
    .replace(/\$__timeInterval\((\w+)\)/g, 'toStartOfInterval(toDateTime($1), INTERVAL 60 second)')
    .replaceAll('${stream:singlequote}', `'${own}'`);
}

const ask = (statement: string, headers: Record<string, string> = { 'x-clickhouse-key': key }) =>
  fetch(new URL('/', system().urls.query), { method: 'POST', body: statement, headers });
const answer = async (statement: string) => {
  const reply = await ask(statement);
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  return text;
};

beforeAll(async () => {
  const { core } = system();
  for (const stream of [own, foreign]) {
    await core.post('/api/v1/streams', { stream });
    const properties = { amount: { type: 'integer' }, at: { type: 'string', format: 'date-time' } };
    const schema = { schema: { type: 'object', properties } };
    const defined = await core.post('/api/v1/schemas', { stream, event_type: 'order.placed', ...schema });
    expect(defined.status, defined.text).toBe(201);
    const data = { amount: 7, at: '2026-11-21T04:00:00.5Z', note: stream };
    const written = [];
    for (let i = 0; i < 3; i++)
      written.push(await writeEvent(core, { stream, event_type: 'order.placed', entity_id: `o-${i}`, data }));
    await queryEvents(core, { stream, limit: '1' }, waitFor(written));
  }
  const issued = await core.post('/api/v1/keys', { name: 'analyst', scopes: ['sql:read'], streams: [own] });
  expect(issued.status, issued.text).toBe(201);
  ({ key, key_id: keyId } = issued.json<{ key: string; key_id: string }>());
  await until(async () => (await ask('SELECT 1')).status === 200, { what: 'the key' });
  await until(async () => (await answer('SHOW TABLES')).includes(view), { what: 'the view' });
});

describe('SQL of a key that covers one stream', () => {
  it('reads its events, and no others', async () => {
    expect(await answer('SELECT stream, count() FROM events GROUP BY stream')).toBe(`${own}\t3\n`);
    expect(await answer('SHOW TABLES')).toBe(`events\n${view}\n`);
  });

  it('reads the members of a schema as columns', async () => {
    expect(await answer(`SELECT amount, at, entity_id FROM ${view} ORDER BY entity_id LIMIT 1`)).toBe(
      '7\t2026-11-21 04:00:00.500000\to-0\n',
    );
  });

  it('cannot read other data', async () => {
    const reply = await ask(`SELECT * FROM merge('.*', 'events')`);
    expect([reply.status, reply.headers.get('x-clickhouse-exception-code')]).toEqual([403, '497']);
    expect(await reply.text()).toContain('The table function merge is not allowed');
    expect((await ask(`SELECT * FROM ${foreign}__order_placed`)).status).toBe(403);
  });

  it('reads no rows of a deleted stream whose name another stream has', async () => {
    const { core } = system();
    const again = `${own}again`;
    const prefixed = { name: 'again', scopes: ['sql:read'], streams: [again] };
    const issued = await core.post('/api/v1/keys', prefixed);
    const ofAgain = { 'x-clickhouse-key': issued.json<{ key: string }>().key };
    const count = async () => {
      const reply = await ask(`SELECT count() FROM events WHERE stream = '${again}'`, ofAgain);
      return reply.status === 200 ? reply.text() : `${reply.status}`;
    };
    await core.post('/api/v1/streams', { stream: again });
    const written = await writeEvent(core, {
      stream: again,
      event_type: 'order.placed',
      entity_id: 'old',
      data: {},
    });
    await queryEvents(core, { stream: again, limit: '1' }, waitFor([written]));
    await until(async () => (await count()) === '1\n', { what: 'the event' });
    await core.send('DELETE', `/api/v1/streams/${again}?confirm=${again}`);
    await until(async () => (await core.post('/api/v1/streams', { stream: again })).status === 201, {
      what: 'the next stream of the name',
    });
    expect(await count()).toBe('0\n');
  });

  it("does not get the names of other streams' views", async () => {
    expect(await (await ask(`SELECT * FROM ${foreign}__order_place`)).text()).not.toContain('order_placed');
  });

  it('has a view as long as the schema exists', async () => {
    await system().core.post('/api/v1/schemas', {
      stream: own,
      event_type: 'order.paid',
      schema: { type: 'object' },
    });
    await until(async () => (await answer('SHOW TABLES')).includes(`${own}__order_paid`), { what: 'a view' });
  });
});

const { TEST_PYTHON: python, TEST_CLICKHOUSE_GO: goClient, TEST_JDBC_JARS: jars } = process.env;

describe('clients', () => {
  it.skipIf(!python)(
    'clickhouse-connect of Python lists tables, reads types, streams a million rows',
    async () => {
      const script = fileURLToPath(
        new URL('../../test/analysts/clickhouse_connect_client.py', import.meta.url),
      );
      const { port } = new URL(system().urls.query);
      const { stdout } = await run(python ?? '', [script, port, key, view]);
      const found = JSON.parse(stdout) as Record<string, unknown>;
      expect(found).toMatchObject({
        ping: true,
        tables: expect.arrayContaining(['events', view]) as string[],
        columns: expect.arrayContaining(['event_id', 'amount', 'at']) as string[],
        streamed: 1_000_000,
        inspected: {
          exists: true,
          columns: expect.arrayContaining(['event_id', 'amount', 'at']) as string[],
        },
        bound: [["it's", 7]],
        arrow: { amount: [7, 7, 7] },
      });
      expect((found['rows'] as string[][])[0]).toEqual([own, '7', '2026-11-21 04:00:00.500000', '0']);
    },
  );

  it.skipIf(!python)('the Python of docs/analysts.md runs as printed', async () => {
    const { core, query, urls } = system();
    const type = { stream: 'orders', event_type: 'order.placed' };
    const schema = { type: 'object', properties: { amount: { type: 'integer' } } };
    await core.post('/api/v1/streams', { stream: 'orders' });
    await core.post('/api/v1/schemas', { ...type, schema });
    const written = await writeEvent(core, { ...type, data: { amount: 7 } });
    await queryEvents(core, { stream: 'orders', limit: '1' }, waitFor([written]));
    const authorization = `Bearer ${system().key}`;
    const tables = async () => (await ask('SHOW TABLES', { authorization })).text();
    await until(async () => (await tables()).includes('orders__order_placed'), { what: 'the view' });
    const cwd = mkdtempSync(join(tmpdir(), 'tributary-python-'));
    const path = '/api/v1/events/export?stream=orders&event_type=order.placed&format=parquet';
    const file = await fetch(new URL(path, urls.query), { headers: { authorization } });
    writeFileSync(join(cwd, 'orders.parquet'), Buffer.from(await file.arrayBuffer()));
    const text = readFileSync('docs/analysts.md', 'utf8').replaceAll('3902', new URL(query.baseUrl).port);
    const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    expect(blocks).toHaveLength(2);
    const shown = [
      'print(list(of_file["amount"]))',
      'print(int(frame["events"].sum()))',
      'print(table["amount"])',
    ];
    const program = [...blocks, ...shown].join('\n');
    const env = { ...process.env, TRIBUTARY_KEY: system().key };
    const { stdout } = await run(python ?? '', ['-c', program], { cwd, env });
    rmSync(cwd, { recursive: true });
    expect(stdout).toMatch(/^\[7\]\n\d+\n[^]*7/);
  });

  it.skipIf(!goClient)('clickhouse-go lists tables, reads types, streams a million rows', async () => {
    const { host } = new URL(system().urls.query);
    const statements = panels.flatMap(({ targets }) => targets.map(({ rawSql }) => withMacros(rawSql)));
    const { stdout } = await run(goClient ?? '', [host, key, view, JSON.stringify(statements)]);
    expect(JSON.parse(stdout)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      tables: expect.arrayContaining(['events', view]) as string[],
      types: ['String', 'Nullable(Int64)', "Nullable(DateTime64(6, 'UTC'))", 'UInt64'],
      rows: [{ stream: own, amount: 7, at: '2026-11-21T04:00:00.5Z', offset: 0 }, {}, {}],
      streamed: 1_000_000,
      refused: expect.stringContaining('The table function merge is not allowed') as string,
      panels: statements.map(() => expect.stringMatching(/^[1-9]\d*$/) as string),
    });
  });

  it.skipIf(!jars)('the JDBC driver lists tables, binds parameters, streams a million rows', async () => {
    const source = fileURLToPath(new URL('../../test/analysts/jdbc/JdbcClient.java', import.meta.url));
    const { port } = new URL(system().urls.query);
    const { stdout } = await run('java', ['-cp', join(jars ?? '', '*'), source, port, key, view]);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      tables: expect.arrayContaining(['events', view]) as string[],
      columns: expect.arrayContaining(['event_id', 'amount', 'at']) as string[],
      rows: ['7', '7', '7'],
      bound: ['o-0'],
      streamed: 1_000_000,
      refused: [expect.stringContaining('The table function merge is not allowed') as string],
    });
  });
});

describe("Grafana's data source", () => {
  // Statements of grafana/clickhouse-datasource: pkg/plugin/driver.go (health; clickhouse-go sends the first two when
  // it connects) and src/data/CHDatasource.ts (schema browser, completion, filters).
  it.each([
    'SELECT displayName(), version(), revision(), timezone()',
    'SELECT 1',
    'SELECT version()',
    'SHOW DATABASES',
    'SHOW TABLES',
    'SHOW TABLES FROM "{database}"',
    `DESC TABLE "{database}"."${view}"`,
    `DESC TABLE "${view}"`,
    'SELECT name, type, table FROM system.columns',
    "SELECT name, type, table FROM system.columns WHERE database IN ('{database}')",
    `SELECT name, type, table FROM system.columns WHERE database IN ('{database}') AND table = '${view}'`,
    `select distinct entity_id from {database}.${view} limit 1000`,
    `SELECT name, is_aggregate, case_insensitive, alias_to, origin, description,
        syntax, arguments, returned_value, examples, categories
      FROM system.functions
      LIMIT 10000`,
    `SELECT toStartOfInterval(toDateTime("timestamp"), INTERVAL 60 second) as "time", count(*) AS c
      FROM "{database}"."events" WHERE ("timestamp" >= toDateTime(1795219200) AND "timestamp" <= toDateTime(1798761600))
      GROUP BY time ORDER BY time ASC LIMIT 1000`,
  ])('%s', async (statement) => {
    const [database = ''] = (await answer('SHOW DATABASES')).split('\n');
    expect(await answer(statement.replaceAll('{database}', database))).not.toBe('');
  });

  it('connects without the name of the host, which no other statement may read either', async () => {
    const greeting = 'SELECT displayName(), version(), revision(), timezone()';
    expect(await answer(greeting)).toMatch(/^ClickHouse\t/);
    expect((await ask('SELECT displayName()')).status).toBe(403);
  });

  it.each(panels)('fills the panel $title', async ({ targets }) => {
    for (const { rawSql } of targets) expect(await answer(withMacros(rawSql))).not.toBe('');
  });

  it('fills all panels at once, like a browser that opens the dashboard', async () => {
    const statements = panels.flatMap(({ targets }) => targets.map(({ rawSql }) => rawSql));
    expect(statements.length).toBeGreaterThan(5);
    const answers = await Promise.all([...statements, ...statements].map((one) => answer(withMacros(one))));
    expect(answers).not.toContain('');
  });

  it.each(variables)('fills the variable $name', async ({ query }) => {
    expect(await answer(withMacros(query))).toBe(`${own}\n`);
  });
});

// The test that revokes the key must be the last one of this file.
describe('a key that is revoked', () => {
  it('ends its running statements', async () => {
    // Numbers that do not compress: ClickHouse sends nothing before its buffer of compressed bytes is full.
    const long =
      'WITH x AS (SELECT arrayJoin(range(1000000)) AS n) SELECT cityHash64(a.n, b.n) FROM x AS a CROSS JOIN x AS b';
    const reply = await ask(long);
    expect(reply.status, reply.ok ? '' : await reply.text()).toBe(200);
    const read = (async () => {
      for await (const _ of reply.body ?? []) void _;
    })();
    await system().core.send('DELETE', `/api/v1/keys/${keyId}`);
    await expect(read).rejects.toThrow();
    expect((await ask('SELECT 1')).status).toBe(401);
  });
});
