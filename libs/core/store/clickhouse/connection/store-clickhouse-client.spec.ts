import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { derivedSignals } from '#testkit';
import { StoreUnavailableError } from '../../errors.js';
import { StoreClickHouseClient } from './store-clickhouse-client.js';

describe('Connection', () => {
  const open: { close(): unknown }[] = [];
  /** What the fake servers have received. */
  const received: Buffer[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).toReversed()) await one.close();
    received.length = 0;
  });

  /** Returns a connection to a fake ClickHouse server that gives the same answer to every request. */
  async function connectionTo(status: number, body: string): Promise<StoreClickHouseClient> {
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk));
      request.on('end', () => response.writeHead(status).end(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connection = new StoreClickHouseClient({
      ...{ url: `http://127.0.0.1:${port}`, user: 'default', password: '', database: 'default' },
      ...{ maxConnections: 1, insertTimeoutMs: 60_000, queryTimeoutMs: 60_000 },
    });
    open.push(server, connection);
    return connection;
  }

  it('removes its listeners from a signal that outlives the query', async () => {
    const { signal } = new AbortController();
    const connection = await connectionTo(200, '[1]\n');
    for (let i = 0; i < 4; i++) expect(await connection.select('SELECT 1', { signal })).toEqual([[1]]);
    expect([getEventListeners(signal, 'abort'), derivedSignals(signal)]).toEqual([[], 0]);
  });

  it('removes its listeners from the signal when a query fails', async () => {
    const { signal } = new AbortController();
    const connection = await connectionTo(503, 'not now');
    await expect(connection.select('SELECT 1', { signal })).rejects.toThrow(StoreUnavailableError);
    expect([getEventListeners(signal, 'abort'), derivedSignals(signal)]).toEqual([[], 0]);
  });

  it("rejects an aborted query with the signal's reason", async () => {
    const connection = await connectionTo(200, '[1]\n');
    const ended = new AbortController();
    const query = connection.select('SELECT 1', { signal: ended.signal });
    ended.abort(new Error('nobody waits any more'));
    await expect(query).rejects.toThrow('nobody waits any more');
  });

  it('passes on a TypeError of its caller instead of reporting ClickHouse as unreachable', async () => {
    const connection = await connectionTo(200, '[1]\n');
    const signal = { throwIfAborted: () => undefined, aborted: false } as AbortSignal;
    await expect(connection.select('SELECT 1', { signal })).rejects.toThrow(TypeError);
  });

  it('inserts a body in parts of any size whole and in order', async () => {
    const connection = await connectionTo(200, '');
    const sizes = [1, 100, 70_000, 200_000, 30_000, 40_000, 3];
    const parts = sizes.map((size, index) => Buffer.alloc(size, index));
    await connection.insert('INSERT INTO events FORMAT RowBinary', parts, {});
    expect(Buffer.concat(received).equals(Buffer.concat(parts))).toBe(true);
  });
});
