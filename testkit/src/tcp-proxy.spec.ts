import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpClient } from './http-client.js';
import { kafkaRequest, TcpProxy } from './tcp-proxy.js';

let engine: Server;
let proxy: TcpProxy;
let client: HttpClient;
/** Complete request bodies that the server received, and the lengths of interrupted bodies. */
let arrived: string[];
let brokenOff: number[];

beforeEach(async () => {
  [arrived, brokenOff] = [[], []];
  engine = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('error', () => brokenOff.push(body.length));
    request.on('end', () => {
      arrived.push(body);
      response.end(`got ${body.length}`);
    });
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  proxy = await TcpProxy.start({ port: (engine.address() as AddressInfo).port });
  client = new HttpClient(`http://127.0.0.1:${proxy.port}`, { timeoutMs: 5_000 });
});

afterEach(async () => {
  await client.close();
  await proxy.stop();
  engine.closeAllConnections();
  engine.close();
});

const post = (body: string, timeoutMs = 5_000) => client.post('/', body, { timeoutMs });

describe('TcpProxy', () => {
  it('forwards all data without a fault', async () => {
    const big = 'x'.repeat(3_000_000);
    expect((await post(big)).text).toBe('got 3000000');
    expect(arrived).toEqual([big]);
  });

  it('resets connections, and accepts new ones', async () => {
    await post('a');
    proxy.cut();
    await expect.poll(() => proxy.connections).toBe(0);
    expect((await post('b')).text).toBe('got 1');
  });

  it('refuses connections until it accepts again', async () => {
    await proxy.refuse();
    await expect(post('a')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.acceptAgain();
    expect((await post('a')).status).toBe(200);
  });

  it('holds requests back while stalled, and forwards them afterwards', async () => {
    proxy.stall('up');
    const pending = post('held');
    await expect(Promise.race([pending, new Promise((r) => setTimeout(r, 200, 'nothing'))])).resolves.toBe(
      'nothing',
    );
    expect(arrived).toEqual([]);
    proxy.flow();
    expect((await pending).text).toBe('got 4');
  });

  it('holds answers back while stalled downwards, when the request has arrived', async () => {
    await post('open the connection');
    proxy.stall('down');
    await expect(post('held', 300)).rejects.toThrow();
    expect(arrived).toContain('held');
  });

  it('adds its delay in each direction', async () => {
    proxy.delay({ up: 150, down: 150 });
    const start = Date.now();
    await post('slow');
    expect(Date.now() - start).toBeGreaterThanOrEqual(300);
  });

  it('resets the connection in the middle of a request', async () => {
    const sprung = proxy.trap((chunk) => chunk.includes('POST'), { do: 'truncate', bytes: 500 });
    await expect(post('y'.repeat(100_000))).rejects.toThrow();
    await sprung;
    await expect.poll(() => brokenOff.length).toBe(1);
    expect(brokenOff[0]).toBeLessThan(500);
    expect(arrived).toEqual([]);
    expect((await post('next')).status).toBe(200);
  });

  it('loses the answer of the n-th matching request, which has arrived', async () => {
    const sprung = proxy.trap((chunk) => chunk.includes('POST'), { do: 'swallow-answer' }, 1);
    expect((await post('first')).status).toBe(200);
    await expect(post('second')).rejects.toThrow();
    await sprung;
    expect(arrived).toEqual(['first', 'second']);
    expect((await post('third')).status).toBe(200);
  });

  it('resets every n-th connection', async () => {
    proxy.resetEach(2);
    expect((await post('1')).status).toBe(200);
    proxy.cut();
    await expect.poll(() => proxy.connections).toBe(0);
    await expect(post('2')).rejects.toThrow();
    expect((await post('3')).status).toBe(200);
    expect(arrived).toEqual(['1', '3']);
  });
});

describe('kafkaRequest', () => {
  it('recognizes a request by its API key', () => {
    const commit = Buffer.from([0, 0, 0, 20, 0, 8, 0, 5, 0, 0, 0, 1]);
    expect(kafkaRequest(8)(commit)).toBe(true);
    expect(kafkaRequest(0)(commit)).toBe(false);
    expect(kafkaRequest(0)(Buffer.from([0, 0]))).toBe(false);
  });
});
