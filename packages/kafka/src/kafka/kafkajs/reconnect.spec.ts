import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KafkajsClientSockets } from '../cluster/connection.js';
import './internals.js';

interface Connection {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  isConnected(): boolean;
  send(request: object): Promise<string>;
}

const require = createRequire(import.meta.url);
const ConnectionClass = require('kafkajs/src/network/connection') as new (options: object) => Connection;

const silent = { debug: () => undefined, error: () => undefined, warn: () => undefined };
const logger = { namespace: () => silent };
const requestTimeout = 300;

/** A request with a text as its response. */
const asking = {
  request: { apiKey: 18, apiVersion: 0, apiName: 'Test', encode: async () => ({ buffer: Buffer.alloc(0) }) },
  response: {
    decode: async (payload: Buffer) => ({ text: payload.toString() }),
    parse: async ({ text }: { text: string }) => text,
  },
};

/** Returns the requests in a chunk of bytes; each begins with its size. */
function requestsIn(chunk: Buffer): Buffer[] {
  const requests: Buffer[] = [];
  for (let start = 0; start < chunk.length;) {
    const end = start + 4 + chunk.readInt32BE(start);
    requests.push(chunk.subarray(start, end));
    start = end;
  }
  return requests;
}

/** Returns the response to a request: its size (INT32), its correlation id (INT32), and the payload. */
function answerTo(request: Buffer, payload: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + Buffer.byteLength(payload), 0);
  request.copy(head, 4, 8, 12);
  return Buffer.concat([head, Buffer.from(payload)]);
}

describe('a connection to a broker that is lost and reopened', () => {
  let server: Server;
  let accepted: Socket[];
  let answer: (socket: Socket, request: Buffer) => void;
  let sockets: KafkajsClientSockets;
  let connection: Connection;

  beforeEach(async () => {
    accepted = [];
    answer = (socket, request) => socket.write(answerTo(request, 'whole'));
    server = createServer((socket) => {
      accepted.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => requestsIn(chunk).forEach((request) => answer(socket, request)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    sockets = new KafkajsClientSockets();
    connection = new ConnectionClass({
      ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, logger },
      ...{ socketFactory: sockets.factory, requestTimeout, connectionTimeout: 1_000 },
    });
  });

  afterEach(async () => {
    sockets.destroy();
    for (const socket of accepted) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (): Promise<string> => {
    if (!connection.isConnected()) await connection.connect();
    return connection.send(asking);
  };

  it('reads complete responses after one that was cut off in the middle', async () => {
    answer = (socket, request) => {
      socket.write(answerTo(request, 'x'.repeat(1_000)).subarray(0, 500), () => socket.resetAndDestroy());
    };
    await expect(ask()).rejects.toThrow();
    answer = (socket, request) => socket.write(answerTo(request, 'whole'));
    expect(await ask()).toBe('whole');
    expect(await ask()).toBe('whole');
  });

  it('opens one socket for concurrent callers', async () => {
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers).toEqual(['whole', 'whole', 'whole']);
    expect(accepted).toHaveLength(1);
  });

  it('is not closed by events of its previous socket', async () => {
    await connection.connect();
    const first = accepted;
    await connection.disconnect();
    await connection.connect();
    await expect.poll(() => accepted.length).toBe(2);
    first[0]?.resetAndDestroy();
    expect(await ask()).toBe('whole');
    expect(connection.isConnected()).toBe(true);
    expect(accepted).toHaveLength(2);
  });

  it('rejects a waiting request when its socket closes without an end or an error', async () => {
    answer = () => undefined;
    const waiting = ask();
    await expect.poll(() => accepted.length).toBe(1);
    (connection as unknown as { socket: Socket }).socket.destroy();
    await expect(waiting).rejects.toThrow();
    answer = (socket, request) => socket.write(answerTo(request, 'whole'));
    expect(await ask()).toBe('whole');
  });

  it('is replaced when received bytes are not a response', async () => {
    answer = (socket) => socket.write(Buffer.alloc(16));
    await expect(ask()).rejects.toThrow('Connection error');
    answer = (socket, request) => socket.write(answerTo(request, 'whole'));
    expect(await ask()).toBe('whole');
    expect(accepted).toHaveLength(2);
  });

  it('is replaced when a request is not answered in time', async () => {
    answer = () => undefined;
    await expect(ask()).rejects.toThrow('no answer in time');
    answer = (socket, request) => socket.write(answerTo(request, 'whole'));
    expect(await ask()).toBe('whole');
    expect(accepted).toHaveLength(2);
  });
});
