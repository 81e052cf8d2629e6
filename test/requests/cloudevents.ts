import { CloudEvent, HTTP, type CloudEventV1 } from 'cloudevents';
import { afterAll, describe, expect, it } from 'vitest';
import { EventStreamClient, until, type HttpAnswer } from '#testkit';
import { freshStream, path } from '../api.js';
import { hasPython, python } from '../python/python.js';
import { system } from './system.js';

const opened: EventStreamClient[] = [];
afterAll(() => opened.forEach((client) => client.close()));

const batchType = 'application/cloudevents-batch+json';
const prefer = 'return=representation';

const send = async (
  stream: string,
  { headers, body }: { headers: object; body: unknown },
): Promise<HttpAnswer> => {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const sent = { ...(Object.fromEntries(lowerCase) as Record<string, string>), prefer };
  const answer = await system().write.post(`/api/v1/streams/${stream}/cloudevents`, body, { headers: sent });
  expect(answer.status, answer.text).toBe(200);
  return answer;
};
const waits = (stream: string, ...answers: HttpAnswer[]) =>
  answers.flatMap((answer) =>
    answer
      .json<{ positions: { partition: number; offset: number }[] }>()
      .positions.map(({ partition, offset }) => `${stream}:${partition}:${offset}`),
  );
const read = async (stream: string, ...answers: HttpAnswer[]): Promise<HttpAnswer> => {
  const address = path('/api/v1/events/query', { stream, wait_for: waits(stream, ...answers) });
  const page = await system().core.get(address, { headers: { accept: batchType } });
  expect(page.status, page.text).toBe(200);
  return page;
};

describe('CloudEvents', () => {
  it('are read back unchanged by the SDK for JavaScript', async () => {
    const stream = freshStream();
    const event = (id: string) =>
      new CloudEvent({
        ...{
          id,
          source: '/shop',
          type: 'order.placed',
          subject: 'order-17',
          time: '2026-11-21T04:00:00.123Z',
        },
        ...{ datacontenttype: 'application/json', data: { amount: 12.5 }, traceparent: '00-a-b-01' },
      });
    const live = await EventStreamClient.open(
      `${system().urls.core}${path('/api/v1/events/stream', { format: 'cloudevents', since: '2000-01-01T00:00:00Z' })}`,
      { accept: 'text/event-stream' },
    );
    opened.push(live);
    const answers = [
      await send(stream, HTTP.structured(event('a'))),
      await send(stream, HTTP.binary(event('a'))),
      await send(stream, {
        headers: { 'content-type': batchType },
        body: JSON.stringify([event('b'), event('a')]),
      }),
    ];
    const page = await read(stream, ...answers);
    expect(page.headers['content-type']).toMatch(batchType);
    const events = HTTP.toEvent({
      headers: { 'content-type': batchType },
      body: page.text,
    }) as CloudEventV1<unknown>[];
    expect(events.map((one) => JSON.parse(JSON.stringify(one)) as unknown)).toEqual(
      ['a', 'b'].map((id) => JSON.parse(JSON.stringify(event(id))) as unknown),
    );
    const came = () =>
      live.messages
        .filter((message) => message.event === 'event')
        .map(({ data }) => JSON.parse(data) as CloudEventV1<unknown>)
        .filter(({ source, type }) => source === '/shop' && type === 'order.placed');
    await until(() => came().length >= 2, { what: 'two CloudEvents', progress: () => came().length });
    expect(new Set(came().map(({ id }) => id))).toEqual(new Set(['a', 'b']));
  });

  it('keep microseconds, types of attributes, and the text of data', async () => {
    const stream = freshStream();
    const text =
      '{"specversion":"1.0","type":"com.example.someevent","source":"/mycontext","id":"C234-1234-1234",' +
      '"time":"2018-04-05T17:31:00.000001Z","comexampleothervalue":5,"data":[9007199254740993, 1.50]}';
    const answer = await send(stream, {
      headers: { 'content-type': 'application/cloudevents+json' },
      body: text,
    });
    const { text: page } = await read(stream, answer);
    expect(page).toContain('"data":[9007199254740993, 1.50]');
    expect(JSON.parse(page)).toMatchObject([
      { time: '2018-04-05T17:31:00.000001Z', comexampleothervalue: 5 },
    ]);
  });

  it.runIf(hasPython)('are read back unchanged by the SDK for Python', async () => {
    const stream = freshStream();
    const sent = python(`
import base64, json
from datetime import datetime, timezone
from cloudevents.core.v1.event import CloudEvent
from cloudevents.core.bindings.http import to_binary_event, to_structured_event
def event(id, data, type="application/json"):
    return CloudEvent({"id": id, "source": "/py", "type": "order.placed", "subject": "order 17 €", "specversion": "1.0",
        "datacontenttype": type, "time": datetime(2026, 11, 21, 4, 0, 0, 123456, timezone.utc), "traceparent": "00-a"}, data)
messages = [to_structured_event(event("a", {"amount": 12.5})), to_binary_event(event("a", {"amount": 12.5})),
    to_binary_event(event("b", b"\\xff\\xfe", "application/octet-stream"))]
print(json.dumps([[m.headers, base64.b64encode(m.body).decode()] for m in messages]))`);
    const answers: HttpAnswer[] = [];
    for (const [headers, body] of JSON.parse(sent) as [Record<string, string>, string][])
      answers.push(await send(stream, { headers, body: Buffer.from(body, 'base64') }));
    const page = await read(stream, ...answers);
    const told = python(
      `
import json, sys
from cloudevents.core.bindings.http import from_http_event, HTTPMessage
for one in json.load(sys.stdin):
    event = from_http_event(HTTPMessage({"content-type": "application/cloudevents+json"}, json.dumps(one).encode()))
    print(event.get_id(), event.get_source(), event.get_subject(), event.get_time().isoformat(),
        event.get_extension("traceparent"), event.get_data())`,
      page.text,
    );
    expect(told.trim().split('\n')).toEqual([
      "a /py order 17 € 2026-11-21T04:00:00.123456+00:00 00-a {'amount': 12.5}",
      "b /py order 17 € 2026-11-21T04:00:00.123456+00:00 00-a b'\\xff\\xfe'",
    ]);
  });
});
