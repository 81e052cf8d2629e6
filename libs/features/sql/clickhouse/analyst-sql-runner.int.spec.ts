import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshAnalystDatabase } from '#testkit';
import { openTestStore, type TestStore } from '../../../core/store/clickhouse/test-store.js';
import { partitionProgress, stateRow } from '../../../core/store/keyed-states.fixture.js';
import { ClickHouseHttpClient } from './clickhouse-http-client.js';
import { type CheckedStatement, type SqlRequest, SqlError } from './analyst-sql.js';
import { AnalystSqlRunner } from './analyst-sql-runner.js';
import { existenceOracles, hostileStatements } from './hostile-statements.fixture.js';
import { isPermittedFunction, isHigherOrderFunction } from './permitted-functions.js';

/** Functions that analysts may not call, in lower case. */
const rejected = new RegExp(
  `^(${[
    ...[
      'dict.*',
      'joinget.*',
      'hascolumnintable',
      'file',
      'filesystem.*',
      'get.*(setting|macro|header|port|version)',
    ],
    ...[
      'getsettingordefault',
      'getmaxtablenamelengthfordatabase',
      'globalvariable',
      '(ismerge|merge)treepart.*',
    ],
    ...['hostname', 'fqdn', 'fullhostname', 'displayname', 'serveruuid', 'buildid', 'uptime', 'tcpport'],
    ...[
      '(current|enabled|default)(profiles|roles)',
      'auth(enticated)?user',
      'initial_?query_?id',
      'connection_?id',
    ],
    ...[
      'transaction.*',
      'zookeepersessionuptime',
      'runningconcurrency',
      'showcertificate',
      'hasthreadfuzzer',
    ],
    ...[
      'addressto.*',
      'demangle',
      'tid',
      'logtrace',
      'sleep.*',
      'generateserialid',
      'aggthrow',
      'chdb',
      '__.*',
    ],
    ...['region.*', 'ai(classify|embed|extract|generate|translate)', 'catboostevaluate', 'evalmlmethod'],
    ...['naivebayesclassifier.*', 'structureto.*schema', 'formatrow.*', 'fuzzquery'],
    ...[
      '(edit|(dameraulevenshtein|levenshtein)|arraylevenshtein)distance.*',
      'jaro.*similarity',
      'arraysimilarity',
    ],
    'timeseries(idto|groupto|tags|store|copy|extract|join|remove|replace|throw).*',
  ].join('|')})$`,
);

const seconds = 3;
let given: TestStore;
let sql: AnalystSqlRunner;

const ordersView = {
  view: 'orders__order_placed',
  stream: 'orders#1',
  eventType: 'order.placed',
  columns: [
    { member: 'amount', type: 'integer' },
    { member: "it's `odd` \\", type: 'text' },
    { member: 'stream', type: 'text' },
  ],
} as const;
const secretsView = {
  view: 'secrets__secret_kept',
  stream: 'secrets#1',
  eventType: 'secret.kept',
  columns: [],
};

const published = {
  eventTypes: [ordersView, secretsView],
  projections: [
    { view: 'projection_totals', generation: 'build-1', fields: [{ name: 'sum', type: 'sum' }] },
    { view: 'projection_secrets', generation: 'build-2', fields: [{ name: 'text', type: 'value' }] },
  ],
} as const;

beforeAll(async () => {
  given = await openTestStore({ analysts: await freshAnalystDatabase() });
  sql = new AnalystSqlRunner(given.options, {
    user: given.analysts,
    bounds: { seconds, memoryBytes: 512 * 1024 ** 2 },
  });
  await given.engine.command({
    query: `INSERT INTO events (stream, offset, event_type, timestamp, ingested_at, metadata, data)
      SELECT ['orders#1', 'secrets#1', 'tributary.audit#1', 'orders#0'][number % 4 + 1] AS s, intDiv(number, 4), if(startsWith(s, 'orders'), 'order.placed', 'secret.kept'),
        toDateTime64('2026-11-21 00:00:00', 6, 'UTC') + number % 8, toDateTime64('2026-11-21 00:00:00', 6, 'UTC'), '{}',
        if(s = 'orders#1', '{"amount":7,"it\\'s \`odd\` \\\\\\\\":"x","stream":"own"}', '{"hidden":"MARKER"}')
      FROM numbers(8)`,
  });
  // An earlier stream with the same name was dropped; its rows were written after the drop.
  await given.engine.command({ query: `INSERT INTO dropped_streams (stream) VALUES ('orders#0')` });
  // Writes the same rows again, as a materializer with a lost checkpoint does.
  await given.engine.command({
    query: 'INSERT INTO events SELECT * FROM events SETTINGS insert_deduplicate = 0',
  });
  const result = (owner: string, key: string, state: string) => stateRow({ owner, stream: '', key, state });
  await given.store.projectionResults.save(
    [result('build-1', 'ann', '7'), result('build-2', 'bob', '"MARKER"')],
    [partitionProgress({ owner: 'build-1' }), partitionProgress({ owner: 'build-2' })],
  );
  await sql.publish(published);
});
afterAll(async () => {
  await given.engine.command({ query: `DROP DATABASE ${sql.database} SYNC` });
  await sql.close();
  await given.close();
});

function question(statement: string, more: Partial<SqlRequest> = {}): SqlRequest {
  return {
    text: statement,
    params: new Map(),
    format: undefined,
    queryId: randomUUID(),
    seconds: undefined,
    permitted: { access: { patterns: ['orders#1'], reserved: false }, hidden: [] },
    views: ['events', 'orders__order_placed', 'projection_totals'],
    generations: ['build-1'],
    acceptEncoding: undefined,
    transport: {},
    ...more,
  };
}

async function answered(asked: SqlRequest): Promise<{ status: number; body: string }> {
  const never = new AbortController().signal;
  const statement = await sql.check(asked, never);
  const answer = await sql.run(asked, statement, never);
  return { status: 200, body: await text(answer.body).catch(String) };
}

async function tried(asked: SqlRequest): Promise<{ status: number; body: string }> {
  try {
    return await answered(asked);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    return { status: error.status, body: `${error.code} ${error.message}` };
  }
}

it('is switched off for a ClickHouse user without row policies', async () => {
  const apps = { name: given.options.user, password: given.options.password };
  const unfiltered = new AnalystSqlRunner(given.options, { user: apps });
  const reason = "ClickHouse's user tributary reads rows that the gateway did not name";
  const asked = question('SELECT count() FROM events');
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(unfiltered.check(asked, new AbortController().signal)).rejects.toMatchObject({
      ...{ status: 501, message: expect.stringContaining(reason) as string },
    });
  await expect(unfiltered.publish(published)).rejects.toThrow(reason);
  await unfiltered.close();
});

it('says that the configuration is wrong if ClickHouse does not accept the user, and tries again', async () => {
  const wrong = new AnalystSqlRunner(given.options, { user: { ...given.analysts, password: 'wrong' } });
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(wrong.check(question('SELECT 1'), new AbortController().signal)).rejects.toMatchObject({
      status: 501,
      message: expect.stringContaining('ClickHouse does not accept SQL_CLICKHOUSE_PASSWORD') as string,
    });
  await wrong.close();
});

it.each([
  ['SELECT 1 SETTINGS max_threads = 1', 'A SETTINGS clause is not allowed'],
  ['SELECT count() FROM events SETTINGS final = 0', 'A SETTINGS clause is not allowed'],
  ['SELECT 1 SETTINGS max_execution_time = 1', 'A SETTINGS clause is not allowed'],
  ["INSERT INTO events VALUES ('x')", 'Only SELECT, DESCRIBE, EXISTS and SHOW'],
  ['  insert into events format CSV\n1', 'Only SELECT, DESCRIBE, EXISTS and SHOW'],
])('%s is refused with the reason', async (statement, reason) => {
  const { status, body } = await tried(question(statement));
  expect([status, body]).toEqual([403, expect.stringContaining(reason)]);
});

it.each(['data::JSON', "CAST(data, 'JSON')", 'CAST(e.data AS JSON)'])(
  'says before %s fails for exact texts which column to use',
  async (cast) => {
    const asked = question(`SELECT ${cast} FROM events AS e`);
    const { warning } = await sql.check(asked, new AbortController().signal);
    expect(warning).toContain('give it readable_data instead of data');
  },
);

describe('SQL of a key with access to one stream', () => {
  const corpus = hostileStatements({ tables: 't_name', views: 'v_name' });

  it('is attacked with at least 150 statements', () => {
    expect(corpus.length).toBeGreaterThan(150);
  });

  it.each(corpus.map((hostile) => [hostile.tries, hostile] as const))('%s', async (_, hostile) => {
    const named = (part: string) =>
      part.replaceAll('t_name', given.options.database).replaceAll('v_name', sql.database);
    const params = new Map(Object.entries(hostile.params ?? {}).map(([name, value]) => [name, named(value)]));
    const began = Date.now();
    const { status, body } = await tried(question(named(hostile.sql), { params }));
    // Much longer than the time limit of a statement, because other specs use the same processors.
    expect(Date.now() - began).toBeLessThan(seconds * 20_000);
    expect(body).not.toContain('MARKER');
    if (hostile.answers === undefined) return expect({ status, body }).not.toMatchObject({ status: 200 });
    if (status === 200 && typeof hostile.answers === 'string')
      return expect(body).toBe(named(hostile.answers));
    if (status === 200) return expect(body).toMatch(hostile.answers);
    expect(hostile.answers, body).toBeInstanceOf(RegExp);
    return undefined;
  });

  it.each(existenceOracles)('learns no name of a view from %s', async (statement) => {
    const answer = async (name: string) => {
      const named = statement.replaceAll('{views}', sql.database).replaceAll('{name}', name);
      const { status, body } = await tried(question(named, { params: new Map([['f', 'x']]) }));
      return `${status} ${body.replaceAll(name, 'NAME')}`;
    };
    expect(await answer('secrets__secret_kept')).toBe(await answer('secrets__secret_lost'));
    expect(await answer('projection_secrets')).toBe(await answer('projection_nothing'));
  });

  it('changes no data', async () => {
    const count = await given.engine.query({ query: 'SELECT count() FROM events', format: 'TabSeparated' });
    expect(await count.text()).toBe('16\n');
    expect(await tried(question('SHOW TABLES'))).toEqual({
      status: 200,
      body: 'events\norders__order_placed\nprojection_totals\n',
    });
  });
});

describe("ClickHouse's functions", () => {
  const names = async (condition: string) => {
    const query = `SELECT lower(name) FROM system.functions WHERE ${condition}`;
    const answer = await given.engine.query({ query, format: 'JSONCompactEachRow' });
    return (await answer.json<[string]>()).map(([name]) => name);
  };

  it('are permitted, or are among those that were decided to be rejected', async () => {
    const undecided = (await names('1')).filter((name) => !isPermittedFunction(name) && !rejected.test(name));
    expect(undecided).toEqual([]);
  });

  it('are never both', async () => {
    expect((await names('1')).filter((name) => isPermittedFunction(name) && rejected.test(name))).toEqual([]);
  });

  it('that are higher-order are all known', async () => {
    expect((await names('higher_order = 1')).filter((name) => !isHigherOrderFunction(name))).toEqual([]);
  });

  it('that are rejected cannot be called without brackets', async () => {
    const answers = (await names('1'))
      .filter((name) => rejected.test(name))
      .map(async (name) => (await tried(question(`SELECT ${name}`))).status);
    expect(await Promise.all(answers)).not.toContain(200);
  });
});

describe('the published views', () => {
  const all = { permitted: { access: { patterns: undefined, reserved: true }, hidden: [] } };

  it('show each event once, and no event of a reserved stream', async () => {
    const counts = 'SELECT stream, count() FROM events GROUP BY stream ORDER BY stream';
    expect((await answered(question(counts, all))).body).toBe('orders\t2\nsecrets\t2\n');
  });

  it('show the rows of a key that names thousands of streams, which ClickHouse returns in a header', async () => {
    const patterns = [...Array.from({ length: 3_000 }, (_, n) => `other-${n}#0k3v9x2m1q`), 'orders#1'];
    const permitted = { access: { patterns, reserved: false }, hidden: [] };
    expect((await answered(question('SELECT count() FROM events', { permitted }))).body).toBe('2\n');
  });

  it('show no row of a dropped stream, even if a new stream has the same name', async () => {
    const prefix = { permitted: { access: { patterns: ['orders*'], reserved: false }, hidden: [] } };
    for (const more of [all, prefix, {}]) {
      const rows = await answered(question("SELECT data FROM events WHERE stream = 'orders'", more));
      expect(rows.body.split('\n')).toHaveLength(3);
      expect(rows.body).not.toContain('MARKER');
    }
    const dropped = { permitted: { access: { patterns: ['orders#0'], reserved: false }, hidden: [] } };
    expect((await answered(question('SELECT count() FROM events', dropped))).body).toBe('0\n');
  });

  it('hide streams that are being deleted', async () => {
    const permitted = { ...all.permitted, hidden: ['orders#1'] };
    expect((await answered(question('SELECT count() FROM events', { permitted }))).body).toBe('2\n');
  });

  it("of an event type have the schema's members as columns", async () => {
    const { body } = await answered(
      question(
        "SELECT amount, `it\\'s \\`odd\\` \\\\`, data_stream, stream FROM orders__order_placed LIMIT 1",
      ),
    );
    expect(body).toBe('7\tx\town\torders\n');
  });

  it('are dropped together with their schema', async () => {
    await sql.publish({ eventTypes: [ordersView], projections: [] });
    const tables = `SELECT name FROM system.tables WHERE database = '${sql.database}' ORDER BY name`;
    const names = await given.engine.query({ query: tables, format: 'TabSeparated' });
    expect(await names.text()).toBe('events\norders__order_placed\n');
    await sql.publish(published);
  });

  it('of a projection have rows only for a statement that was found to name the view', async () => {
    const asked = question('SELECT count() FROM projection_totals');
    const never = new AbortController().signal;
    const checked = await sql.check(asked, never);
    const count = async (statement: CheckedStatement) => text((await sql.run(asked, statement, never)).body);
    expect(await count(checked)).toBe('1\n');
    expect(await count({ ...checked, views: [] })).toBe('0\n');
  });

  it('of a projection fit into a statement, however many generations the key may read', async () => {
    const generations = ['build-1', ...Array.from({ length: 10_000 }, (_, i) => `generation-${i}`)];
    const statement = question('SELECT count() FROM projection_totals', { generations });
    expect(await tried(statement)).toEqual({ status: 200, body: '1\n' });
  });

  it('of a projection are refused, and not empty, if they are replaced between the check and the run', async () => {
    const asked = question('SELECT count() FROM projection_totals');
    const never = new AbortController().signal;
    const statement = await sql.check(asked, never);
    const [totals] = published.projections;
    const replaced = { ...published, projections: [{ ...totals, generation: 'build-3' }] };
    const send = vi.spyOn(ClickHouseHttpClient.prototype, 'send').mockImplementationOnce(async function (
      this: ClickHouseHttpClient,
      request,
    ) {
      await sql.publish(replaced);
      return this.send(request);
    });
    await expect(sql.run(asked, statement, never)).rejects.toMatchObject({ status: 503 });
    send.mockRestore();
    await sql.publish(published);
  });

  it('of a projection that was rebuilt are refused, and not empty, until they are replaced', async () => {
    const rebuilt = { generations: ['build-3'] };
    const statement = 'SELECT count() FROM projection_totals';
    expect(await tried(question(statement, rebuilt))).toEqual({
      status: 503,
      body: '218 The view projection_totals is being replaced, because its projection was rebuilt; send the statement again. (TABLE_IS_DROPPED)',
    });
    const [totals] = published.projections;
    await sql.publish({ ...published, projections: [{ ...totals, generation: 'build-3' }] });
    expect((await tried(question(statement, rebuilt))).status).toBe(200);
    expect((await tried(question(statement))).status).toBe(503);
    await sql.publish(published);
  });

  it('of a projection are refused, and not empty, while another gateway has published an older generation', async () => {
    const [totals] = published.projections;
    const rebuilt = { ...published, projections: [{ ...totals, generation: 'build-3' }] };
    const other = new AnalystSqlRunner(given.options, { user: given.analysts });
    await sql.publish(rebuilt);
    await other.publish(published);
    const statement = question('SELECT count() FROM projection_totals', { generations: ['build-3'] });
    expect(await tried(statement)).toMatchObject({ status: 503 });
    await sql.publish(rebuilt);
    expect(await tried(statement)).toMatchObject({ status: 200 });
    await sql.publish(published);
    await other.close();
  });

  it('are published even if ClickHouse rejects one of them', async () => {
    const broken = { ...secretsView, view: 'a'.repeat(400) };
    await expect(sql.publish({ eventTypes: [broken, ordersView], projections: [] })).rejects.toThrow(
      'The view aaa',
    );
    expect((await tried(question('SHOW TABLES'))).body).toBe('events\norders__order_placed\n');
    expect((await tried(question('EXISTS TABLE orders__order_placed'))).body).toBe('1\n');
    await sql.publish(published);
  });

  it('are created once, and again after someone dropped them', async () => {
    const made = async () => {
      const times = `SELECT toString(metadata_modification_time), name FROM system.tables WHERE database = '${sql.database}'`;
      return (await given.engine.query({ query: times, format: 'TabSeparated' })).text();
    };
    const before = await made();
    await sql.publish(published);
    expect(await made()).toBe(before);
    await given.engine.command({ query: `DROP VIEW ${sql.database}.events` });
    await sql.publish(published);
    expect((await answered(question('SELECT count() FROM events'))).body).toBe('2\n');
  });
});

describe('a statement', () => {
  it('accepts parameters', async () => {
    const asked = question('SELECT {a:String}, {b:UInt8} + 1', {
      params: new Map([
        ['a', "x'\\ty"],
        ['b', '4'],
      ]),
    });
    expect((await answered(asked)).body).toBe("x\\'\\ty\t5\n");
  });

  it.each([
    ['SELECT * FROM projection_totals', ['projection_totals']],
    ['SELECT 1 IN projection_totals', ['projection_totals']],
    ['WITH x AS (SELECT * FROM projection_totals) SELECT 1', ['projection_totals']],
    ['SELECT (SELECT count() FROM `projection_totals`) FROM events', ['events', 'projection_totals']],
    ['SELECT * FROM v_name.projection_totals', ['projection_totals']],
    ['SELECT * FROM {t:Identifier}', ['projection_totals']],
    ['SELECT 1 UNION ALL SELECT events FROM projection_totals', ['events', 'projection_totals']],
    ['SELECT count() FROM events', ['events']],
    ['SELECT 1', []],
    ['DESCRIBE TABLE projection_totals', []],
    ['EXISTS TABLE projection_totals', []],
    ['SHOW TABLES', []],
  ])('is returned by the check with the views that it may read: %s', async (statement, views) => {
    const params = new Map(statement.includes('{t:') ? [['t', 'projection_totals']] : []);
    const asked = question(statement.replaceAll('v_name', sql.database), { params });
    expect((await sql.check(asked, new AbortController().signal)).views).toEqual(views);
  });

  it('uses the format of its FORMAT clause, else that of the request', async () => {
    expect((await answered(question('SELECT 1 AS a', { format: 'JSONEachRow' }))).body).toBe('{"a":1}\n');
    expect((await answered(question('SELECT 1 AS a FORMAT CSV', { format: 'JSONEachRow' }))).body).toBe(
      '1\n',
    );
  });

  it('is reported without its literals when it is rejected', async () => {
    const refused = sql.check(question("SELECT sleep(3), 'ann'"), new AbortController().signal);
    await expect(refused).rejects.toMatchObject({ outline: 'SELECT sleep(?), ?' });
  });

  it('is cancelled when its client disconnects', async () => {
    const gone = new AbortController();
    const asked = question(
      'WITH x AS (SELECT arrayJoin(range(1000000)) AS n) SELECT count() FROM x AS a CROSS JOIN x AS b',
    );
    const statement = await sql.check(asked, gone.signal);
    const running = sql.run(asked, statement, gone.signal);
    setTimeout(() => gone.abort(new Error('gone')), 200);
    await expect(running).rejects.toThrow('gone');
  });

  it.each([
    ['JSONEachRow', 'application/x-ndjson'],
    ['JSONCompactEachRow', 'application/x-ndjson'],
    ['JSONCompactEachRowWithNames', 'application/x-ndjson'],
    ['JSON', 'application/json'],
    ['TabSeparated', 'text/tab-separated-values'],
  ])('has the media type of its format: %s', async (format, type) => {
    const asked = question('SELECT 1 AS a', { format });
    const never = new AbortController().signal;
    const { headers, body } = await sql.run(asked, await sql.check(asked, never), never);
    body.resume();
    expect(headers['content-type']).toContain(type);
  });

  it.each([
    ['a wrong type', 'SELECT hasAny([1], 1)'],
    ['a wrong number of arguments', 'SELECT in(1)'],
    ['a division by zero', 'SELECT intDiv(1, 0)'],
    ['no common type', "SELECT [1, 'a']"],
    ['a condition that raises an error', 'SELECT throwIf(1)'],
    ['a column that is not grouped', 'SELECT stream, count() FROM events'],
    ['arrays of different sizes', 'SELECT arrayMap((x, y) -> x, [1], [1, 2])'],
  ])('is at fault, and not ClickHouse, for %s', async (_, statement) => {
    expect((await tried(question(statement))).status).toBe(400);
  });

  it('has ended when ClickHouse no longer runs it', async () => {
    const gone = new AbortController();
    const asked = question(
      'WITH x AS (SELECT arrayJoin(range(1000000)) AS n) SELECT cityHash64(a.n, b.n) FROM x AS a CROSS JOIN x AS b',
    );
    // The statement is still running when its client leaves, however slow the machine is.
    const patient = new AnalystSqlRunner(given.options, {
      user: given.analysts,
      bounds: { seconds: 600, memoryBytes: 512 * 1024 ** 2 },
    });
    const { body } = await patient.run(asked, await patient.check(asked, gone.signal), gone.signal);
    body.on('error', () => undefined);
    let hasEnded = false;
    const ended = patient.ended(asked.queryId).then(() => (hasEnded = true));
    for (let n = 0; n < 3; n++) await answered(question('SELECT 1'));
    expect(hasEnded).toBe(false);
    gone.abort(new Error('gone'));
    body.destroy();
    await ended;
    await expect(patient.ended('no such id')).resolves.toBeUndefined();
    await patient.close();
  });
});

describe('the user for analysts, if statements were not analysed', () => {
  const { url, database } = { url: () => given.options.url, database: () => sql.database };
  const seen = 'orders#1  build-1';

  async function asAnalyst(
    statement: string,
    { params = {}, lists = seen }: { params?: Record<string, string>; lists?: string } = {},
  ): Promise<{ status: number; body: string }> {
    const search = new URLSearchParams({
      database: database(),
      max_execution_time: String(seconds),
      query_id: `${lists} ${randomUUID()}`,
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value])),
    });
    const answer = await fetch(`${url()}/?${search.toString()}`, {
      method: 'POST',
      body: statement,
      headers: {
        'X-ClickHouse-User': given.analysts.name,
        'X-ClickHouse-Key': given.analysts.password,
      },
    });
    // ClickHouse breaks off a long answer at the time limit.
    return { status: answer.status, body: await answer.text().catch(() => '') };
  }

  const corpus = hostileStatements({ tables: 't_name', views: 'v_name' }).filter(
    // A statement that contains the marker itself would find it in its own error.
    ({ costly, sql: text }) => !costly && !text.includes('MARKER'),
  );
  const named = (part: string) =>
    part.replaceAll('t_name', given.options.database).replaceAll('v_name', database());

  it.each(corpus.map((hostile) => [hostile.tries, hostile] as const))(
    'shows no hidden row: %s',
    async (_, hostile) => {
      const params = Object.entries(hostile.params ?? {}).map(
        ([name, value]) => [name, named(value)] as const,
      );
      const { body } = await asAnalyst(named(hostile.sql), { params: Object.fromEntries(params) });
      expect(body).not.toContain('MARKER');
    },
  );

  it.each([
    ['a hidden row', "SELECT count() FROM t_name.events WHERE throwIf(stream LIKE 'secrets%') = 0"],
    ['a hidden row in a view', "SELECT count() FROM events WHERE throwIf(data LIKE '%MARKER%') = 0"],
    [
      'a hidden row by merge',
      "SELECT count() FROM merge('t_name', '^events$') WHERE throwIf(data LIKE '%MARKER%') = 0",
    ],
    [
      'a hidden result',
      "SELECT count() FROM t_name.projection_results WHERE throwIf(state LIKE '%MARKER%') = 0",
    ],
  ])('learns nothing of %s from an error', async (_, statement) => {
    // ClickHouse cannot merge the tables of a cluster with row policies, and says so without a look at the rows.
    expect((await asAnalyst(named(statement))).body).toMatch(
      /^(\d+\n$|Code: 10\. .* Not found column stream)/,
    );
  });

  it('sees the rows of the streams and generations in the query id, and none without them', async () => {
    const count = async (lists: string) => {
      const statement = named(
        'SELECT (SELECT uniqExact(stream, offset) FROM t_name.events), (SELECT uniqExact(owner) FROM t_name.projection_results)',
      );
      return (await asAnalyst(statement, { lists })).body;
    };
    expect(await count('')).toBe('0\t0\n');
    expect(await count(seen)).toBe('2\t1\n');
    expect(await count('orders#1,secrets#1  ')).toBe('4\t0\n');
    expect(await count(' ord* ')).toBe('4\t0\n');
    expect(await count(' x*,sec* ')).toBe('2\t0\n');
    // Tributary's own streams are hidden from every key.
    expect(await count(' * ')).toBe('6\t0\n');
    expect(await count('tributary.audit#1  ')).toBe('0\t0\n');
    expect(await count('  build-1,build-2')).toBe('0\t2\n');
  });

  it.each([
    'INSERT INTO t_name.events (stream) VALUES (1)',
    'CREATE TABLE t_name.own (a Int8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE own (a Int8)',
    'DROP TABLE t_name.events',
    'ALTER TABLE t_name.events DELETE WHERE 1',
    'SELECT count() FROM t_name.events_by_entity',
    'SELECT count() FROM t_name.dead_letters',
    'SELECT count() FROM system.processes',
    'SELECT count() FROM system.users',
    'SELECT partition FROM system.parts',
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
    'SELECT 1 SETTINGS max_threads = 64',
    'SET readonly = 0',
    'SELECT 1 SETTINGS final = 0',
    'SELECT 1 SETTINGS apply_deleted_mask = 0',
    'SELECT 1 SETTINGS use_query_condition_cache = 1',
    'SELECT 1 SETTINGS query_plan_filter_push_down = 1',
    "KILL QUERY WHERE query_id = ''",
    'SYSTEM FLUSH LOGS',
  ])('may not run: %s', async (statement) => {
    const { status, body } = await asAnalyst(named(statement));
    expect(status).not.toBe(200);
    // Not enough privileges, or a setting that may not change, or a statement that is not for a read-only user.
    expect(body).toMatch(/^Code: (497|164|452)\./);
  });

  // docs/maturity.md lists them.
  it.each([
    ['the scalar function file', "SELECT length(file('/etc/passwd')) > 0", /^1/],
    [
      'primary keys of hidden rows',
      "SELECT count() FROM mergeTreeIndex('t_name', 'events')",
      /^[1-9]|got: Distributed/,
    ],
    [
      'names of views of other keys',
      "SELECT count() FROM system.tables WHERE name = 'secrets__secret_kept'",
      /^1/,
    ],
    ['the name of the host', 'SELECT length(hostName()) > 0', /^1/],
  ])('is not kept from %s: only the analysis does that', async (_, statement, answer) => {
    expect((await asAnalyst(named(statement))).body).toMatch(answer);
  });
});
