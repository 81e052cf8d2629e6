import { beforeAll, describe, expect, it } from 'vitest';
import {
  EntityNotFoundError,
  SchemaViolationError,
  SqlError,
  StreamExistsError,
  Tributary,
  type ProjectionChangeMessage,
  type StoredEvent,
} from '#client';
import { freshStream } from '../api.js';
import { useSharedStack } from '../use-stack.js';

const system = useSharedStack();
let client: Tributary;
beforeAll(() => {
  const { urls, key } = system();
  client = new Tributary({ url: urls.query, apiKey: key, ingestUrl: urls.ingest });
});

/** Repeats a read with `wait_for`: on a busy machine one wait of ten seconds may not be sufficient. */
async function afterWrites<T>(read: (wait_for: string[]) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await read(client.afterWrites());
    } catch (error) {
      if (tries === 9 || (error as { code?: string }).code !== 'not_yet_materialized') throw error;
    }
}

async function all<T>(list: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) if (items.push(item) >= most) break;
  return items;
}

describe('writing and reading', () => {
  const stream = freshStream('client');
  let events: StoredEvent<{ n: number }>[];

  beforeAll(async () => {
    client = new Tributary({
      ...{ url: system().urls.query, apiKey: system().key },
      ingestUrl: system().urls.ingest,
    });
    await client.streams.create({ stream });
    await using producer = client.producer();
    const sent = Array.from({ length: 250 }, (_, n) =>
      producer.send({ stream, event_type: n % 2 ? 'odd' : 'even', entity_id: `e${n % 5}`, data: { n } }),
    );
    sent.push(
      producer.send({
        stream,
        event_type: 'exact',
        entity_id: 'x',
        dataText: '{"big": 9007199254740993, "p":1.10}',
      }),
    );
    const positions = await Promise.all(sent);
    expect(new Set(positions.map(({ partition, offset }) => `${partition}:${offset}`)).size).toBe(251);
    await afterWrites((wait_for) => client.count({ stream, wait_for }));
    events = await all(client.events<{ n: number }>({ stream, limit: 100 }));
  });

  it('every acknowledged event is stored once, and the events of each entity are in the order of sending', () => {
    expect(events).toHaveLength(251);
    for (let entity = 0; entity < 5; entity++) {
      const own = events
        .filter(({ entity_id }) => entity_id === `e${entity}`)
        .toSorted((a, b) => a.version! - b.version!);
      expect(own.map(({ data }) => data.n)).toEqual(Array.from({ length: 50 }, (_, i) => entity + 5 * i));
    }
  });

  it('data is read back as it was sent', async () => {
    const [event] = await all(client.events({ stream, event_type: 'exact' }));
    expect(event?.dataText).toBe('{"big": 9007199254740993, "p":1.10}');
    expect((await client.event(event!.event_id)).dataText).toBe(event!.dataText);
    const state = await client.state({ stream, entity_id: 'x' });
    expect(state.stateText).toContain('9007199254740993');
    expect(state).toMatchObject({ version: 1, from_snapshot: null });
  });

  it('pages, counts and filters match the API', async () => {
    const pages = await all(
      client.events({ stream, event_type: ['odd', 'even'], order: 'desc', limit: 100 }).pages(),
    );
    expect(pages.map(({ items }) => items.length)).toEqual([100, 100, 50]);
    const counted = await client.count({ stream, group_by: 'event_type' });
    expect(counted.total).toBe(251);
    expect(counted.buckets).toContainEqual({ group: 'odd', count: 125 });
    expect(await all(client.entities.list({ stream, limit: 4 }))).toHaveLength(6);
    expect(await client.streams.get(stream)).toMatchObject({ events: 251 });
  });

  it('a single event and a batch can be written without a producer', async () => {
    const other = freshStream('client');
    const written = await client.write({ stream: other, event_type: 't', data: {}, timestamp: new Date(0) });
    expect(written).toMatchObject({ stream: other, timestamp: '1970-01-01T00:00:00.000000Z' });
    const batch = await client.writeBatch([
      { stream: other, event_type: 't', data: {} },
      { stream: 'no stream', event_type: 't', data: {} },
    ]);
    expect(batch).toMatchObject({
      accepted: 1,
      rejected: 1,
      events: [{ offset: expect.any(Number) as number }, { error: {} }],
    });
    expect((await afterWrites((wait_for) => client.count({ stream: other, wait_for }))).total).toBe(2);
    expect(client.afterWrites(other).length).toBeGreaterThan(0);
  });

  it('raw values with another expected version are refused with the current one', async () => {
    const other = freshStream('client');
    const source = { stream: other, event_type: 't', entity_id: 'e', expected_version: '/after' };
    expect(await client.raw(source, '[{"after":0},{"after":7}]')).toMatchObject({
      ...{ accepted: 1, refused: 1 },
      errors: [{ index: 1, code: 'version_conflict', status: 412, current_version: 1 }],
    });
  });

  it('values of any form are written raw, and refused ones are kept', async () => {
    const other = freshStream('client');
    const source = { stream: other, event_type: '/kind', entity_id: '/of' };
    const body = '{"kind":"a","of":"x","n":1.10}\n{"kind":\n{"kind":"b"}';
    expect(await client.raw(source, body, { lines: true })).toMatchObject({
      accepted: 2,
      refused: 1,
      errors: [{ index: 1, code: 'invalid_json' }],
    });
    const list = await afterWrites((wait_for) => all(client.events({ stream: other, wait_for })));
    expect(list.map(({ event_type, dataText }) => [event_type, dataText]).sort()).toEqual([
      ['a', '{"kind":"a","of":"x","n":1.10}'],
      ['b', '{"kind":"b"}'],
    ]);
    const strict = client.raw(source, body, { lines: true, handling: 'strict' });
    await expect(strict).rejects.toMatchObject({ code: 'invalid_json' });
  });

  it('with lenient handling a batch keeps refused events', async () => {
    const other = freshStream('client');
    const events = [
      { stream: other, event_type: 't', data: {} },
      { stream: other, event_type: '', data: {} },
    ];
    expect(await client.writeBatch(events, { handling: 'lenient' })).toMatchObject({
      accepted: 1,
      rejected: 1,
      events: [{}, { error: { code: 'invalid_request' }, offset: expect.any(Number) as number }],
    });
  });

  it('tail shows stored and new events, and continues from a position', async () => {
    const tail = client.tail<{ n: number }>({ stream, since: '1970-01-01T00:00:00Z' });
    const seen = await all(tail, 251);
    expect(new Set(seen.map(({ event_id }) => event_id)).size).toBe(251);
    await client.write({ stream, event_type: 'later', data: { n: 1000 } });
    const next = await all(
      client.tail({ stream, since: '1970-01-01T00:00:00Z' }, { from: tail.position }),
      1,
    );
    expect(next).toMatchObject([{ event_type: 'later', dataText: '{"n":1000}' }]);
  });
});

describe('SQL', () => {
  it('reads rows of any type, passes parameters unchanged, and reports refused statements', async () => {
    const text = 'tab\t, line\n, \\, \'"é';
    const parameters = { text, n: 2, yes: true, none: null, list: "['a','b']" };
    const statement =
      'SELECT {text:String} AS text, number + {n:UInt8} AS n, {yes:Bool} AS yes, {none:Nullable(String)} AS none, ' +
      '{list:Array(String)} AS list, toUInt64(18446744073709551615) AS big FROM (SELECT arrayJoin([0, 1]) AS number)';
    const rows = await client.sql(statement, { parameters });
    expect(rows.columns).toEqual(['text', 'n', 'yes', 'none', 'list', 'big']);
    const read = await all(rows);
    expect(read[1]!.row).toMatchObject({ text, n: 3, yes: true, none: null, list: ['a', 'b'] });
    expect(read[0]!.texts.at(-1)).toBe('18446744073709551615');
    expect(await (await client.sql('SELECT 1 AS a WHERE 0')).all()).toEqual([]);
    const refused = client.sql('SELECT * FROM system.users');
    await expect(refused).rejects.toBeInstanceOf(SqlError);
    await expect(refused).rejects.toMatchObject({ code: 497, status: 403 });
    await expect(client.sql('SELECT 1 FORMAT CSV')).rejects.toMatchObject({ name: 'InvalidAnswerError' });
    const reader = new Tributary({ url: system().urls.query, apiKey: system().readerKey });
    await expect(reader.sql('SELECT 1')).rejects.toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('a refused request', () => {
  it('fails with an error of its own class, with the problem document', async () => {
    const stream = freshStream('client');
    await client.streams.create({ stream });
    const again = client.streams.create({ stream });
    await expect(again).rejects.toBeInstanceOf(StreamExistsError);
    await expect(again).rejects.toMatchObject({ status: 409, problem: { code: 'stream_exists' } });
    await expect(client.state({ stream, entity_id: 'nobody' })).rejects.toBeInstanceOf(EntityNotFoundError);
  });

  it('is reported for each event of a batch, and valid events of the batch are written', async () => {
    const stream = freshStream('client');
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    await client.schemas.register({ stream, event_type: 't', schema });
    expect(await client.schemas.get({ stream, event_type: 't' })).toMatchObject({ version: 1, schema });
    await using producer = client.producer({ lanes: 1 });
    const send = (data: object) => producer.send({ stream, event_type: 't', data });
    // The port that receives the events learns of a schema within a second.
    await expect.poll(() => send({}).catch((error: unknown) => error)).toBeInstanceOf(SchemaViolationError);
    const [good, bad] = await Promise.allSettled([send({ n: 1 }), send({ n: 'x' })]);
    expect(good.status).toBe('fulfilled');
    expect(bad).toMatchObject({
      reason: { name: 'SchemaViolationError', problem: { errors: [{ pointer: '/data/n' }] } },
    });
    const alone = await Promise.allSettled([send({ n: 'x' }), send({ n: 'y' })]);
    expect(alone).toMatchObject(Array(2).fill({ reason: { name: 'SchemaViolationError' } }));
  });

  it('ends a live stream of a missing stream', async () => {
    const tail = client.tail({ stream: freshStream('nothing') });
    await expect(all(tail, 1)).rejects.toMatchObject({ name: 'StreamNotFoundError' });
  });
});

describe('definitions', () => {
  it('a projection is defined, followed and read', async () => {
    const stream = freshStream('client');
    const name = freshStream('p').replaceAll('.', '_');
    await client.streams.create({ stream });
    const fields = { total: { op: 'sum', value: 'event.data.amount' } } as const;
    await client.projections.define({
      name,
      source: { streams: [stream] },
      key: 'event.data.currency',
      fields,
    });
    await expect.poll(async () => (await client.projections.get(name)).status).toBe('running');
    const changes: ProjectionChangeMessage[] = [];
    const following = (async () => {
      for await (const change of client.projections.changes(name, { snapshot: true }))
        if (changes.push(change) && change.type === 'change' && change.version === 2) return;
    })();
    await client.write({ stream, event_type: 't', dataText: '{"currency":"EUR","amount":1.10}' });
    await client.write({ stream, event_type: 't', dataText: '{"currency":"EUR","amount":2.20}' });
    await following;
    expect(changes.at(-1)).toMatchObject({ key: 'EUR', stateText: '{"total":3.3}' });
    const wait_for = client.afterWrites(stream);
    expect(await client.projections.state(name, 'EUR', { wait_for })).toMatchObject({
      state: { total: 3.3 },
    });
    expect(await all(client.projections.states(name))).toHaveLength(1);
    expect(await client.projections.pause(name)).toMatchObject({ status: 'paused' });
    await client.projections.delete(name);
  });

  it('a pipeline can be tried before it is defined', async () => {
    const operators = [{ filter: 'event.data.n > 1.0' }, { emit: { stream: 'elsewhere' } }];
    const event = (n: number) => ({ stream: 's', event_type: 't', data: { n } });
    const stream = freshStream('client');
    await client.streams.create({ stream });
    const definition = { source: { streams: [stream] }, operators };
    const events = [event(1), event(2)].map((one) => ({ ...one, stream }));
    const tried = await client.pipelines.dryRun({ definition, events });
    expect(tried.emitted).toMatchObject([{ stream: 'elsewhere', event: { data: { n: 2 } } }]);
  });

  it('keys, snapshots, dead letters, the audit and health have their methods', async () => {
    const { urls } = system();
    const issued = await client.keys.issue({ name: 'client', scopes: ['events:read'] });
    const limited = new Tributary({ url: urls.query, apiKey: issued.key });
    await expect(limited.write({ stream: 's', event_type: 't', data: {} })).rejects.toMatchObject({
      code: 'insufficient_scope',
    });
    await client.keys.revoke(issued.key_id);
    const stream = freshStream('client');
    await client.write({ stream, event_type: 't', entity_id: 'e', data: { a: 1 } });
    await afterWrites((wait_for) => client.count({ stream, wait_for }));
    expect(await client.snapshots.make({ stream, entity_id: 'e' })).toMatchObject({
      version: 1,
      stateText: '{"a":1}',
    });
    expect(await all(client.snapshots.list({ stream }))).toHaveLength(1);
    expect(await client.deadLetters.replay({ source: 'nobody' }, { dryRun: true })).toMatchObject({
      matched: 0,
    });
    expect(await client.entities.erase({ stream, entity_id: 'e' }, { confirm: 'e' })).toMatchObject({
      entity_id: 'e',
    });
    await client.streams.delete(stream, { confirm: stream });
    await expect
      .poll(async () =>
        (await client.audit({ order: 'desc' }).first()).items.map((event) => event.event_type),
      )
      .toContain('stream.deleted');
    expect(await client.health('ready')).toMatchObject({ status: 'ok' });
    expect(await client.metrics()).toContain('tributary_');
  });
});
