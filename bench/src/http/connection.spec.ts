import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeepAliveConnection } from './connection.js';

const request = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const answered = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

let server: Server;
let accepted: Socket[];
let connection: KeepAliveConnection;

/** What the server does with each request. */
let answer: (socket: Socket) => void;

beforeEach(async () => {
  accepted = [];
  answer = (socket) => socket.write(answered);
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = await KeepAliveConnection.open(url(), { keepBody: false });
});
afterEach(() => {
  connection.close();
  for (const socket of accepted) socket.destroy();
  server.close();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const untilAccepted = (count: number) => expect.poll(() => accepted.length).toBe(count);

describe('a connection that the server closed while it was idle', () => {
  it.each([
    ['in order', (socket: Socket) => socket.end()],
    ['by a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['with an answer', (socket: Socket) => socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n')],
  ])('is opened again for the next request: %s', async (_, close) => {
    await untilAccepted(1);
    expect((await connection.send(request)).status).toBe(200);
    close(accepted[0]!);
    await expect.poll(() => (connection as unknown as { socket: Socket }).socket.destroyed).toBe(true);
    expect((await connection.send(request)).status).toBe(200);
    expect(accepted).toHaveLength(2);
  });

  it('rejects the next request if the server has ended', async () => {
    await untilAccepted(1);
    accepted[0]!.destroy();
    server.close();
    await once(server, 'close');
    await expect.poll(() => (connection as unknown as { socket: Socket }).socket.destroyed).toBe(true);
    await expect(connection.send(request)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a connection that breaks during an answer', () => {
  it('rejects its request and opens for the next one', async () => {
    answer = (socket) => socket.end(answered.slice(0, -1));
    await expect(connection.send(request)).rejects.toThrow('the server closed the connection');
    answer = (socket) => socket.write(answered);
    expect((await connection.send(request)).status).toBe(200);
  });
});
