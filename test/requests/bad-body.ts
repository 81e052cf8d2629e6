import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectProblem } from '../api.js';
import { useRefusedStream } from './nothing-written.js';
import { rawHttp } from '../raw-http.js';
import { system } from './system.js';

const refused = useRefusedStream(system);
const good = { stream: refused, event_type: 't', data: {} };
const text = (more: string) => `{"stream":"${refused}","event_type":"t",${more}}`;
const post = (body: unknown, headers: Record<string, string> = {}) =>
  system().write.post('/api/v1/events', body, { headers });

describe('a body', () => {
  it('above the size limit of an event or a request is a 413', async () => {
    expectProblem(await post({ ...good, data: { x: 'x'.repeat(1024 * 1024) } }), 'payload_too_large');
    const huge = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
    const answer = await system()
      .write.post('/api/v1/events/batch', huge)
      .catch((error: Error) => error);
    if (!(answer instanceof Error)) expectProblem(answer, 'payload_too_large');
  });

  it('with a Content-Length above the limit is refused before it is sent', async () => {
    const head = [
      'POST /api/v1/events/batch HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Length: 99999999999',
      '',
      '',
    ];
    const answer = await rawHttp(system().urls.ingest, head.join('\r\n'), 3_000);
    expect(answer.status).toBe(413);
    expect(answer.text).toContain('application/problem+json');
  });

  it('that decompresses to more than the limit is a 413, and memory does not grow with it', async () => {
    const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024, ' '), { level: 1 });
    const before = await residentMegabytes();
    for (let i = 0; i < 4; i++) {
      const answer = await system().write.post('/api/v1/events/batch', bomb, {
        headers: { 'content-encoding': 'gzip' },
      });
      expectProblem(answer, 'payload_too_large');
    }
    expect((await residentMegabytes()) - before).toBeLessThan(150);
  });

  it('that is shorter or longer than its Content-Length does no harm', async () => {
    const request = (length: number) =>
      [
        'POST /api/v1/events HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        '',
        text('"data":1'),
      ].join('\r\n');
    expect((await rawHttp(system().urls.ingest, request(10), 2_000)).status).toBe(400);
    expect((await rawHttp(system().urls.ingest, request(10_000), 500)).status).toBe(0);
    const twice = request(20).replace('Content-Length', 'Content-Length: 5\r\nContent-Length');
    expect((await rawHttp(system().urls.ingest, twice, 2_000)).status).toBe(400);
  });

  it('that is empty, or of another type, is refused', async () => {
    expect((await system().write.send('POST', '/api/v1/events')).status).toBeOneOf([400, 415]);
    expectProblem(
      await post(text('"data":{}'), { 'content-type': 'application/xml' }),
      'unsupported_media_type',
    );
  });

  it('that is not UTF-8 is refused, at any position of the invalid bytes', async () => {
    const [start, end] = text('"data":{"a":"|"}').split('|') as [string, string];
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
      expectProblem(await post(body), 'invalid_json');
    }
  });

  it.each([
    ['nested 10 000 deep', `"data":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['65 levels deep', `"data":{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['with a control character in a string', '"data":{"a":"\u0001"}'],
    ['with a comment', '"data":{/* hello */}'],
    ['with NaN', '"data":{"a":NaN}'],
    ['with a trailing comma', '"data":{},'],
  ])('%s is refused', async (_name, more) => {
    expect((await post(text(more))).status).toBe(400);
  });

  it('with a key of 10 MB is refused', async () => {
    expectProblem(await post(text(`"data":{"${'k'.repeat(10_000_000)}":1}`)), 'payload_too_large');
  });
});

async function residentMegabytes(): Promise<number> {
  const metrics = await (await fetch(new URL('/metrics', system().urls.ingest))).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 1024 / 1024;
}
