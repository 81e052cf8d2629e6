import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerMemoryExhaustedError } from '../errors.js';
import { SelectConnection, type SelectRequest } from './select-connection.js';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function connectionTo(
  listener: RequestListener,
): Promise<{ connection: SelectConnection; server: Server; sockets: Socket[] }> {
  const server = createServer(listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new SelectConnection({
    ...{ url: `http://127.0.0.1:${port}`, user: 'reader', password: 'secret', database: 'tributary' },
    maxConnections: 2,
  });
  open.push(
    () => server.close(),
    () => connection.close(),
  );
  return { connection, server, sockets };
}

const select = (more: Partial<SelectRequest> = {}): SelectRequest => ({
  ...{ query: 'SELECT 1', queryId: 'q-1', params: {}, settings: { max_threads: 1 } },
  ...more,
});
const forever = new AbortController().signal;

describe('the connection for SELECTs', () => {
  it('sends statement, parameters, settings and credentials, and returns the rows', async () => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const { connection } = await connectionTo((request, response) => {
      void text(request).then((body) => {
        seen.push({ request, body });
        response.end('["a",1]\n["b",2]\n');
      });
    });
    const rows = await connection.rows(select({ params: { p0: "it's" } }), forever);
    expect(rows).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    const url = new URL(seen[0]!.request.url!, 'http://server');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ param_p0: "it\\'s", query_id: 'q-1', database: 'tributary', max_threads: '1' },
    });
    expect(seen[0]!.body).toBe('SELECT 1\nFORMAT JSONCompactEachRow');
    const credentials = Buffer.from('reader:secret').toString('base64');
    expect(seen[0]!.request.headers.authorization).toBe(`Basic ${credentials}`);
  });

  it('sends long parameters in the body', async () => {
    const { connection } = await connectionTo((request, response) => {
      void text(request).then((body) => {
        const isInBody = body.includes('name="param_ids"') && body.includes('x'.repeat(5_000));
        response.end(JSON.stringify([request.url!.includes('param_'), isInBody]));
      });
    });
    const rows = await connection.rows(select({ params: { ids: ['x'.repeat(5_000)] } }), forever);
    expect(rows).toEqual([[false, true]]);
  });

  it('uses a connection again, and sends a SELECT once more when the idle connection was closed', async () => {
    const { connection, sockets } = await connectionTo((request, response) => {
      if (request.url?.includes('q-3') && sockets.length === 1) request.socket.destroy();
      else response.end('[1]\n');
    });
    await connection.rows(select({ queryId: 'q-1' }), forever);
    await connection.rows(select({ queryId: 'q-2' }), forever);
    expect(sockets).toHaveLength(1);
    expect(await connection.rows(select({ queryId: 'q-3' }), forever)).toEqual([[1]]);
    expect(sockets).toHaveLength(2);
  });

  it('does not repeat a SELECT whose answer was cut', async () => {
    let requests = 0;
    const { connection } = await connectionTo((request, response) => {
      requests++;
      if (requests === 1) return void response.end('[1]\n');
      response.write('[1]\n', () => request.socket.destroy());
    });
    await connection.rows(select(), forever);
    await expect(connection.rows(select(), forever)).rejects.toThrow();
    expect(requests).toBe(2);
  });

  it('throws the error of ClickHouse', async () => {
    const { connection } = await connectionTo((_, response) => {
      const message = "Code: 60. DB::Exception: Table events doesn't exist. (UNKNOWN_TABLE)";
      response.writeHead(404, { 'x-clickhouse-exception-code': '60' }).end(message);
    });
    await expect(connection.rows(select(), forever)).rejects.toMatchObject({ code: '60' });
  });

  it('disconnects when the answer does not fit into the memory budget', async () => {
    let isClosed: Promise<unknown> | undefined;
    const { connection } = await connectionTo((_, response) => {
      isClosed = once(response, 'close');
      response.write('[1]\n');
    });
    const share = { take: () => false, end: () => undefined };
    await expect(connection.rows(select(), forever, share)).rejects.toThrow(AnswerMemoryExhaustedError);
    await isClosed;
  });

  it('disconnects when the signal is aborted, before and during the answer', async () => {
    for (const begin of [false, true]) {
      const ended = new AbortController();
      let isClosed: Promise<unknown> | undefined;
      const { connection } = await connectionTo((_, response) => {
        isClosed = once(response, 'close');
        if (begin) response.write('[1]\n', () => ended.abort());
        else ended.abort();
      });
      await expect(connection.rows(select(), ended.signal)).rejects.toThrow();
      await isClosed;
    }
  });
});
