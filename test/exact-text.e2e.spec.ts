import { describe, expect, it } from 'vitest';
import { elementsOf, membersOf } from '#testkit';
import { freshStream, path, waitFor, writeEvent, type BatchAnswer } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

describe('data and metadata', () => {
  const texts = [
    '{"big":9007199254740993,"price":0.10,"negative":-0.0,"exponent":1E2,"long":123456789012345678901234567890}',
    '{"z":1,"a":{"y":[1,2,{"x":null}],"b":true}}',
    '{"text":"žluťoučký 🐎 日本語 مرحبا","escaped":"\\u017e \\" \\\\ \\n \\/"}',
    '{ "spaced" : [ 1 , 2 ] ,\t"tab":1 }',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '{"metadata":1,"data":{"data":"x,\\"metadata\\":"}}',
    '{"beyond a double":1e400,"tiny":1e-400,"half a pair":"\\ud800"}',
    '{}',
  ];

  it.each(texts)('are read back as they were sent: %s', async (data) => {
    const stream = freshStream();
    const metadata = '{"k":0.10,"u":"ž","n":9007199254740993}';
    const body = `{"stream":"${stream}","event_type":"t","data":${data},"metadata":${metadata}}`;
    const single = await writeEvent(system().write, body);
    const batch = await system().core.post('/api/v1/events/batch', `{"events":[${body}]}`);
    expect(batch.status, batch.text).toBe(201);
    const written = [single, ...batch.json<BatchAnswer>().events];
    const answer = await system().core.get(
      path('/api/v1/events/query', { stream }, waitFor(written, stream)),
    );
    const events = elementsOf(membersOf(answer.text).get('events')!).map(membersOf);
    expect(events.map((event) => event.get('data'))).toEqual([data, data]);
    expect(events.map((event) => event.get('metadata'))).toEqual([metadata, metadata]);
    const byId = await system().core.get(`/api/v1/events/${single.event_id}`);
    expect(membersOf(byId.text).get('data')).toBe(data);
  });

  it('are one line each of an NDJSON answer, with any white space in the input', async () => {
    const stream = freshStream();
    const body = JSON.stringify(
      { stream, event_type: 't', data: { a: [1, { b: 2 }] }, metadata: { c: 3 } },
      null,
      2,
    );
    const written = await writeEvent(system().core, body);
    const answer = await system().core.get(path('/api/v1/events/query', { stream }, waitFor([written])), {
      headers: { accept: 'application/x-ndjson' },
    });
    const lines = answer.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ data: { a: [1, { b: 2 }] } }]);
  });
});
