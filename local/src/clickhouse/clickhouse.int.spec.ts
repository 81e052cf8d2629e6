import { randomBytes } from 'node:crypto';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse, clickHouseHeaders, testEngines } from '#testkit';

const engines = testEngines();
const { clickhouseUrl: url, clickhousePassword: password } = engines;
const headers = clickHouseHeaders(engines);
const database = `http_${randomBytes(5).toString('hex')}`;
const quiet = { log: { level: 127 as never } };

/** Sends a POST with the query in the URL. */
function post(
  query: string,
  body: string | Buffer = '',
  parameters: Record<string, string> = {},
): Promise<Response> {
  const search = new URLSearchParams({ query, database, ...parameters });
  return fetch(`${url}/?${search.toString()}`, { method: 'POST', body, headers });
}

describe('the embedded ClickHouse, used by the official client', () => {
  let client: ClickHouseClient;
  const rows = async <T>(query: string, query_params?: Record<string, unknown>): Promise<T[]> =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json<T>();

  beforeAll(async () => {
    const admin = createClient({ url, password, ...quiet });
    await admin.command({ query: `CREATE DATABASE ${database}` });
    await admin.close();
    const compression = { request: true, response: true };
    client = createClient({ url, password, database, compression, ...quiet });
    await client.command({
      query: 'CREATE TABLE events (id UInt64, text String) ENGINE MergeTree ORDER BY id',
    });
  });
  afterAll(async () => {
    await client.command({ query: `DROP DATABASE ${database}` });
    await client.close();
  });

  it('answers a ping', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  it('stores the inserted rows, also a text that looks like the end of the data', async () => {
    const values = [
      { id: 1, text: 'a\n\nb' },
      { id: 2, text: "'; DROP TABLE events; --" },
      { id: 3, text: '\\N ü 🙂 \u0000 \t' },
    ];
    const { summary } = await client.insert({ table: 'events', values, format: 'JSONEachRow' });
    expect(summary?.written_rows).toBe('3');
    expect(await rows('SELECT * FROM events ORDER BY id')).toEqual(values);
  });

  it.each([
    'SHOW TABLES',
    'SHOW CREATE TABLE events',
    'DESCRIBE events',
    'EXISTS TABLE events',
    'EXPLAIN SELECT * FROM events',
    'CHECK TABLE events',
  ])('answers %s', async (query) => {
    expect((await rows(query)).length).toBeGreaterThan(0);
  });

  it('binds parameters of every kind, with any content', async () => {
    const text = "'; DROP TABLE events; -- \\ {x:String} \n\t`";
    const [row] = await rows(
      'SELECT {text:String} AS text, {list:Array(String)} AS list, {map:Map(String, UInt8)} AS map, {none:Nullable(String)} AS none, {at:DateTime64(6)} AS at, count() AS n FROM {table:Identifier} WHERE id IN {ids:Array(UInt64)}',
      {
        text,
        list: [text, ''],
        map: { [text]: 1 },
        none: null,
        at: '2026-11-21 04:00:00.000123',
        table: 'events',
        ids: [1, 3],
      },
    );
    expect(row).toEqual({
      text,
      list: [text, ''],
      map: { [text]: 1 },
      none: null,
      at: '2026-11-21 04:00:00.000123',
      n: 2,
    });
  });

  it('does not treat text in a string or a comment as a parameter', async () => {
    expect(await rows("SELECT '{a:String}' AS x /* {b:String} */ -- {c:String}")).toEqual([
      { x: '{a:String}' },
    ]);
  });

  it('binds separate parameters to concurrent queries', async () => {
    const one = async (value: string): Promise<boolean> =>
      (await rows<{ v: string }>('SELECT {v:String} AS v', { v: value }))[0]?.v === value;
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => one(`value ${i}`)));
    expect(all.every(Boolean)).toBe(true);
  });

  it('reads parameters from a multipart body when they are too long for the URL', async () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => i);
    const answer = await client.query({
      query: 'SELECT length({ids:Array(UInt64)}) AS n',
      query_params: { ids },
      use_multipart_params: true,
      format: 'JSONEachRow',
    });
    expect(await answer.json()).toEqual([{ n: 20_000 }]);
  });

  it('applies the settings of a request only to its own query', async () => {
    const query = "SELECT toUInt32(getSetting('max_threads')) AS n";
    const answer = await client.query({
      query,
      clickhouse_settings: { max_threads: 7 },
      format: 'JSONEachRow',
    });
    expect(await answer.json()).toEqual([{ n: 7 }]);
    expect(await rows(query)).not.toEqual([{ n: 7 }]);
  });

  it('serves further queries after an unknown setting', async () => {
    const clickhouse_settings = { max_threads: 5, no_such_setting: 1 } as never;
    await expect(client.query({ query: 'SELECT 1', clickhouse_settings })).rejects.toMatchObject({
      code: '115',
    });
    await Promise.all(Array.from({ length: 8 }, () => rows('SELECT 1')));
  });

  it('applies the settings of an insert only to that insert, and those of its statement first', async () => {
    await client.command({
      query: 'CREATE TABLE lines (id UInt64, text String) ENGINE MergeTree ORDER BY id',
    });
    const insert = async (
      row: string,
      own: string,
      settings: Record<string, string>,
    ): Promise<string | null> =>
      (await post(`INSERT INTO lines ${own} FORMAT CSV`, `${row}\n`, settings)).headers.get(
        'x-clickhouse-exception-code',
      );
    expect(await insert('1;a', '', { format_csv_delimiter: ';' })).toBeNull();
    expect(await insert('2,b', '', {})).toBeNull();
    expect(
      await insert('3|c', "SETTINGS format_csv_delimiter = '|'", { format_csv_delimiter: ';' }),
    ).toBeNull();
    expect(await insert('4,d', '', { no_such_setting: '1' })).toBe('115');
    expect(await rows('SELECT id, text FROM lines ORDER BY id')).toEqual([
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
      { id: 3, text: 'c' },
    ]);
  });

  it('inserts a row batch with the same deduplication token once', async () => {
    await client.command({
      query:
        'CREATE TABLE once (id UInt64) ENGINE MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100',
    });
    const insert = (token: string): Promise<unknown> =>
      client.insert({
        table: 'once',
        values: [{ id: 1 }],
        format: 'JSONEachRow',
        clickhouse_settings: { insert_deduplication_token: token },
      });
    await insert('a');
    await insert('a');
    await insert('b');
    expect(await rows('SELECT count() AS n FROM once')).toEqual([{ n: 2 }]);
  });

  it('streams an answer that is larger than one ClickHouse block', async () => {
    const answer = await client.query({ query: 'SELECT number FROM numbers(300000)', format: 'JSONEachRow' });
    let count = 0;
    for await (const chunk of answer.stream()) count += (chunk as unknown[]).length;
    expect(count).toBe(300_000);
  });

  it('reports an error that occurs in the middle of a streamed answer', async () => {
    const query = 'SELECT throwIf(number = 250000) FROM numbers(300000)';
    await expect(async () => {
      const answer = await client.query({ query, format: 'JSONEachRow' });
      for await (const _chunk of answer.stream());
    }).rejects.toThrow();
  });

  it('stops a query whose client has disconnected', async () => {
    const controller = new AbortController();
    const query = 'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number) AND 4711 = 4711';
    const running = client.query({ query, abort_signal: controller.signal, format: 'JSON' });
    const inProgress = (): Promise<unknown[]> =>
      rows(
        "SELECT 1 FROM system.processes WHERE query LIKE '%4711 = 4711%' AND query NOT LIKE '%processes%'",
      );
    await expect.poll(inProgress).toHaveLength(1);
    controller.abort();
    await expect(running).rejects.toThrow();
    await expect.poll(inProgress).toHaveLength(0);
  });

  it('ends a query at its max_execution_time', async () => {
    const query = 'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(number)';
    const clickhouse_settings = { max_execution_time: 1 };
    await expect(client.query({ query, clickhouse_settings })).rejects.toMatchObject({ code: '159' });
  });

  it('feeds materialized views', async () => {
    await client.command({ query: 'CREATE TABLE counted (n UInt64) ENGINE MergeTree ORDER BY n' });
    await client.command({
      query: 'CREATE MATERIALIZED VIEW counting TO counted AS SELECT count() AS n FROM events',
    });
    await client.insert({ table: 'events', values: [{ id: 9, text: '' }], format: 'JSONEachRow' });
    expect(await rows('SELECT n FROM counted')).toEqual([{ n: 1 }]);
  });

  it('inserts from VALUES in the query', async () => {
    await client.command({ query: "INSERT INTO events (id, text) VALUES (100, 'a;b'), (101, 'c')" });
    expect(await rows('SELECT text FROM events WHERE id >= 100 ORDER BY id')).toEqual([
      { text: 'a;b' },
      { text: 'c' },
    ]);
  });
});

describe('the embedded ClickHouse over plain HTTP', () => {
  beforeAll(async () => {
    await askClickHouse(engines, `CREATE DATABASE IF NOT EXISTS ${database}_raw`);
    await post(`CREATE TABLE ${database}_raw.t (id UInt64, text String) ENGINE MergeTree ORDER BY id`, '', {
      database: `${database}_raw`,
    });
  });
  afterAll(async () => {
    await askClickHouse(engines, `DROP DATABASE ${database}_raw`);
  });
  const raw = { database: `${database}_raw` };

  it.each(['RowBinary', 'Native', 'Parquet', 'JSONEachRow', 'CSV', 'TabSeparatedWithNames'])(
    'inserts every row of an answer in %s again',
    async (format) => {
      await post('TRUNCATE TABLE t', '', raw);
      // In binary formats these numbers contain two line feeds in a row.
      const query = `SELECT number + 2560 AS id, concat('\\n\\n', toString(number)) AS text FROM numbers(1000) FORMAT ${format}`;
      const bytes = Buffer.from(await (await post(query, '', raw)).arrayBuffer());
      const inserted = await post(`INSERT INTO t FORMAT ${format}`, bytes, raw);
      expect([inserted.status, await inserted.text()]).toEqual([200, '']);
      const sum = await post("SELECT count(), sum(id), countIf(startsWith(text, '\\n\\n')) FROM t", '', raw);
      expect(await sum.text()).toBe('1000\t3059500\t1000\n');
    },
  );

  it('accepts an insert whose body contains the query and then the rows', async () => {
    await post('TRUNCATE TABLE t', '', raw);
    const body =
      'INSERT INTO t SETTINGS max_threads = 1 FORMAT JSONEachRow\n{"id":1,"text":"ü"}\n\n{"id":2,"text":""}\n';
    const answer = await askClickHouse(engines, body, `?database=${raw.database}`);
    expect(answer.status).toBe(200);
    expect(await (await post('SELECT id, text FROM t ORDER BY id', '', raw)).text()).toBe('1\tü\n2\t\n');
  });

  it.each([
    ['SELEC 1', 400, '62'],
    ['SELECT 1; SELECT 2', 400, '62'],
    ['SELECT {x:String}', 400, '456'],
    ['SELECT * FROM no_such_table', 404, '60'],
    ['SELECT no_such_function(1)', 404, '46'],
    ['INSERT INTO t FORMAT NoSuchFormat', 404, '73'],
    ['SELECT throwIf(1)', 500, '395'],
  ])('answers %s as ClickHouse does: %i, code %s', async (query, status, code) => {
    const answer = await post(query, 'x', raw);
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([status, code]);
    expect(await answer.text()).toMatch(
      new RegExp(`^Code: ${code}\\. DB::Exception: [\\s\\S]+ \\([A-Z_]+\\) \\(version `),
    );
  });

  it('reports a missing database, also if it was dropped a moment ago', async () => {
    const gone = { database: `${database}_gone` };
    await post(`CREATE DATABASE ${gone.database}`, '', { database: 'default' });
    const before = await Promise.all(Array.from({ length: 8 }, () => post('SELECT 1', '', gone)));
    expect(before.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    await post(`DROP DATABASE ${gone.database}`, '', { database: 'default' });
    const after = await Promise.all(Array.from({ length: 8 }, () => post('SELECT 1', '', gone)));
    expect(after.map((answer) => answer.headers.get('x-clickhouse-exception-code'))).toEqual(
      Array(8).fill('81'),
    );
  });

  it('changes nothing on GET', async () => {
    const query = encodeURIComponent(`DROP DATABASE ${raw.database}`);
    const answer = await fetch(`${url}/?query=${query}`, { headers });
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([500, '164']);
  });

  it('reports unsupported features', async () => {
    for (const parameters of [{ compress: '1' }, { role: 'x' }, { session_id: 'x' }] as Record<
      string,
      string
    >[]) {
      expect((await post('SELECT 1', '', { ...raw, ...parameters })).status).toBe(501);
    }
  });

  it('returns the query id and the format', async () => {
    const answer = await post('SELECT 1 FORMAT CSV', '', { ...raw, query_id: 'my-id' });
    expect(answer.headers.get('x-clickhouse-query-id')).toBe('my-id');
    expect(answer.headers.get('x-clickhouse-format')).toBe('CSV');
    await answer.text();
  });

  it('refuses a body that does not match its Content-Encoding', async () => {
    const search = new URLSearchParams({ query: 'INSERT INTO t FORMAT CSV', ...raw });
    const answer = await fetch(`${url}/?${search.toString()}`, {
      method: 'POST',
      body: '1,"x"',
      headers: { ...headers, 'content-encoding': 'gzip' },
    });
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([500, '354']);
    await answer.text();
  });
});
