import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpClient } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, writeEvent, type ReadEvent } from '../api.js';
import { system } from './system.js';

const audit = { stream: 'tributary.audit' };
const json = { 'content-type': 'application/json' };

/** Clients of the query port with keys of these scopes. */
const clients: Record<'admin' | 'reader' | 'limited', HttpClient> = {} as never;

beforeAll(async () => {
  const keys = {
    admin: { scopes: ['events:read', 'admin'] },
    reader: { scopes: ['events:read', 'definitions:write'] },
    limited: { scopes: ['events:read', 'admin'], streams: ['orders*'] },
  };
  for (const [name, more] of Object.entries(keys)) {
    const answer = await system().core.post('/api/v1/keys', { name, ...more });
    expect(answer.status, answer.text).toBe(201);
    const headers = { authorization: `Bearer ${answer.json<{ key: string }>().key}` };
    clients[name as 'admin'] = new HttpClient(system().urls.query, { headers });
  }
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.close()));
});

interface AuditData {
  action: string;
  kind: string;
  name: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Returns the audit events of one name, oldest first, when there are `count` of them. */
async function entriesOf(name: string, count: number): Promise<(ReadEvent & { data: AuditData })[]> {
  let found: ReadEvent[] = [];
  await expect
    .poll(async () => {
      const { events } = await queryEvents(clients.admin, audit, { limit: '1000' });
      found = events.filter(({ data }) => String(data.name).includes(name));
      return found.length;
    })
    .toBe(count);
  return found as (ReadEvent & { data: AuditData })[];
}

describe('the audit', () => {
  it('has every change of a stream: its kind, the old and new values, and the author', async () => {
    const stream = freshStream();
    const headers = (id: string) => ({ 'x-request-id': id });
    const { query, core, key } = system();
    await query.post('/api/v1/streams', { stream }, { headers: headers('make') });
    const change = { body: JSON.stringify({ retention: { time: '7d' } }) };
    await core.send('PATCH', `/api/v1/streams/${stream}`, {
      ...change,
      headers: { ...json, ...headers('change') },
    });
    const gone = await query.send('DELETE', `/api/v1/streams/${stream}?confirm=${stream}`, {
      headers: headers('drop'),
    });
    expect(gone.status, gone.text).toBe(204);
    const entries = (await entriesOf(stream, 4)).filter(({ data }) => data.name === stream);
    expect(entries.map(({ event_type }) => event_type)).toEqual([
      'stream.created',
      'stream.changed',
      'stream.deletion_begun',
      'stream.deleted',
    ]);
    const [created, changed, begun] = entries;
    expect(created?.data).toMatchObject({ kind: 'stream', before: null, after: { stream } });
    expect(created?.metadata).toMatchObject({ key_id: key.split('_')[1], port: 'query', request_id: 'make' });
    expect(changed?.data).toMatchObject({
      before: { retention: 'unlimited' },
      after: { retention: { time: '7d' } },
    });
    expect(changed?.metadata).toMatchObject({ key_id: null, port: 'core', request_id: 'change' });
    expect(begun?.metadata).toMatchObject({ port: 'query', request_id: 'drop' });
  });

  it('names the writer of the first event as the author of a stream that this event created', async () => {
    const stream = freshStream();
    await system().write.post(
      '/api/v1/events',
      { stream, event_type: 't', data: {} },
      { headers: { 'x-request-id': 'first' } },
    );
    const [created] = await entriesOf(stream, 1);
    expect(created).toMatchObject({ event_type: 'stream.created' });
    expect(created?.metadata).toMatchObject({ port: 'ingest', request_id: 'first' });
  });

  it('has the creation, the changes and the retirement of schemas', async () => {
    const stream = freshStream();
    const subject = { stream, event_type: 'order.placed' };
    const schemas = '/api/v1/schemas';
    await system().core.post(schemas, { ...subject, schema: { type: 'object' } });
    await system().core.post(schemas, { ...subject, schema: { type: 'object' }, mode: 'warn' });
    await system().core.post(schemas, { ...subject, schema: { type: 'object' }, mode: 'warn' });
    await system().core.send('DELETE', `${schemas}/${stream}/order.placed`);
    const entries = await entriesOf(stream, 3);
    expect(entries.map(({ event_type }) => event_type)).toEqual([
      'schema.created',
      'schema.changed',
      'schema.retired',
    ]);
    expect(entries[1]?.data).toMatchObject({ before: { mode: 'enforce' }, after: { mode: 'warn' } });
  });

  it('never contains the secret of a key', async () => {
    const name = freshStream('key');
    const issued = await system().query.post('/api/v1/keys', { name, scopes: ['events:read'] });
    const { key, key_id } = issued.json<{ key: string; key_id: string }>();
    await system().query.send('DELETE', `/api/v1/keys/${key_id}`);
    const entries = await entriesOf(key_id, 2);
    const text = JSON.stringify(entries);
    expect(text).toContain(name);
    expect(text).not.toContain(key.split('_')[2]);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  it('is read by a key with the scope admin that covers it, and on the core port', async () => {
    const ofAudit = path('/api/v1/events/query', audit);
    expect((await clients.admin.get(ofAudit)).status).toBe(200);
    expect((await system().core.get(ofAudit)).status).toBe(200);
    for (const client of [clients.reader, clients.limited]) {
      expectProblem(await client.get(ofAudit), 'stream_not_found');
      expectProblem(await client.get(path('/api/v1/events/count', audit)), 'stream_not_found');
      expectProblem(await client.get(path('/api/v1/entities', audit)), 'stream_not_found');
      expectProblem(await client.get('/api/v1/streams/tributary.audit'), 'stream_not_found');
      const { text } = await client.get('/api/v1/streams');
      expect(text).not.toContain('tributary.audit');
    }
    const { events } = await queryEvents(clients.admin, audit, { limit: '1' });
    const { event_id } = events[0]!;
    expect((await clients.admin.get(`/api/v1/events/${event_id}`)).status).toBe(200);
    expectProblem(await clients.reader.get(`/api/v1/events/${event_id}`), 'event_not_found');
  });

  it('is not part of queries that name no stream', async () => {
    const named = freshStream();
    await writeEvent(system().core, { stream: named, event_type: 't', data: {} });
    await entriesOf(named, 1);
    for (const client of [system().core, clients.admin]) {
      const { events } = await queryEvents(client, { limit: '1000' });
      expect(events.filter(({ stream }) => stream === 'tributary.audit')).toEqual([]);
      const counted = await client.get('/api/v1/events/count?group_by=stream');
      expect(counted.text).not.toContain('tributary.audit');
      expect((await client.get('/api/v1/entities')).text).not.toContain('tributary.audit');
    }
  });

  it('is written only by the system', async () => {
    const event = { ...audit, event_type: 'key.created', data: {} };
    for (const client of [system().core, system().query, system().write]) {
      expectProblem(await client.post('/api/v1/events', event), 'stream_reserved');
      const batch = await client.post('/api/v1/events/batch', { events: [event] });
      const { errors } = expectProblem(batch, 'invalid_request');
      expect(errors?.map(({ pointer }) => pointer)).toEqual(['/events/0/stream']);
    }
    const { core } = system();
    expectProblem(await core.post('/api/v1/streams', { stream: 'tributary.mine' }), 'stream_reserved');
    const change = { body: '{"retention":{"time":"1s"}}', headers: json };
    expectProblem(await core.send('PATCH', '/api/v1/streams/tributary.audit', change), 'stream_reserved');
    const drop = await core.send('DELETE', '/api/v1/streams/tributary.audit?confirm=tributary.audit');
    expectProblem(drop, 'stream_reserved');
    const erase = await core.send('DELETE', path('/api/v1/entities/key:a', { ...audit, confirm: 'key:a' }));
    expectProblem(erase, 'stream_reserved');
  });
});
