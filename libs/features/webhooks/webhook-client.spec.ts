import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebhookAddressPolicy } from './webhook-address-policy.js';
import { WebhookClient } from './webhook-client.js';

/** Milliseconds of the deadline, for receivers that do not answer and for all others. */
const [lateMs, longMs] = [300, 60_000];
const never = new AbortController().signal;
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** Starts a TCP server that counts its open connections, and calls `answer` when a request begins. */
async function receiver(answer: (socket: Socket) => void): Promise<{ url: string; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => answer(socket));
    socket.resume();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, open };
}

function client(timeoutMs = longMs): WebhookClient {
  const made = new WebhookClient(new WebhookAddressPolicy(['127.0.0.0/8']), timeoutMs);
  closing.push(() => made.close());
  return made;
}

/** Writes this text again and again, until the connection ends. */
const forever = (text: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(text), 5);
  socket.on('close', () => clearInterval(timer));
};
const then = (first: string, next: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(first);
  next(socket);
};
const nothing = (): void => undefined;

const ok = 'HTTP/1.1 200 OK\r\n';
const accepted = { status: 200 };
const late = { failure: `It could not be reached: no answer within ${lateMs} ms.`, isFinal: false };

describe('a receiver of webhooks cannot keep a connection', () => {
  it.each<[string, (socket: Socket) => void, object]>([
    [
      'of an answer that is shorter than its Content-Length',
      then(`${ok}content-length: 4000\r\n\r\nx`, nothing),
      accepted,
    ],
    ['of an answer without an end', then(`${ok}\r\n`, nothing), accepted],
    ['of a chunk without an end', then(`${ok}transfer-encoding: chunked\r\n\r\nfff\r\nx`, nothing), accepted],
    ['of endless chunks', then(`${ok}transfer-encoding: chunked\r\n\r\n`, forever('1\r\nx\r\n')), accepted],
    [
      'of endless trailers',
      then(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, forever('a: b\r\n')),
      accepted,
    ],
    ['of long content', then(`${ok}content-length: 9000000\r\n\r\n`, forever('x'.repeat(5000))), accepted],
    [
      'of an answer that announces a close',
      then(`${ok}connection: close\r\ncontent-length: 9\r\n\r\nx`, nothing),
      accepted,
    ],
    ['that gets no answer', nothing, late],
    ['of half a status line', then('HTTP/1.1 2', nothing), late],
    ['of half the headers', then(`${ok}a: b\r\n`, nothing), late],
    ['of endless headers', then(ok, forever('a: b\r\n')), late],
    ['of endless 1xx answers', forever('HTTP/1.1 103 Early Hints\r\n\r\n'), late],
    ['of large headers', then(ok, forever(`a: ${'b'.repeat(5000)}\r\n`)), { isFinal: false }],
    [
      'of a change of the protocol',
      then('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', nothing),
      { isFinal: false },
    ],
    ['of something that is not HTTP', then('SSH-2.0-x\r\n', nothing), { isFinal: false }],
  ])('%s', async (_what, answer, result) => {
    const { url, open } = await receiver(answer);
    const one = client(result === late ? lateMs : longMs);
    const posts = Array.from({ length: 4 }, () => one.post({ url, headers: {}, body: '{}' }, never));

    for (const got of await Promise.all(posts)) expect(got).toMatchObject(result);

    await expect.poll(() => open.size, { interval: 5 }).toBe(0);
  });

  it('by reading nothing of a long request', async () => {
    const open = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
      socket.write(`${ok}content-length: 0\r\n\r\n`);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;

    expect(await client().post({ url, headers: {}, body: 'x'.repeat(20_000_000) }, never)).toMatchObject(
      accepted,
    );

    for (const socket of open) socket.resume();
    await expect.poll(() => open.size, { interval: 5 }).toBe(0);
  });

  it('if its host name leads to a forbidden port', async () => {
    const { url, open } = await receiver(nothing);
    const { port } = new URL(url);
    const made = new WebhookClient(new WebhookAddressPolicy(['127.0.0.0/8', '::1'], [port]), longMs);
    closing.push(() => made.close());
    const result = await made.post({ url: `http://localhost:${port}/`, headers: {}, body: '' }, never);
    expect(result).toMatchObject({
      failure: expect.stringContaining('WEBHOOK_FORBIDDEN_PORTS') as string,
      isFinal: true,
    });
    expect(open.size).toBe(0);
  });

  it('after its sender was stopped', async () => {
    const { url, open } = await receiver(nothing);
    const stop = new AbortController();
    const posting = client().post({ url, headers: {}, body: '{}' }, stop.signal);
    await expect.poll(() => open.size, { interval: 5 }).toBe(1);

    stop.abort();

    expect(await posting).toMatchObject({ isFinal: false });
    await expect.poll(() => open.size, { interval: 5 }).toBe(0);
  });
});

describe('the connection to a receiver of webhooks', () => {
  it.each([
    ['with a length', 'content-length: 2\r\n\r\nok'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  ])('is used again after a short answer %s', async (_what, rest) => {
    const seen = new Set<Socket>();
    const { url } = await receiver((socket) => {
      seen.add(socket);
      socket.on('data', () => socket.write(ok + rest));
      socket.write(ok + rest);
    });
    const one = client();
    for (let i = 0; i < 3; i++)
      expect(await one.post({ url, headers: {}, body: '{}' }, never)).toMatchObject(accepted);

    expect(seen.size).toBe(1);
  });
});
