import { afterEach, describe, expect, it } from 'vitest';
import { EventStreamClient, until, type HttpClient } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent, type ReadEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack({ env: { LIVE_STREAMS: '20' } });
const clients: EventStreamClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

type Port = 'core' | 'query';

async function follow(
  parameters: Record<string, string | string[]>,
  { port = 'core', after, key }: { port?: Port; after?: EventStreamClient; key?: string } = {},
): Promise<EventStreamClient> {
  const url = `${system().urls[port]}${path('/api/v1/events/stream', parameters)}`;
  const client = await EventStreamClient.open(url, {
    accept: 'text/event-stream',
    ...(port === 'query' && { authorization: `Bearer ${key ?? system().key}` }),
    ...(after && { 'last-event-id': after.lastEventId }),
  });
  clients.push(client);
  return client;
}

const eventsOf = (client: EventStreamClient) =>
  client.messages.filter(({ event }) => event === 'event').map(({ data }) => JSON.parse(data) as ReadEvent);
const numbersOf = (client: EventStreamClient) => eventsOf(client).map(({ data }) => data.n as number);
const errorOf = (client: EventStreamClient) => {
  const [message] = client.messages.filter(({ event }) => event === 'error');
  return message && (JSON.parse(message.data) as { code: string; request_id: string });
};
const came = (client: EventStreamClient, count: number) =>
  until(() => eventsOf(client).length >= count, {
    what: `${count} events`,
    progress: () => eventsOf(client).length,
  });
const begun = (client: EventStreamClient) =>
  until(() => client.lastEventId !== '', { what: 'the beginning of the stream' });
const numbered = (stream: string, from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => ({
    ...{ stream, event_type: (from + i) % 2 ? 'odd' : 'even', entity_id: `e${(from + i) % 7}` },
    data: { n: from + i },
  }));
const write = async (client: HttpClient, events: object[]) => {
  const answer = await client.post('/api/v1/events/batch', { events });
  expect(answer.status, answer.text).toBe(201);
};
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
const created = async (name?: string) => {
  const stream = freshStream(name);
  await system().core.post('/api/v1/streams', { stream });
  return stream;
};

describe('following events', () => {
  it.each(['core', 'query'] as const)('shows each event like a query, on the %s port', async (port) => {
    const stream = await created();
    const client = await follow({ stream }, { port });
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      'x-request-id': expect.stringMatching(/./) as string,
    });
    await begun(client);
    const text = `{"stream":"${stream}","event_type":"t","entity_id":"e","data":{"b":12.50,\n"a":9007199254740993}}`;
    const written = await writeEvent(system().write, text);
    await came(client, 1);
    const query = path('/api/v1/events/query', { stream }, waitFor([written]));
    const answer = await system().core.get(query);
    const line = client.messages[0]?.data ?? '';
    expect(line).toContain('"data":{"b":12.50, "a":9007199254740993}');
    expect(answer.text.replaceAll('\n', ' ')).toContain(line);
    expect(client.messages[0]).toMatchObject({ event: 'event', id: client.lastEventId });
  });

  it('applies all filters, also to events that are stored out of time order', async () => {
    const stream = await created();
    const since = '2026-11-21T04:00:00Z';
    const filters: Record<string, string | string[]>[] = [
      { event_type: 'odd' },
      { entity_id: ['e1', 'e2'] },
      { event_type_prefix: 'ev' },
      { where: 'event.data.n > 20 && event.version != 2' },
      { since },
      { until: since },
    ];
    const live = await Promise.all(filters.map((filter) => follow({ stream, ...filter })));
    await Promise.all(live.map(begun));
    const events = numbered(stream, 0, 40).map((event, i) => ({
      ...event,
      timestamp: i % 3 ? '2026-11-21T04:00:00Z' : '2026-11-20T00:00:00Z',
    }));
    const answer = await system().core.post('/api/v1/events/batch', { events });
    const written = answer.json<{ events: { partition: number; offset: number }[] }>().events;
    for (const [i, filter] of filters.entries()) {
      const found = await queryEvents(
        system().core,
        { stream, limit: '100', ...filter },
        waitFor(written, stream),
      );
      const expected = sorted(found.events.map(({ data }) => data.n as number));
      await came(live[i] as EventStreamClient, expected.length);
      expect(sorted(numbersOf(live[i] as EventStreamClient)), JSON.stringify(filter)).toEqual(expected);
      // The same result from history, if the filter has a start.
      if (filter.since) {
        const late = await follow({ stream, ...filter });
        await came(late, expected.length);
        expect(sorted(numbersOf(late))).toEqual(expected);
      }
    }
  });

  it('continues after the last event that arrived, without a gap and without a repetition', async () => {
    const stream = await created();
    const first = await follow({ stream });
    await begun(first);
    await write(system().core, numbered(stream, 0, 300));
    await came(first, 100);
    first.close();
    await write(system().core, numbered(stream, 300, 600));
    const second = await follow({ stream }, { after: first, port: 'query' });
    await write(system().core, numbered(stream, 600, 700));
    await came(second, 700 - eventsOf(first).length);
    expect(sorted([...numbersOf(first), ...numbersOf(second)])).toEqual(upTo(700));
  });

  it('misses no event of a stream that is created meanwhile', async () => {
    const name = freshStream('made');
    const client = await follow({ event_type: name });
    await begun(client);
    const event = { stream: name, event_type: name, data: { n: 0 } };
    await writeEvent(system().core, event);
    await writeEvent(system().core, { ...event, data: { n: 1 } });
    await came(client, 2);
    expect(sorted(numbersOf(client))).toEqual([0, 1]);
  });
});

describe('a request for a stream of events', () => {
  const refused = async (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    system().core.get(path('/api/v1/events/stream', parameters), { headers });

  it('is refused if its filters, its position or its format are invalid', async () => {
    const stream = await created();
    expectProblem(await refused({ limit: '1' }), 'invalid_request');
    expectProblem(await refused({ order: 'asc' }), 'invalid_request');
    expectProblem(await refused({ cursor: 'x' }), 'invalid_request');
    expectProblem(await refused({ stream: freshStream() }), 'stream_not_found');
    expectProblem(await refused({ where: 'event.' }), 'invalid_expression');
    expectProblem(await refused({ stream, where: 'event.data.x.map(y, y)[0] == 1' }), 'invalid_expression');
    expectProblem(await refused({ stream }, { 'last-event-id': 'x' }), 'invalid_cursor');
    expectProblem(await refused({ stream }, { accept: 'application/json' }), 'not_acceptable');
    const client = await follow({ stream });
    await begun(client);
    const headers = { 'last-event-id': client.lastEventId };
    expectProblem(await refused({ stream, event_type: 'other' }, headers), 'invalid_cursor');
  });

  it('needs a key with the scope, and shows no event that the key does not cover', async () => {
    const [mine, other] = [await created('mine'), await created('other')];
    const issued = async (body: object) =>
      (await system().core.post('/api/v1/keys', { name: 'k', scopes: ['events:read'], ...body })).json<{
        key: string;
        key_id: string;
      }>();
    const url = `${system().urls.query}/api/v1/events/stream`;
    expect((await EventStreamClient.open(url)).status).toBe(401);
    const { key } = await issued({ scopes: ['events:write'] });
    expect((await follow({}, { port: 'query', key })).status).toBe(403);
    const limited = await issued({ streams: [mine] });
    expect((await follow({ stream: other }, { port: 'query', key: limited.key })).status).toBe(404);
    const client = await follow({ event_type: 't' }, { port: 'query', key: limited.key });
    await begun(client);
    await writeEvent(system().core, { stream: other, event_type: 't', data: { n: 1 } });
    await writeEvent(system().core, { stream: mine, event_type: 't', data: { n: 2 } });
    await came(client, 1);
    expect(numbersOf(client)).toEqual([2]);
    await system().core.send('DELETE', `/api/v1/keys/${limited.key_id}`);
    await until(() => client.ended, { what: 'the end of the stream' });
    expect(errorOf(client)).toMatchObject({ code: 'invalid_token' });
  });

  it('is refused at the limit of the instance, until another one ends', async () => {
    const stream = await created();
    const open = await Promise.all(Array.from({ length: 20 }, () => follow({ stream })));
    const answer = await refused({ stream });
    expectProblem(answer, 'overloaded');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    open[0]?.close();
    await until(async () => (await follow({ stream })).status === 200, { what: 'a place' });
  });
});

describe('a stream of events', () => {
  it('ends when its stream is deleted', async () => {
    const stream = await created();
    const client = await follow({ stream });
    await begun(client);
    await system().core.send('DELETE', `/api/v1/streams/${stream}?confirm=${stream}`);
    await until(() => client.ended, { what: 'the end of the stream' });
    expect(errorOf(client)).toMatchObject({ code: 'stream_not_found' });
  });

  it('disconnects a client that reads nothing, and the client continues later from its position', async () => {
    const stream = await created();
    const slow = await follow({ stream });
    await begun(slow);
    slow.pause();
    const text = 'x'.repeat(100_000);
    const total = 200;
    for (let n = 0; n < total; n += 20) {
      const events = upTo(20).map((i) => ({ stream, event_type: 't', data: { n: n + i, text } }));
      await system().core.post('/api/v1/events/batch', { events });
    }
    const ended = async () =>
      /tributary_live_ended_total\{code="overloaded"\} 1/.test((await system().core.get('/metrics')).text);
    await until(ended, { what: 'the cut', patienceMs: 90_000 });
    slow.resume();
    await until(() => slow.ended, { what: 'the end of the stream' });
    expect(eventsOf(slow).length).toBeLessThan(total);
    const next = await follow({ stream }, { after: slow });
    await came(next, total - eventsOf(slow).length);
    expect(sorted([...numbersOf(slow), ...numbersOf(next)])).toEqual(upTo(total));
  });

  it('waits for a materializer that is killed, and continues when it is restarted', async () => {
    const stream = await created();
    const client = await follow({ stream });
    await begun(client);
    await write(system().core, numbered(stream, 0, 50));
    await came(client, 20);
    await system().materializer.kill('SIGKILL');
    await write(system().core, numbered(stream, 50, 250));
    await system().materializer.launch().ready();
    await write(system().core, numbered(stream, 250, 300));
    await came(client, 300);
    expect(sorted(numbersOf(client))).toEqual(upTo(300));
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'continues after its gateway was ended by %s and restarted',
    async (signal) => {
      const stream = await created();
      const before = await follow({ stream });
      await begun(before);
      await write(system().write, numbered(stream, 0, 100));
      await came(before, 30);
      await system().gateway.kill(signal);
      await until(() => before.ended, { what: 'the end of the stream' });
      if (signal === 'SIGTERM') expect(errorOf(before)).toMatchObject({ code: 'shutting_down' });
      await write(system().write, numbered(stream, 100, 200));
      await system().gateway.launch().ready();
      const after = await follow({ stream }, { after: before });
      await came(after, 200 - eventsOf(before).length);
      expect(sorted([...numbersOf(before), ...numbersOf(after)])).toEqual(upTo(200));
    },
  );
});
